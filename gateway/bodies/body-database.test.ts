import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ExchangeId } from '../../shared/exchange/exchange.ts';
import { BodyDatabase, type KeptExchange } from './body-database.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-bodies-'));
  file = join(folder, 'bodies.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const toId = (place: number) => ExchangeId.parse(`ex-${place.toString(16).padStart(16, '0')}`);

const NOW = { now: 0, clients: [] };

function makeExchange(place: number, text: string, run = 'one'): KeptExchange {
  const body = {
    side: 'sent' as const,
    head: Buffer.from(text),
    tail: Buffer.alloc(0),
    binary: false,
    bytes: text.length,
    omitted: 0,
    contentType: 'application/json',
    masked: 0,
    eventTimes: null,
  };
  const id = toId(place);
  return { id, startedAt: place, run, kind: 'kind', client: null, facts: null, bodies: [body] };
}

/** The requests of an agent: each has all of the one before. */
function* makeTurns(count: number): Generator<string> {
  let messages = 'system prompt '.repeat(400);
  for (let turn = 0; turn < count; turn += 1) {
    messages += `turn ${turn}: ${Math.sin(turn).toString(36).repeat(20)} `;
    yield messages;
  }
}

test('the turns of a run are a small part of their size, and each is read as it was', () => {
  const database = new BodyDatabase(file);
  const turns = [...makeTurns(60)];
  for (const [place, text] of turns.entries()) database.keep([makeExchange(place, text)]);
  for (const [place, text] of turns.entries()) {
    expect(database.read(toId(place)).sent?.text).toBe(text);
  }
  const { exchanges, plain } = database.size(NOW);
  database.close();
  expect(exchanges).toBe(60);
  const reader = new DatabaseSync(file, { readOnly: true });
  const row = reader.prepare('select sum(length(content)) as stored from frame').get();
  reader.close();
  expect(plain / Number(row?.['stored'])).toBeGreaterThan(20);
});

test('a run begins with what it shares with the latest run of its kind', () => {
  const database = new BodyDatabase(file);
  const [first = ''] = makeTurns(1);
  database.keep([makeExchange(1, `${first}one`, 'a')]);
  database.keep([makeExchange(2, `${first}two`, 'b')]);
  expect(database.read(toId(2)).sent?.text).toBe(`${first}two`);
  database.close();
  const reader = new DatabaseSync(file, { readOnly: true });
  const rows = reader.prepare('select base from frame order by id').all();
  reader.close();
  expect(rows.map(({ base }) => base)).toEqual([null, 1]);
});

test('whatever is deleted, the rest is read as it was, also after a restart', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('keep' as const),
      run: fc.constantFrom('a', 'b'),
      size: fc.nat(5_000),
    }),
    fc.record({ kind: fc.constant('prune' as const), before: fc.nat(60) }),
    fc.record({ kind: fc.constant('only' as const), modulus: fc.integer({ min: 2, max: 4 }) }),
    fc.record({ kind: fc.constant('reopen' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let database = new BodyDatabase(file);
      const expected = new Map<number, string>();
      let next = 0;
      for (const action of steps) {
        if (action.kind === 'keep') {
          const text = `${'shared '.repeat(action.size / 10)}${next}`;
          database.keep([makeExchange(next, text, action.run)]);
          expected.set(next, text);
          next += 1;
        } else if (action.kind === 'prune') {
          while (
            database.prune({ before: action.before, bytes: 2 ** 40, none: false, clients: [] })
          );
          for (const place of expected.keys()) if (place < action.before) expected.delete(place);
        } else if (action.kind === 'only') {
          const ids = [...expected.keys()].filter((place) => place % action.modulus !== 0);
          const gone = [...expected.keys()].filter((place) => !ids.includes(place));
          database.delete(gone.map(toId));
          for (const place of expected.keys()) if (!ids.includes(place)) expected.delete(place);
        } else {
          database.close();
          database = new BodyDatabase(file);
        }
      }
      for (let place = 0; place < next; place += 1) {
        expect(database.read(toId(place)).sent?.text).toBe(expected.get(place));
      }
      expect(database.size(NOW).exchanges).toBe(expected.size);
      database.delete([...expected.keys()].map(toId));
      expect(database.size(NOW)).toMatchObject({ exchanges: 0, plain: 0 });
      database.close();
      rmSync(file);
    }),
    { numRuns: 40 },
  );
});

