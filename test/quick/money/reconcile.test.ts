import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  reconcile,
  type Reconciliation,
  type ReconcileQuery,
} from '../../../gateway/reconcile/reconcile.ts';
import { formatDecimal } from '../../../shared/money/decimal.ts';
import type { UsageColumns } from '../../../shared/reconcile/usage-columns.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { type HistoryFolder, openHistoryFolder } from '../../kit/history/history-folder.ts';

const START = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const SERVICE = 'https://models.example.com';
const COLUMNS: UsageColumns = {
  time: 'time',
  model: 'model',
  id: 'id',
  requests: null,
  input: ['input'],
  output: ['output'],
  cost: 'cost',
  rows: 'request',
  timeZone: 'utc',
};

let folder: HistoryFolder;
beforeEach(async () => {
  folder = await openHistoryFolder({ now: () => START });
});
afterEach(async () => await folder[Symbol.asyncDispose]());

interface Row {
  readonly at: number;
  readonly model: string;
  readonly id?: string;
  readonly requests?: number;
  readonly input: number;
  readonly output: number;
  readonly cost: number;
}

function toCsv(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ at, model, id = '', requests = 1, input, output, cost }) =>
      `"${model}",${new Date(at).toISOString()},${id},${input},${output},${formatDecimal(cost)},${requests}`,
  );
  return ['model,time,id,input,output,cost,requests', ...lines].join('\r\n');
}

function toJsonLines(rows: readonly Row[]): string {
  return rows
    .map(({ at, cost, ...row }) =>
      JSON.stringify({ ...row, time: Math.floor(at), cost: formatDecimal(cost) }),
    )
    .join('\n');
}

async function compare(
  text: string | Buffer,
  query: Partial<ReconcileQuery> = {},
): Promise<Reconciliation> {
  const file = join(folder.dataDir, 'export');
  await writeFile(file, text);
  const whole = { file, service: SERVICE, columns: COLUMNS, since: null, until: null };
  return await reconcile(folder.history, { ...whole, ...query });
}

function usage(input: number | null, output: number | null, source = 'reported') {
  return { ...anExchange('e').usage, input, output, source };
}

function costOf(amount: number | null) {
  return { amount, source: amount === null ? 'unpriced' : 'reported', priceId: null };
}

/** Ids of exchanges, or models of rows without one. */
function names({ first }: Reconciliation['different']): string[] {
  return first.map(({ exchange, model }) => exchange ?? model).toSorted();
}

const fate = fc.constantFrom('kept', 'kept', 'removed', 'tokens', 'cost');
const request = fc.record({
  model: fc.constantFrom('acme/large', 'acme/small', 'Ünïcode, "quoted"'.replaceAll('"', '')),
  input: fc.nat({ max: 2 }),
  output: fc.nat({ max: 2 }),
  cost: fc.nat({ max: 3_000_000 }),
  gap: fc.integer({ min: 3_000, max: 90_000 }),
  durationMs: fc.nat({ max: 900 }),
  jitter: fc.integer({ min: -400, max: 400 }),
  fate,
});

test('single requests differ in exactly what was removed, added and changed, in any order', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 30 }),
      fc.nat({ max: 5 }),
      fc.constantFrom(toCsv, toJsonLines),
      fc.infiniteStream(fc.nat()),
      async (requests, added, write, order) => {
        run += 1;
        // Each run has a service of its own, so that it sees its exchanges only.
        const service = `${SERVICE}/${run}`;
        const rows: Row[] = [];
        let at = START;
        const fates = new Map<string, string>();
        for (const [place, one] of requests.entries()) {
          at += one.gap;
          const id = `ex-${run}-${place}`;
          fates.set(id, one.fate);
          await folder.record(
            anExchange(id, {
              service,
              startedAt: at,
              durationMs: one.durationMs,
              modelSent: one.model,
              modelServed: place % 2 === 0 ? null : 'served',
              usage: usage(one.input, one.output),
              cost: costOf(one.cost),
            }),
          );
          if (one.fate === 'removed') continue;
          rows.push({
            at: at + one.jitter,
            model: one.model.toUpperCase(),
            input: one.fate === 'tokens' ? 1_000 + place : one.input,
            output: one.output,
            cost: one.fate === 'cost' ? one.cost + 1_000 : one.cost,
          });
        }
        for (let place = 0; place < added; place += 1) {
          rows.push({ at: START + place, model: `added-${place}`, input: 1, output: 2, cost: 7 });
        }
        // At least one row, so that the file can be read.
        rows.push({ at: START, model: 'always', input: 0, output: 0, cost: 0 });
        const keys = new Map(rows.map((row) => [row, order.next().value ?? 0]));
        const shuffled = rows.toSorted(
          (one, other) => (keys.get(one) ?? 0) - (keys.get(other) ?? 0),
        );

        const found = await compare(write(shuffled), {
          service,
          columns: { ...COLUMNS, id: null },
        });

        const withFate = (...wanted: readonly string[]) =>
          [...fates].flatMap(([id, is]) => (wanted.includes(is) ? [id] : [])).toSorted();
        expect(found.equal).toBe(withFate('kept').length);
        expect(names(found.different)).toEqual(withFate('tokens', 'cost'));
        expect(names(found.onlyInHistory)).toEqual(withFate('removed'));
        expect(found.onlyInExport.count).toBe(added + 1);
        const total = (name: 'input' | 'output' | 'cost') =>
          rows.reduce((sum, row) => sum + row[name], 0) -
          requests.reduce((sum, one) => sum + one[name], 0);
        expect(found.difference).toEqual({
          requests: rows.length - requests.length,
          input: total('input'),
          output: total('output'),
          cost: total('cost'),
        });
        expect([found.outside, found.unreadable.count]).toEqual([0, 0]);
      },
    ),
    { numRuns: 60 },
  );
});

