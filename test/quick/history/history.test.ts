import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type History,
  type HistoryOptions,
  openHistory,
} from '../../../gateway/history/history.ts';
import { openStore, type Store } from '../../../gateway/store/store.ts';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { parseFilter } from '../../../shared/filter-language/parse.ts';
import { toFilter } from '../../../shared/filter-language/to-filter.ts';
import { anExchange as exchange } from '../../kit/history/an-exchange.ts';
import { ALL_SERVICES } from '../../kit/history/usage-query.ts';

const NOON = new Date(2026, 10, 21, 12).getTime();
const DAY = 24 * 3_600_000;
/** The service of the exchanges, in use all the time. */
const IN_USE = {
  service: 'https://models.example.com',
  usedSince: 0,
  reachable: false,
  serviceName: 'Models',
  keyMendedAt: 0,
};

let folder: string;
let store: Store;
let history: History;
let logged: string[];
let keepDays: number;

function begin(options: Partial<HistoryOptions> = {}): History {
  history = openHistory({
    store,
    now: () => NOON,
    redact: (text) => text.replaceAll('SECRET', '[removed]'),
    log: (_level, message) => logged.push(message),
    getRetention: () => ({ days: keepDays, headersDays: 7 }),
    ...options,
  });
  return history;
}

async function record(...exchanges: ExchangeRecord[]): Promise<void> {
  for (const one of exchanges) history.record(one);
  await history.flush();
}

async function ids(filter: Parameters<History['list']>[0]): Promise<string[]> {
  return (await history.list(filter)).map((one) => one.id);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-history-'));
  store = await openStore(join(folder, 'gatehouse.db'));
  logged = [];
  keepDays = 90;
  begin();
});