/** Makes the content of a frame unreadable, as a fault of the disk would. */
function damageFrame(id: number): void {
  const other = new DatabaseSync(file);
  other.prepare("update frame set content = x'00' where id = ?").run(id);
  other.close();
}

test('a damaged frame keeps no other from being deleted, nor is it deleted with another', () => {
  const before = new BodyDatabase(file);
  const turns = [...makeTurns(3)];
  for (const [place, text] of turns.entries()) before.keep([makeExchange(place, text)]);
  before.close();
  damageFrame(2);
  const database = new BodyDatabase(file);
  database.delete([toId(0)]);
  expect(database.read(toId(0)).state).toBe('absent');
  expect(() => database.read(toId(1))).toThrow('Unknown frame descriptor');
  database.delete([toId(1)]);
  database.delete([toId(2)]);
  expect(database.size(NOW).exchanges).toBe(0);
  database.close();
});

test('what follows a damaged frame is stored without it', () => {
  const database = new BodyDatabase(file);
  const [first = '', second = ''] = makeTurns(2);
  database.keep([makeExchange(1, first, 'a')]);
  // So much is not kept in memory, and the frame has to be read.
  const large = 'x'.repeat(17 * 2 ** 20);
  database.keep([{ ...makeExchange(2, large, 'b'), kind: 'another' }]);
  damageFrame(1);
  database.keep([makeExchange(3, second, 'a')]);
  expect(database.read(toId(3)).sent?.text).toBe(second);
  expect(() => database.read(toId(1))).toThrow('Unknown frame descriptor');
  database.close();
});

test('a client with a time of its own is pruned by that', () => {
  const database = new BodyDatabase(file);
  const keep = (place: number, client: string | null) =>
    database.keep([{ ...makeExchange(place, `text ${place}`), client }]);
  for (const [place, client] of [null, 'usual', 'short', 'long', 'short', 'usual'].entries()) {
    keep(place, client);
  }
  const clients = [
    { client: 'short', before: 10, none: false },
    { client: 'long', before: 0, none: false },
  ];
  while (database.prune({ before: 4, bytes: 2 ** 40, none: false, clients }));
  const kept = [0, 1, 2, 3, 4, 5].filter((place) => database.read(toId(place)).state === 'kept');
  expect(kept).toEqual([3, 5]);
  database.close();
});

/** Makes text that compresses badly. */
const makeNoise = (place: number) =>
  Array.from({ length: 3_000 }, (_, at) => Math.abs(Math.sin(place * 7919 + at)).toString(36)).join(
    '',
  );

test('deleting gives the disk back, and the limit of bytes deletes the oldest first', () => {
  const database = new BodyDatabase(file);
  for (let place = 0; place < 300; place += 1) {
    database.keep([makeExchange(place, makeNoise(place), `run ${place}`)]);
  }
  const before = database.size(NOW);
  const limit = before.stored / 2;
  while (database.prune({ before: 0, bytes: limit, none: false, clients: [] }));
  const after = database.size(NOW);
  expect(after.stored).toBeLessThanOrEqual(limit * 0.95);
  expect(after.exchanges).toBeGreaterThan(100);
  expect(database.read(toId(299)).state).toBe('kept');
  expect(database.read(toId(0)).state).toBe('absent');
  expect(statSync(file).size).toBeLessThanOrEqual(limit + 4096);
  // The next exchanges fit, so that nothing is deleted for each of them.
  database.keep([makeExchange(300, makeNoise(300), 'run 300')]);
  expect(database.prune({ before: 0, bytes: limit, none: false, clients: [] })).toBe(false);
  expect(database.size(NOW).exchanges).toBe(after.exchanges + 1);
  database.close();
});

