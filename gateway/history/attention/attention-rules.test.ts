import { expect, test } from 'vitest';
import { printFilter } from '../../../shared/filter-language/print-filter.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { RepairCode } from '../../../shared/exchange/repair.ts';
import { analyzeAttention as analyze, type AttentionInput } from './attention-rules.ts';
import { toCause } from '../failure-cause.ts';

const SERVICE = 'https://models.example.com';

function analyzeAttention(
  exchanges: readonly AttentionInput[],
  { reachable = false, keyMendedAt = 0 } = {},
) {
  return analyze(exchanges, { reachable, keyMendedAt, serviceName: 'Models' });
}

/** Creates exchanges newest first, one a second, all successful except for the given changes. */
function createExchanges(...changes: readonly Partial<AttentionInput>[]): AttentionInput[] {
  return changes.map((change, at) => {
    const endedBy = change.sent === false ? 'gateway' : 'service';
    const ended = { status: 200, errorCode: null, endedBy, ...change } as const;
    return {
      id: ExchangeId.parse(`e${at}`),
      startedAt: 100_000 - 1000 * at,
      times: 1,
      service: SERVICE,
      clientName: 'Cline',
      userAgent: 'Cline/3.0',
      cause: toCause(ended),
      unreachedMessage: null,
      sent: true,
      repairs: [],
      ...ended,
    };
  });
}

function times(count: number, change: Partial<AttentionInput>): Partial<AttentionInput>[] {
  return Array.from({ length: count }, () => change);
}

function repaired(...codes: readonly RepairCode[]): Partial<AttentionInput> {
  return {
    repairs: codes.map((code) => ({ code, before: 'b', after: 'a', advice: `Mend ${code}.` })),
  };
}

const REFUSED = { status: 401, errorCode: 'invalid_local_key', sent: false } as const;
const LOST = { status: 502, errorCode: 'upstream_unreachable' } as const;

test('successful exchanges, or none, need no attention', () => {
  expect(analyzeAttention([])).toEqual([]);
  expect(analyzeAttention(createExchanges(...times(30, {})))).toEqual([]);
});

test('a client needs attention if its latest exchange and two more of the latest ten failed', () => {
  const some = createExchanges(
    REFUSED,
    {},
    REFUSED,
    ...times(6, {}),
    REFUSED,
    ...times(5, REFUSED),
  );
  expect(analyzeAttention(some)).toEqual([
    {
      kind: 'client',
      id: '["client","Cline","invalid_local_key"]',
      clientName: 'Cline',
      others: [],
      reason: 'revoked key',
      userAgent: 'Cline/3.0',
      failures: 3,
      of: 10,
      uncounted: 0,
      shared: false,
      status: 401,
      errorCode: 'invalid_local_key',
      at: 100_000,
      filter: printFilter({
        services: [SERVICE],
        clients: ['Cline'],
        errors: ['invalid_local_key'],
        since: 91_000,
      }),
    },
  ]);
});

test('refusals by a limit or a pause neither make an alarm nor end one, and their number is told', () => {
  const chosen = { status: 402, errorCode: 'local_limit_reached', sent: false } as const;
  const paused = { status: 503, errorCode: 'paused', sent: false } as const;
  const one = createExchanges(chosen, paused, ...times(4, REFUSED), ...times(8, {}), chosen);
  expect(analyzeAttention(one)).toMatchObject([{ failures: 4, of: 10, uncounted: 2 }]);
  expect(analyzeAttention(createExchanges(...times(20, chosen)))).toEqual([]);
});

test('a page in the place of an answer is not the mistake of the client that got it', () => {
  const page = { errorCode: 'unexpected_content_type' } as const;
  expect(analyzeAttention(createExchanges(...times(3, page)))).toMatchObject([{ shared: true }]);
});

test('what Gatehouse refuses is the matter of each client, and what one client meets alone may be its own', () => {
  const full = { status: 503, errorCode: 'memory_full', endedBy: 'gateway' } as const;
  const both = times(3, full).flatMap((one) => [one, { ...one, clientName: 'Zed' }]);
  expect(analyzeAttention(createExchanges(...both))).toMatchObject([
    { clientName: 'Cline', others: [], shared: false },
    { clientName: 'Zed', others: [], shared: false },
  ]);
  const failed = { status: 500 } as const;
  expect(analyzeAttention(createExchanges(...times(3, failed)))).toMatchObject([{ shared: false }]);
  const other = times(3, failed).flatMap((one) => [one, { ...one, clientName: 'Zed' }]);
  expect(analyzeAttention(createExchanges(...other))).toMatchObject([
    { others: ['Zed'], shared: true },
  ]);
});

test.each([
  ['whose latest exchange was good', [{}, ...times(9, REFUSED)]],
  ['that failed twice', [REFUSED, REFUSED, {}, {}]],
  ['that failed long ago', [REFUSED, REFUSED, ...times(8, {}), ...times(9, REFUSED)]],
])('a client %s needs no attention', (_, changes) => {
  expect(analyzeAttention(createExchanges(...changes))).toEqual([]);
});

test('an unreachable service comes first, with the number of failures in a row', () => {
  const found = analyzeAttention(createExchanges(REFUSED, LOST, LOST, REFUSED, REFUSED, {}, LOST));
  expect(found.map(({ kind }) => kind)).toEqual(['unreachable', 'client']);
  expect(found[0]).toEqual({
    kind: 'unreachable',
    id: `["unreachable","${SERVICE}"]`,
    serviceName: 'Models',
    sentence: null,
    failures: 2,
    refused: 0,
    at: 99_000,
    filter: printFilter({
      services: [SERVICE],
      known: true,
      errors: ['upstream_unreachable', 'upstream_timeout', 'service_unavailable'],
      since: 98_000,
    }),
  });
});

