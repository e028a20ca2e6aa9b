import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { History } from '../../gateway/history/history.ts';
import { tokenize } from '../../gateway/history/tokenize.ts';
import { type ExchangeRecord, RouteName } from '../../shared/exchange.ts';
import type { HistoryFilter } from '../../shared/history.ts';
import { RepairCode } from '../../shared/repair.ts';
import { anExchange } from '../kit/an-exchange.ts';
import { NOON, openHistoryFolder } from '../kit/history-folder.ts';

/** Collects all pages of a filter. */
async function allOf(history: History, filter: HistoryFilter, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let before: ExchangeRecord['id'] | undefined;
  do {
    const page = await history.page({ filter, limit, before });
    ids.push(...page.exchanges.map(({ id }) => id));
    before = page.next ?? undefined;
  } while (before !== undefined);
  return ids;
}

const NAMES = [null, 'Cline', 'Claude Code', 'Öl-Büro', '日本', '_c', '~x'];
const MODELS = [null, 'acme/large-2', 'acme/small', 'orion "x" AND y', 'large*'];
const TEXTS = [null, 'ab cd', 'Ab-12', 'rate limit: 3f9a', 'über', '~ab', 'OR NOT ("'];

const someExchange = fc.record({
  startedAt: fc.integer({ min: NOON - 5, max: NOON + 5 }),
  clientName: fc.constantFrom(...NAMES),
  conversation: fc.constantFrom(...TEXTS),
  userAgent: fc.constantFrom(...TEXTS),
  route: fc.constantFrom(...RouteName.options),
  pathReceived: fc.constantFrom('/v1/chat/completions', '/v1/messages?x=1', '/'),
  modelAsked: fc.constantFrom(...MODELS),
  modelSent: fc.constantFrom(...MODELS),
  modelServed: fc.constantFrom(...MODELS),
  streamed: fc.boolean(),
  status: fc.constantFrom(null, 101, 200, 204, 301, 404, 429, 500),
  errorCode: fc.constantFrom(null, 'rate_limit', 'x'),
  errorMessage: fc.constantFrom(...TEXTS),
  endedBy: fc.constantFrom('service', 'client', 'gateway'),
  repairs: fc
    .subarray(RepairCode.options, { maxLength: 2 })
    .map((codes) => codes.map((code) => ({ code, before: 'b', after: 'a', advice: 'secretly' }))),
});

const someFilter = fc.record(
  {
    text: fc.constantFrom(
      '',
      'a',
      'ab',
      'AB c',
      'lar',
      'über',
      'rate_l',
      'x',
      '日',
      '"',
      '_c',
      'OR',
    ),
    clients: fc.subarray(NAMES.filter((name) => name !== null)),
    models: fc.subarray(MODELS.filter((name) => name !== null)),
    routes: fc.subarray(RouteName.options),
    outcome: fc.constantFrom('2xx', '3xx', '4xx', '5xx', 'failed'),
    repaired: fc.boolean(),
    streamed: fc.boolean(),
    since: fc.oneof(fc.integer({ min: NOON - 6, max: NOON + 6 }), fc.maxSafeInteger()),
    until: fc.oneof(fc.integer({ min: NOON - 6, max: NOON + 6 }), fc.maxSafeInteger()),
  },
  { requiredKeys: [] },
);

function among(list: readonly string[] | undefined, value: string | null): boolean {
  return list === undefined || list.length === 0 || (value !== null && list.includes(value));
}

/** Implements a filter in the simplest way. */
function letsThrough(filter: HistoryFilter, one: ExchangeRecord): boolean {
  const { text = '', outcome, repaired, streamed, since, until } = filter;
  return (
    tokenize(text).every((word) => searchedOf(one).some((found) => found.startsWith(word))) &&
    among(filter.clients, one.clientName) &&
    among(filter.models, one.modelSent ?? one.modelAsked) &&
    among(filter.routes, one.route) &&
    (outcome === undefined || hasOutcome(outcome, one)) &&
    (repaired === undefined || repaired === one.repairs.length > 0) &&
    (streamed === undefined || streamed === one.streamed) &&
    (since === undefined || one.startedAt >= since) &&
    (until === undefined || one.startedAt < until)
  );
}

function searchedOf(one: ExchangeRecord): string[] {
  const { pathReceived, modelAsked, modelSent, modelServed, clientName, userAgent } = one;
  const { conversation, errorCode, errorMessage } = one;
  const texts = [pathReceived, modelAsked, modelSent, modelServed, clientName, userAgent];
  const codes = one.repairs.map(({ code }) => code);
  return [...texts, conversation, errorCode, errorMessage, ...codes].flatMap((text) =>
    tokenize(text ?? ''),
  );
}

function hasOutcome(outcome: string, { status, errorCode, endedBy }: ExchangeRecord): boolean {
  if (outcome !== 'failed') return String(status).startsWith(outcome.charAt(0));
  return errorCode !== null || status === null || status >= 400 || endedBy === 'client';
}

/** Sorts like the history: by start, then the later written first. */
function newestFirst(exchanges: readonly ExchangeRecord[]): ExchangeRecord[] {
  return exchanges.toReversed().toSorted((a, b) => b.startedAt - a.startedAt);
}

describe('Pages and counts', () => {
  test.each([
    ['with the search index', {}],
    ['without it, but for words', { getRetention: null }],
  ])('%s contain everything that any filter matches, and nothing else', async (_, options) => {
    await using folder = await openHistoryFolder(options);
    const { history } = folder;
    const cases = fc.tuple(
      fc.array(someExchange, { minLength: 1, maxLength: 25 }),
      fc.array(someFilter, { minLength: 8, maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
    );
    const property = fc.asyncProperty(cases, async ([drawn, filters, limit]) => {
      await history.erase();
      const exchanges = drawn.map((fields, at) => anExchange(String(at), fields));
      await folder.record(...exchanges);
      for (const drawnFilter of filters) {
        const filter =
          'getRetention' in options ? { ...drawnFilter, text: undefined } : drawnFilter;
        const expected = newestFirst(exchanges).filter((one) => letsThrough(filter, one));
        const ids = expected.map(({ id }) => id);
        // The filters run one after the other, because they share the history.
        expect(await allOf(history, filter, limit)).toEqual(ids);
        expect(await history.count(filter, 7)).toBe(Math.min(7, ids.length));
      }
    });
    await fc.assert(property, { numRuns: 30 });
  });
});

describe('A word', () => {
  test('is found by its beginning among very many with the same beginning', async () => {
    await using folder = await openHistoryFolder();
    const many = Array.from({ length: 400 }, (_, at) =>
      anExchange(`m${at}`, { startedAt: NOON - at, pathReceived: `/v1/files/file${at}x` }),
    );
    await folder.record(...many);
    const page = await folder.history.page({ filter: { text: 'file' }, limit: 500 });
    expect(page.exchanges.map(({ id }) => id)).toEqual(many.map(({ id }) => id));
    expect(await folder.history.count({ text: 'file39' }, 500)).toBe(11);
  });

  test('is also found inside others when there is no search index', async () => {
    await using folder = await openHistoryFolder({ getRetention: null });
    await folder.record(anExchange('a', { errorMessage: 'Too MANY requests' }), anExchange('b'));
    expect(await folder.history.count({ text: 'any quest cline' }, 500)).toBe(1);
  });
});