afterEach(async () => {
  await history.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

describe('recording', () => {
  it('finds an exchange by its id before it is written', async () => {
    begin();
    history.record(exchange('ex-1'));
    expect((await history.get(exchange('ex-1').id))?.exchange.id).toBe('ex-1');
  });

  it('keeps every field of an exchange', async () => {
    const full = exchange('full');
    const bare = exchange('bare', {
      startedAt: NOON - 1,
      clientId: null,
      clientName: null,
      conversation: null,
      userAgent: null,
      pathSent: null,
      modelAsked: null,
      modelSent: null,
      modelServed: null,
      streamed: false,
      status: null,
      errorCode: 'upstream_timeout',
      errorMessage: 'The service did not answer in time.',
      endedBy: 'client',
      repairs: [],
      firstByteMs: null,
      overheadMs: null,
      usage: UNKNOWN_USAGE,
    });
    await record(full, bare);
    expect(await history.list({ limit: 10 })).toEqual([full, bare]);
  });

  it('keeps the order of recording among exchanges of known and unknown callers', async () => {
    const unknown = { clientId: null, clientName: null };
    await record(exchange('a', unknown), exchange('b'), exchange('c', unknown), exchange('d'));
    expect(await ids({ limit: 10 })).toEqual(['d', 'c', 'b', 'a']);
  });

  it('writes by itself soon, and notifies its listeners', async () => {
    const written = new Promise<number>((resolve) => history.on(resolve));
    history.record(exchange('a'));
    history.record(exchange('b'));
    expect(await written).toBe(2);
    expect(await ids({ limit: 10 })).toEqual(['b', 'a']);
  });

  it('removes a secret from every text that came from outside', async () => {
    const text = 'a SECRET b';
    const repair = { code: 'key-redacted', before: text, after: text, advice: text };
    await record(
      exchange('x', {
        clientId: text,
        clientName: text,
        conversation: text,
        userAgent: text,
        method: text,
        pathReceived: text,
        pathSent: text,
        modelAsked: text,
        modelSent: text,
        modelServed: text,
        errorCode: text,
        errorMessage: text,
        repairs: [repair],
      }),
    );
    const rows = await store.db.selectFrom('exchange').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('SECRET');
    expect(JSON.stringify(rows).match(/a \[removed\] b/g)).toHaveLength(15);
  });

  it('stores nothing of an exchange whose texts cannot be redacted', async () => {
    await history.close();
    begin({
      redact: () => {
        throw new Error('broken');
      },
    });
    await record(exchange('x'));
    expect(history.dropped).toBe(1);
    expect(await ids({ limit: 10 })).toEqual([]);
  });

  it('drops and counts what exceeds the buffer, and never throws', async () => {
    const dropped: string[] = [];
    history.onDropped((some) => dropped.push(...some));
    for (let i = 0; i < 10_100; i += 1) history.record(exchange(`e${i}`));
    await history.flush();
    expect(history.dropped).toBe(100);
    expect(dropped).toEqual(Array.from({ length: 100 }, (_, index) => `e${10_000 + index}`));
    expect(await history.list({ limit: 20_000 })).toHaveLength(10_000);
  });

  it('loses only the row that cannot be written, and logs it once', async () => {
    await record(exchange('same'));
    const wrong = { ...exchange('wrong'), bytesIn: 0.5 };
    const dropped: string[] = [];
    const stop = history.onDropped((some) => dropped.push(...some));
    await record(exchange('a'), exchange('same'), wrong, exchange('b'));
    stop();
    expect(history.dropped).toBe(2);
    expect(dropped).toEqual(['same', 'wrong']);
    expect(logged).toEqual(['Exchanges could not be written to the history.']);
    expect((await ids({ limit: 10 })).toSorted()).toEqual(['a', 'b', 'same']);
  });

  it('survives a closed store', async () => {
    await store.close();
    await record(exchange('a'), exchange('b'));
    expect(history.dropped).toBe(2);
  });

  it('writes the buffer when it closes, and counts later exchanges as dropped', async () => {
    history.record(exchange('left'));
    await history.close();
    history.record(exchange('late'));
    expect(history.dropped).toBe(1);
    expect(await ids({ limit: 10 })).toEqual(['left']);
  });

  it('continues after a listener throws', async () => {
    history.on(() => {
      throw new Error('listener');
    });
    await record(exchange('a'));
    await record(exchange('b'));
    expect(await ids({ limit: 10 })).toEqual(['b', 'a']);
  });
});

describe('the list', () => {
  it('is newest first and continues after the last of a page, even within one millisecond', async () => {
    await record(
      exchange('old', { startedAt: NOON - 5 }),
      exchange('same 1'),
      exchange('same 2'),
      exchange('same 3'),
      exchange('new', { startedAt: NOON + 5 }),
    );
    expect(await ids({ limit: 2 })).toEqual(['new', 'same 3']);
    const page = await history.page({ filter: {}, limit: 2 });
    const rest = await history.page({ filter: {}, limit: 9, before: page.next ?? undefined });
    expect(rest.exchanges.map(({ id }) => id)).toEqual(['same 2', 'same 1', 'old']);
    expect(rest.next).toBeNull();
  });

  it('filters by status, class of status, client and model', async () => {
    await record(
      exchange('ok', { startedAt: NOON - 9 }),
      exchange('limited', { startedAt: NOON - 8, status: 429 }),
      exchange('refused', { startedAt: NOON - 7, status: 400, clientName: 'Codex' }),
      exchange('unsent', { startedAt: NOON - 6, modelSent: null, status: 503 }),
      exchange('left', { startedAt: NOON - 5, status: null, endedBy: 'client' }),
    );
    const limit = 10;
    const refused = { statuses: [{ from: 400, to: 499 }] };
    const limited = { statuses: [{ from: 429, to: 429 }] };
    expect(await ids({ limit, filter: limited })).toEqual(['limited']);
    expect(await ids({ limit, filter: refused })).toEqual(['refused', 'limited']);
    expect(await ids({ limit, filter: { clients: ['Codex'] } })).toEqual(['refused']);
    expect(await ids({ limit, filter: { models: ['large'] } })).toEqual(['unsent']);
    const filter = { models: ['acme/large'], clients: ['Cline'], ...refused };
    expect(await ids({ limit, filter })).toEqual(['limited']);
  });
});

describe('usage', () => {
  it('is summed per model, with the share that is known', async () => {
    await record(exchange('a'));
    await record(
      exchange('b', { usage: { ...exchange('b').usage, input: 100, reasoning: 2 } }),
      exchange('c', { usage: UNKNOWN_USAGE, status: 500 }),
      exchange('d', { usage: UNKNOWN_USAGE, modelAsked: null, modelSent: null, errorCode: 'cut' }),
      exchange('e', { usage: { ...exchange('e').usage, source: 'estimated' } }),
    );
    expect(await history.usage('model', ALL_SERVICES)).toMatchObject([
      {
        key: null,
        exchanges: 1,
        errors: 1,
        input: null,
        output: null,
        cacheRead: null,
        cacheWrite: null,
        reasoning: null,
        reported: 0,
        estimated: 0,
        unknown: 1,
        cost: null,
        costEstimated: 0,
        unpriced: 0,
      },
      {
        key: 'acme/large',
        exchanges: 4,
        errors: 1,
        input: 120,
        output: 15,
        cacheRead: 12,
        cacheWrite: 0,
        reasoning: 2,
        reported: 2,
        estimated: 1,
        unknown: 0,
      },
    ]);
  });

  it('lacks the tokens of answers only: not of refusals, and not of routes without tokens', async () => {
    await record(
      exchange('a', { usage: UNKNOWN_USAGE }),
      exchange('b', { usage: UNKNOWN_USAGE, status: 429 }),
      exchange('c', { usage: UNKNOWN_USAGE, route: 'models' }),
      exchange('d', { usage: UNKNOWN_USAGE, attempts: 0 }),
      exchange('e', { usage: UNKNOWN_USAGE, route: 'video-submit' }),
    );
    expect(await history.usage('day', ALL_SERVICES)).toMatchObject([
      { exchanges: 5, reported: 0, estimated: 0, unknown: 1 },
    ]);
  });

  it('is summed without an error for absurd stored counts', async () => {
    const absurd = { ...exchange('a').usage, input: Number.MAX_SAFE_INTEGER, cacheRead: 2 ** 52 };
    await record(...['a', 'b', 'c'].map((id) => exchange(id, { usage: absurd })));
    const [row] = await history.usage('model', ALL_SERVICES);
    expect(row?.input).toBeGreaterThan(2e16);
    expect(row?.cacheRead).toBeGreaterThan(1e16);
  });

  it('is counted by local calendar day, newest first', async () => {
    const midnight = new Date(2026, 10, 21).getTime();
    await record(
      exchange('before', { startedAt: midnight - 1 }),
      exchange('after', { startedAt: midnight }),
      exchange('last', { startedAt: new Date(2026, 10, 22).getTime() - 1 }),
    );
    const days = await history.usage('day', ALL_SERVICES);
    expect(days.map((row) => [row.key, row.exchanges])).toEqual([
      ['2026-11-21', 2],
      ['2026-11-20', 1],
    ]);
  });

  it('is counted by client', async () => {
    await record(exchange('a'), exchange('b', { clientName: 'Codex' }), exchange('c'));
    const rows = await history.usage('client', ALL_SERVICES);
    expect(rows.map((row) => [row.key, row.exchanges])).toEqual([
      ['Cline', 2],
      ['Codex', 1],
    ]);
  });
});

describe('the last thirty days', () => {
  it('are complete, today last, with their sums', async () => {
    const today = exchange('today');
    const failed = exchange('failed', { status: 500, usage: UNKNOWN_USAGE });
    await record(
      today,
      failed,
      exchange('first', { startedAt: new Date(2026, 9, 23).getTime() }),
      exchange('before', { startedAt: new Date(2026, 9, 23).getTime() - 1 }),
    );
    const days = await history.days('services');
    expect(days).toHaveLength(30);
    expect(days[0]).toMatchObject({ day: '2026-10-23', exchanges: 1, input: 10 });
    expect(days[1]).toEqual({
      day: '2026-10-24',
      exchanges: 0,
      errors: 0,
      refused: 0,
      input: null,
      output: null,
      reported: 0,
      estimated: 0,
      unknown: 0,
      cost: null,
      costEstimated: 0,
      unpriced: 0,
    });
    expect(days.at(-1)).toMatchObject({
      day: '2026-11-21',
      exchanges: 2,
      errors: 1,
      input: 10,
      output: 5,
      reported: 1,
      estimated: 0,
      unknown: 0,
      cost: null,
      costEstimated: 0,
      unpriced: 0,
    });
  });
});

describe('what needs attention', () => {
  it('is searched in the last 24 hours', async () => {
    const lost = { status: 502, errorCode: 'upstream_unreachable', repairs: [] };
    await record(exchange('old', { ...lost, startedAt: NOON - DAY - 1 }));
    expect(await history.attention(IN_USE)).toEqual([]);
    await record(exchange('new', { ...lost, startedAt: NOON - DAY }));
    expect(await history.attention(IN_USE)).toEqual([
      expect.objectContaining({ kind: 'unreachable', failures: 1, at: NOON - DAY }),
    ]);
  });

  it('includes repairs and failing clients, but not clients that disconnected', async () => {
    const left = { status: null, endedBy: 'client', repairs: [] };
    for (let at = 0; at < 5; at += 1) {
      await record(
        exchange(`l${at}`, { ...left, clientName: 'Leaving' }),
        exchange(`f${at}`, { status: 429, clientName: 'Failing', repairs: [] }),
        exchange(`r${at}`, { clientName: 'Repaired' }),
      );
    }
    const found = await history.attention(IN_USE);
    expect(found).toMatchObject([
      { kind: 'client', clientName: 'Failing', failures: 5, of: 5, status: 429 },
      { kind: 'repair', clientName: 'Repaired', times: 5, advice: 'Add "/v1".' },
    ]);
  });
});

describe('requests without a valid local key', () => {
  const refused = {
    clientId: null,
    clientName: null,
    status: 401,
    errorCode: 'missing_local_key',
    repairs: [],
    attempts: 0,
  };

  it('need attention by program and cause, with their number and their latest time', async () => {
    const lastAt = NOON - 1000;
    await record(
      exchange('old', { ...refused, startedAt: NOON - DAY - 1000, times: 36 }),
      exchange('grows', { ...refused, startedAt: NOON - 60_000, lastAt, times: 36 }),
      exchange('later', { ...refused, startedAt: NOON - 10, errorCode: 'invalid_local_key' }),
      exchange('other', { ...refused, startedAt: NOON - 9, userAgent: null, times: 3 }),
    );
    const found = await history.attention(IN_USE);
    expect(found).toMatchObject([
      { kind: 'unknown', userAgent: null, requests: 3, errorCode: 'missing_local_key' },
      { userAgent: 'Cline/3.0', requests: 36, errorCode: 'missing_local_key', at: lastAt },
    ]);
    for (const attention of found) {
      if (!('filter' in attention)) throw new Error('It has no filter.');
      const terms = parseFilter(attention.filter).terms.map(({ term }) => term);
      const filter = toFilter(terms, { now: NOON, services: [] });
      const { exchanges } = await history.page({ filter, limit: 10 });
      expect(exchanges.map(({ id }) => id)).toEqual([
        attention.kind === 'unknown' && attention.userAgent === null ? 'other' : 'grows',
      ]);
    }
  });

  it('need none once the program sends a valid key', async () => {
    await record(
      exchange('refused', { ...refused, startedAt: NOON - 60_000, times: 36 }),
      exchange('accepted', { startedAt: NOON, repairs: [] }),
    );
    expect(await history.attention(IN_USE)).toEqual([]);
  });

  it('do not displace failing clients from that list', async () => {
    for (let at = 0; at < 3; at += 1) await record(exchange(`f${at}`, { status: 500 }));
    for (let at = 0; at < 2_500; at += 1)
      history.record(exchange(`u${at}`, { ...refused, startedAt: NOON + at }));
    await history.flush();
    expect((await history.attention(IN_USE)).map(({ kind }) => kind)).toContain('client');
  });

  it('are found by a filter, with the index and by time', async () => {
    await record(exchange('known'), exchange('unknown', refused));
    for (const filter of [{ known: false }, { known: false, text: 'missing' }]) {
      const { exchanges } = await history.page({ filter, limit: 10 });
      expect(exchanges.map(({ id }) => id)).toEqual(['unknown']);
      expect(await history.count(filter, 10)).toBe(1);
    }
    const { exchanges } = await history.page({ filter: { known: true }, limit: 10 });
    expect(exchanges.map(({ id }) => id)).toEqual(['known']);
  });
});

describe('pruning', () => {
  it('deletes what is older than a limit, in more than one batch', async () => {
    for (let i = 0; i < 1_200; i += 1)
      history.record(exchange(`o${i}`, { startedAt: NOON - 2 * DAY }));
    await record(exchange('kept'));
    keepDays = 1;
    expect(await history.prune()).toBe(1_200);
    expect(await ids({ limit: 10 })).toEqual(['kept']);
  });

  it('deletes exchanges older than 90 days when the history opens', async () => {
    await record(
      exchange('91 days', { startedAt: NOON - 91 * DAY }),
      exchange('89 days', { startedAt: NOON - 89 * DAY }),
    );
    await history.close();
    begin();
    await history.prune();
    expect(await ids({ limit: 10 })).toEqual(['89 days']);
  });
});