test('one cause gives one alarm: clients that only fail because the service is unreachable get none', () => {
  const found = analyzeAttention(createExchanges(...times(5, LOST), {}));
  expect(found.map(({ kind }) => kind)).toEqual(['unreachable']);
});

test('requests that an open circuit refused are the same failure, but were not sent', () => {
  const refused = { status: 503, errorCode: 'service_unavailable', sent: false };
  const [found] = analyzeAttention(createExchanges(refused, refused, LOST, {}));
  expect(found).toMatchObject({ kind: 'unreachable', failures: 1, refused: 2 });
});

test('an alarm disappears when its cause does: a good test ends what did not reach the service', () => {
  expect(analyzeAttention(createExchanges(...times(5, LOST)), { reachable: true })).toEqual([]);
});

test('a service that has answered since, even with an error, is reachable', () => {
  expect(analyzeAttention(createExchanges({ status: 500 }, LOST, {}))).toEqual([]);
});

test('the cause of an unreachable service is that of the latest request that was sent', () => {
  const refused = { status: 503, errorCode: 'service_unavailable', sent: false };
  const lost = { ...LOST, unreachedMessage: 'Nothing is listening.' };
  const [found] = analyzeAttention(createExchanges(refused, lost, LOST, {}));
  expect(found).toMatchObject({ kind: 'unreachable', sentence: 'Nothing is listening.' });
});

const KEY_REFUSED = { status: 401, errorCode: 'invalid_api_key' } as const;

test('refusals of the service key are forgotten once the key is mended', () => {
  const refused = createExchanges(...times(5, KEY_REFUSED));
  expect(analyzeAttention(refused)).toMatchObject([{ kind: 'client', failures: 5 }]);
  expect(analyzeAttention(refused, { keyMendedAt: 100_500 })).toEqual([]);
  expect(analyzeAttention(refused, { keyMendedAt: 97_500 })).toMatchObject([{ failures: 3 }]);
  const accepted = createExchanges({ clientName: 'Codex' }, ...times(5, KEY_REFUSED));
  expect(analyzeAttention(accepted)).toEqual([]);
});

test('a retired local key is not mended by the service key', () => {
  const refused = createExchanges({ clientName: 'Codex' }, ...times(5, REFUSED));
  expect(analyzeAttention(refused, { keyMendedAt: 100_500 })).toMatchObject([
    { kind: 'client', clientName: 'Cline', failures: 5 },
  ]);
});

test('clients that fail for one cause of the service are one alarm, for mistakes of their own one each', () => {
  const clients = ['Cline', 'Codex', 'Zed'];
  const all = (change: Partial<AttentionInput>) =>
    times(3, change).flatMap((one) => clients.map((clientName) => ({ ...one, clientName })));
  expect(analyzeAttention(createExchanges(...all({ status: 500 })))).toEqual([
    expect.objectContaining({
      kind: 'client',
      id: '["clients","http_500"]',
      clientName: 'Cline',
      others: ['Codex', 'Zed'],
      failures: 9,
      of: 9,
      reason: 'service error',
      at: 100_000,
      filter: printFilter({ services: [SERVICE], clients, errors: ['http_500'], since: 92_000 }),
    }),
  ]);
  for (const shared of [
    { status: 429, errorCode: 'rate_limit_exceeded' },
    { status: 402 },
    { errorCode: 'upstream_connection_lost' },
    { errorCode: 'unexpected_content_type' },
    { status: 302, errorCode: 'redirected' },
  ]) {
    expect(analyzeAttention(createExchanges(...all(shared)))).toHaveLength(1);
  }
  const missing = { status: 404, errorCode: 'model_not_found' };
  expect(analyzeAttention(createExchanges(...all(missing)))).toHaveLength(3);
});

test('a repeated repair is reported once for each client, the most frequent first', () => {
  const path = repaired('path-missing-v1', 'path-missing-v1');
  const others = times(4, { ...repaired('model-id'), clientName: 'Codex' });
  expect(analyzeAttention(createExchanges(path, path, ...others, path))).toEqual([
    {
      kind: 'repair',
      id: '["repair","Codex","model-id"]',
      clientName: 'Codex',
      code: 'model-id',
      advice: 'Mend model-id.',
      times: 4,
      at: 98_000,
      filter: printFilter({
        services: [SERVICE],
        clients: ['Codex'],
        repairs: ['model-id'],
        since: 95_000,
      }),
    },
    {
      kind: 'repair',
      id: '["repair","Cline","path-missing-v1"]',
      clientName: 'Cline',
      code: 'path-missing-v1',
      advice: 'Mend path-missing-v1.',
      times: 3,
      at: 100_000,
      filter: printFilter({
        services: [SERVICE],
        clients: ['Cline'],
        repairs: ['path-missing-v1'],
        since: 94_000,
      }),
    },
  ]);
});

test.each([
  ['made twice', times(2, repaired('model-id'))],
  ['that was not needed any more', [...times(10, {}), ...times(9, repaired('model-id'))]],
  ['about which nothing can be done in the client', times(9, repaired('stream-decoded'))],
])('a repair %s is not reported', (_, changes) => {
  expect(analyzeAttention(createExchanges(...changes))).toEqual([]);
});

test('at most eight repairs are reported', () => {
  const clients = Array.from({ length: 12 }, (_, at) => ({
    ...repaired('model-id'),
    clientName: `Client ${at}`,
  }));
  expect(analyzeAttention(createExchanges(...clients, ...clients, ...clients))).toHaveLength(8);
});