test('sums of days differ in exactly what was removed, added and changed, in any order', async () => {
  let run = 0;
  const exchange = fc.record({
    day: fc.nat({ max: 2 }),
    time: fc.nat({ max: DAY_MS / 2 - 2_000 }),
    model: fc.constantFrom('a', 'b'),
    input: fc.nat({ max: 500 }),
    cost: fc.nat({ max: 500 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(exchange, { minLength: 1, maxLength: 25 }),
      fc.array(fc.constantFrom('kept', 'removed', 'changed'), { minLength: 6, maxLength: 6 }),
      fc.boolean(),
      async (exchanges, fates, reversed) => {
        run += 1;
        const service = `${SERVICE}/${run}`;
        const groups = new Map<string, Row>();
        for (const [place, { day, time, model, input, cost: amount }] of exchanges.entries()) {
          const at = START + day * DAY_MS + time;
          await folder.record(
            anExchange(`ex-${run}-${place}`, {
              service,
              startedAt: at,
              modelSent: model,
              modelServed: null,
              usage: usage(input, 1),
              cost: costOf(amount),
            }),
          );
          const key = `${day} ${model}`;
          const known = groups.get(key);
          groups.set(key, {
            at: Date.UTC(2026, 10, 20 + day),
            model,
            requests: (known?.requests ?? 0) + 1,
            input: (known?.input ?? 0) + input,
            output: (known?.output ?? 0) + 1,
            cost: (known?.cost ?? 0) + amount,
          });
        }
        const fateOf = (row: Row) =>
          fates[
            Math.floor((row.at - Date.UTC(2026, 10, 20)) / DAY_MS) * 2 + (row.model === 'a' ? 0 : 1)
          ];
        const all = [...groups.values()];
        const rows = all.flatMap((row) => {
          if (fateOf(row) === 'removed') return [];
          return fateOf(row) === 'changed' ? [{ ...row, input: row.input + 1 }] : [row];
        });
        rows.push({
          at: Date.UTC(2026, 10, 20),
          model: 'added',
          requests: 3,
          input: 1,
          output: 1,
          cost: 1,
        });
        const found = await compare(toCsv(reversed ? rows.toReversed() : rows), {
          service,
          columns: { ...COLUMNS, id: null, requests: 'requests', rows: 'day' },
          since: Date.UTC(2026, 10, 20),
          until: Date.UTC(2026, 10, 23),
        });
        const count = (wanted: string) => all.filter((row) => fateOf(row) === wanted).length;
        expect([
          found.equal,
          found.different.count,
          found.onlyInHistory.count,
          found.onlyInExport.count,
        ]).toEqual([count('kept'), count('changed'), count('removed'), 1]);
        const removed = all.filter((row) => fateOf(row) === 'removed');
        expect(found.difference.requests).toBe(
          3 - removed.reduce((sum, { requests = 0 }) => sum + requests, 0),
        );
      },
    ),
    { numRuns: 40 },
  );
});

describe('a request is found', () => {
  const row: Row = { at: START, model: 'acme/large', input: 10, output: 5, cost: 100 };

  test('by an id that a header of its answer had, whatever its time and tokens', async () => {
    const head = { received: null, sent: null, returned: null };
    const answered = ['content-type', 'text/plain', 'x-call', 'req-77'];
    folder.history.record(anExchange('ex-1', { startedAt: START + 3_000_000, cost: costOf(100) }), {
      ...head,
      answered,
    });
    await folder.record(anExchange('ex-2', { startedAt: START, cost: costOf(100) }));
    const found = await compare(
      toCsv([
        { ...row, id: 'req-77', input: 11 },
        { ...row, id: 'req-77' },
      ]),
    );
    expect(found.equal).toBe(1);
    expect(names(found.different)).toEqual(['ex-1']);
  });

  test('by the model that answered, at its end, and within five minutes', async () => {
    await folder.record(
      anExchange('ex-1', { startedAt: START, durationMs: 60_000, cost: costOf(100) }),
      anExchange('ex-2', { startedAt: START + 1_000_000, cost: costOf(101) }),
      anExchange('ex-3', { startedAt: START + 2_000_000, cost: costOf(100) }),
    );
    const found = await compare(
      toCsv([
        { ...row, at: START + 60_000, model: 'acme/large-2' },
        { ...row, at: START + 1_000_000 + 299_000, model: 'acme/large-2' },
        { ...row, at: START + 2_000_000 + 301_000, model: 'acme/large-2' },
      ]),
    );
    // Costs are rounded on both sides.
    expect(found.equal).toBe(2);
    expect(names(found.onlyInHistory)).toEqual(['ex-3']);
    expect(found.onlyInExport.first).toMatchObject([{ place: 4, exchange: null }]);
  });

  test('each once, also when all are equal', async () => {
    for (let place = 0; place < 3; place += 1) {
      await folder.record(anExchange(`ex-${place}`, { startedAt: START, cost: costOf(100) }));
    }
    const found = await compare(toCsv([row, row, row, row, row]));
    expect([found.equal, found.onlyInExport.count]).toEqual([3, 2]);
    expect(found.difference).toEqual({ requests: 2, input: 20, output: 10, cost: 200 });
  });

  test('only of this service, when it was sent, and had usage', async () => {
    await folder.record(
      anExchange('ex-1', { startedAt: START, service: 'https://other.example.com' }),
      anExchange('ex-2', { startedAt: START, attempts: 0 }),
      anExchange('ex-3', { startedAt: START, usage: usage(null, null, 'unknown') }),
      anExchange('ex-4', {
        startedAt: START,
        usage: usage(null, null, 'unknown'),
        cost: { amount: null, source: 'unknown', priceId: null },
      }),
    );
    const found = await compare(toCsv([row]));
    expect(names(found.different)).toEqual(['ex-4']);
    expect([found.history.requests, found.inexact, found.withoutCost]).toEqual([1, 1, 1]);
  });

  test('in its period only, with a partner just outside of it', async () => {
    await folder.record(
      anExchange('ex-1', { startedAt: START - 500, cost: costOf(100) }),
      anExchange('ex-2', { startedAt: START + DAY_MS - 500, cost: costOf(100) }),
    );
    const found = await compare(
      toCsv([
        { ...row, at: START + 100 },
        { ...row, at: START + DAY_MS + 100 },
      ]),
      { since: START, until: START + DAY_MS },
    );
    expect([found.equal, found.onlyInExport.count, found.onlyInHistory.count]).toEqual([1, 0, 0]);
    expect([found.export.requests, found.history.requests, found.outside]).toEqual([1, 1, 1]);
  });
});

describe('a hostile file', () => {
  const head = 'time,model,input,output,cost,id\n';
  const good = '2026-11-20T12:00:00Z,m,1,2,0.5,\n';

  test.each([
    ['binary', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0xff, 0xfe]), 'not text in UTF-8'],
    ['UTF-16', Buffer.from(`\uFEFF${head}${good}`, 'utf16le'), 'not text in UTF-8'],
    ['with NUL', `${head}a\0b`, 'not text in UTF-8'],
    ['empty', '', 'no rows'],
    ['with a header only', head, 'no rows'],
    ['with a quote that is not closed', `${head}${good}"m,1\n2,3\n`, 'Line '],
    ['of broken JSON lines', '{"time":1}\nnot json\n{"time":2}', 'not JSON'],
    ['of JSON that is cut off', '[{"time": "2026-11-20"}, {"time": "2026', 'ends within an entry'],
    ['of JSON with a wrong entry', '{"time":1}\n{"time" 2}', 'Entry 2: this is not JSON'],
  ])('%s is refused', async (_name, text, message) => {
    await expect(compare(text)).rejects.toThrow(message);
  });

  test.each([
    [
      'CSV',
      Buffer.concat([Buffer.from(`${head}${good}`), Buffer.alloc(64 << 20, 'x')]),
      'too long',
    ],
    ['CSV in one line', Buffer.alloc(64 << 20, 'x,'), 'too long'],
    ['JSON', Buffer.concat([Buffer.from('[{"a":"'), Buffer.alloc(64 << 20, 'x')]), 'too long'],
    ['JSON of brackets', Buffer.alloc(64 << 20, '['), 'ends within an entry'],
  ])('with a line of 64 MiB of %s is refused', async (_name, bytes, message) => {
    await expect(compare(bytes)).rejects.toThrow(message);
  });

  test.each([
    ['-1', 'is no whole number'],
    ['1.5', 'is no whole number'],
    ['NaN', 'is no whole number'],
    ['Infinity', 'is no whole number'],
    ['1e3', 'is no whole number'],
    ['9999999999999999', 'is no whole number'],
    ['0x10', 'is no whole number'],
  ])('with %s tokens says so and counts the other rows', async (tokens, reason) => {
    const found = await compare(`${head}2026-11-20T12:00:00Z,m,${tokens},2,0.5,\n${good}`);
    expect(found.unreadable).toEqual({
      count: 1,
      first: [{ place: 2, reason: expect.stringContaining(reason) }],
    });
    expect(found.export).toEqual({ requests: 1, input: 1, output: 2, cost: 500_000 });
  });

  test.each([
    ['2026-02-30,m,1,2,0.5,', 'is no time'],
    ['soon,m,1,2,0.5,', 'is no time'],
    ['2026-11-20T12:00:00Z,m,1,2,1e400,', 'is no amount'],
    ['2026-11-20T12:00:00Z,m,1,2,NaN,', 'is no amount'],
    ['2026-11-20T12:00:00Z,m,1', 'it has 3 cells'],
  ])('with the row %s names it', async (line, reason) => {
    const found = await compare(`${head}${good}${line}\n`);
    expect(found.unreadable.first).toEqual([{ place: 3, reason: expect.stringContaining(reason) }]);
  });

  test('of which no row can be read is refused with the first place', async () => {
    await expect(compare(`${head}x,m,1,2,3,\n`)).rejects.toThrow('Line 2: “time” is no time');
  });

  test('with a byte order mark, CRLF, formulas, credits and line ends within quotes is read', async () => {
    const text = `\uFEFF${head}2026-11-20T12:00:00Z,'=cmd|x,+1,2,-$0.25,\n"2026-11-20 12:00:01","two\nlines",3,,,\n`;
    const found = await compare(text.replaceAll('\n', '\r\n'));
    expect(found.unreadable.count).toBe(0);
    expect(found.export).toEqual({ requests: 2, input: 4, output: 2, cost: -250_000 });
    expect(found.onlyInExport.first.map(({ model }) => model)).toEqual(['=cmd|x', 'two\r\nlines']);
  });

  test('with columns of the same name and odd names is read', async () => {
    const found = await compare('time;cost;cost;__proto__;\n2026-11-20T12:00:00Z;1;2;4;8\n', {
      columns: {
        ...COLUMNS,
        model: null,
        id: null,
        cost: 'cost (2)',
        input: ['__proto__'],
        output: ['column 5'],
      },
    });
    expect(found.export).toEqual({ requests: 1, input: 4, output: 8, cost: 2_000_000 });
  });

  test('with numbers that cannot be added up is refused', async () => {
    const line = '2026-11-20T12:00:00Z,m,1,2,1000000000,\n';
    await expect(compare(head + line.repeat(10))).rejects.toThrow('too large to be added up');
  });
});