test('only this user may read the file', () => {
  new BodyDatabase(file).close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

/** Returns which of the first exchanges are stored. */
const listKept = (database: BodyDatabase, count: number) =>
  Array.from({ length: count }, (_, place) => place).filter(
    (place) => database.read(toId(place)).state === 'kept',
  );

test('pinned exchanges stay when they are old, unless nothing is kept', () => {
  const database = new BodyDatabase(file);
  for (const [place, client] of [null, 'own', null, 'own', 'none', 'none'].entries()) {
    database.keep([{ ...makeExchange(place, `text ${place}`), client }]);
  }
  database.pin([0, 1, 4].map(toId), true);
  const clients = [
    { client: 'own', before: 10, none: false },
    { client: 'none', before: 10, none: true },
  ];
  while (database.prune({ before: 10, bytes: 2 ** 40, none: false, clients }));
  expect(listKept(database, 6)).toEqual([0, 1]);
  database.pin([toId(0)], false);
  while (database.prune({ before: 10, bytes: 2 ** 40, none: false, clients }));
  expect(listKept(database, 6)).toEqual([1]);
  while (database.prune({ before: 10, bytes: 2 ** 40, none: true, clients }));
  // The client has a limit of its own.
  expect(listKept(database, 6)).toEqual([1]);
  database.close();
});

test('pinned exchanges go last when there is too much', () => {
  const database = new BodyDatabase(file);
  for (let place = 0; place < 200; place += 1) {
    database.keep([makeExchange(place, makeNoise(place), `run ${place}`)]);
  }
  database.pin(
    Array.from({ length: 50 }, (_, place) => toId(place)),
    true,
  );
  const limit = database.size(NOW).stored / 2;
  while (database.prune({ before: 0, bytes: limit, none: false, clients: [] }));
  const kept = listKept(database, 200);
  expect(kept.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, place) => place));
  expect(kept.length).toBeLessThan(110);
  while (database.prune({ before: 0, bytes: 40_000, none: false, clients: [] }));
  expect(listKept(database, 200).length).toBeLessThan(50);
  database.close();
});

test('no pinned exchange goes for the size of one that is not', () => {
  const database = new BodyDatabase(file);
  for (let place = 0; place < 100; place += 1) {
    database.keep([makeExchange(place, `text ${place}`, `run ${place}`)]);
  }
  database.pin(
    Array.from({ length: 100 }, (_, place) => toId(place)),
    true,
  );
  const small = database.size(NOW).stored;
  for (let place = 100; place < 105; place += 1) {
    database.keep([makeExchange(place, makeNoise(place).repeat(8), `run ${place}`)]);
  }
  // So much that the pinned ones alone are more than pruning leaves otherwise.
  while (database.prune({ before: 0, bytes: small * 1.02, none: false, clients: [] }));
  expect(listKept(database, 105)).toEqual(Array.from({ length: 100 }, (_, place) => place));
  database.close();
});

test('the pins become those of the history', () => {
  const database = new BodyDatabase(file);
  for (let place = 0; place < 4; place += 1) database.keep([makeExchange(place, `text ${place}`)]);
  database.pin([0, 1].map(toId), true);
  database.setPinned([1, 2, 9].map(toId));
  while (database.prune({ before: 10, bytes: 2 ** 40, none: false, clients: [] }));
  expect(listKept(database, 4)).toEqual([1, 2]);
  database.close();
});

test('a database of a version without pins keeps its contents, and has pins', () => {
  const before = new BodyDatabase(file);
  before.keep([makeExchange(1, 'one')]);
  before.close();
  const earlier = new DatabaseSync(file);
  earlier.exec('drop index exchange_age; alter table exchange drop column pinned');
  earlier.close();
  const after = new BodyDatabase(file);
  after.pin([toId(1)], true);
  while (after.prune({ before: 10, bytes: 2 ** 40, none: false, clients: [] }));
  expect(after.read(toId(1)).sent?.text).toBe('one');
  after.close();
});

test('what a shorter time would free is told, but for pinned exchanges and clients with a limit of their own', () => {
  const database = new BodyDatabase(file);
  const day = 86_400_000;
  const now = 100 * day;
  const texts = [...makeTurns(6)];
  const keep = (place: number, days: number, client: string | null = null) => {
    const run = `run ${place}`;
    const exchange = { ...makeExchange(place, texts[place] ?? '', run), kind: run, client };
    database.keep([{ ...exchange, startedAt: now - days * day }]);
  };
  keep(0, 0.5);
  keep(1, 2);
  keep(2, 5);
  keep(3, 6, 'own');
  keep(4, 6);
  database.pin([toId(4)], true);
  const { freed, stored } = database.size({ now, clients: ['own'] });
  expect(freed.map(({ days }) => days)).toEqual([1, 3]);
  const [one, three] = freed.map(({ bytes }) => bytes / stored);
  expect(one).toBeCloseTo(2 / 5, 1);
  expect(three).toBeCloseTo(1 / 5, 1);
  expect(database.size({ now, clients: [] }).freed[1]?.bytes).toBeGreaterThan((1.5 * stored) / 5);
  database.delete([0, 1, 2, 3, 4].map(toId));
  expect(database.size({ now, clients: [] }).freed).toEqual([]);
  database.close();
});