test.each([
  ['an array', (rows: string) => `[${rows}]`],
  [
    'an object with a list',
    (rows: string) => `{"object":"list","note":"a [{","data":[${rows}],"n":1}`,
  ],
  ['a list over several lines', (rows: string) => `{\n "data": [\n${rows}\n]\n}\n`],
  ['lines', (rows: string) => rows.replaceAll('},{', '}\n{')],
])('JSON as %s is read, with inner objects as columns', async (_name, wrap) => {
  const one = { time: START / 1_000, usage: { in: 3, out: { text: 4 } }, note: '}]{"\\' };
  const rows = [one, { ...one, usage: { in: null, out: { text: '5' } } }];
  const found = await compare(wrap(rows.map((row) => JSON.stringify(row)).join(',')), {
    columns: {
      ...COLUMNS,
      model: null,
      id: null,
      cost: null,
      input: ['usage.in'],
      output: ['usage.out.text'],
    },
  });
  expect(found.export).toEqual({ requests: 2, input: 3, output: 9, cost: 0 });
});

test('pieces of a file end anywhere', async () => {
  const rows = Array.from({ length: 4_000 }, (_, place): Row => {
    return { at: START + place * 10, model: `möde-${place % 7}`, input: place, output: 1, cost: 1 };
  });
  for (const write of [toCsv, toJsonLines]) {
    const found = await compare(write(rows), { columns: { ...COLUMNS, id: null } });
    expect(found.export).toEqual({ requests: 4_000, input: 7_998_000, output: 4_000, cost: 4_000 });
  }
});
