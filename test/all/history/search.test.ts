import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCause } from '../../../gateway/history/failure-cause.ts';
import { asksForMarked } from '../../../gateway/history/filter.ts';
import { tokenize } from '../../../gateway/history/search/tokenize.ts';
import { type ExchangeRecord, RouteName } from '../../../shared/exchange/exchange.ts';
import { foldCase } from '../../../shared/fold-case.ts';
import type { MarkChange } from '../../../shared/exchange/exchange-mark.ts';
import type {
  HistoryCriteria,
  HistoryFilter,
  NumberRange,
} from '../../../shared/history/history.ts';
import { matchesPattern } from '../../../shared/name-pattern.ts';
import { findEnding } from '../../../shared/exchange/outcome.ts';
import { describeFailure } from '../../../shared/failure/find-failure.ts';
import { RepairCode } from '../../../shared/exchange/repair.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { allOf } from '../../kit/history/search.ts';

const NAMES = [null, 'Cline', 'Claude Code', 'Öl-Büro', 'ΟΔΟΣ', '日本', '_c', '~x'];

const MODELS = [null, 'acme/large-2', 'acme/small', 'orion "x" AND y', 'large*'];

const TEXTS = [
  null,
  'ab cd',
  'Ab-12',
  'rate limit: 3f9a',
  'Über',
  'u\u0308ber',
  '~ab',
  'OR NOT ("',
];

const USAGES = [
  { input: null, output: null },
  { input: 200, output: null },
  { input: 404, output: 0 },
  { input: 1_000, output: 4_000 },
  { input: 2 ** 40, output: 1 },
].map((known) => ({
  ...known,
  cacheRead: null,
  cacheWrite: null,
  cacheWriteHour: null,
  media: null,
  reasoning: null,
  source: 'reported' as const,
}));

const COSTS = [
  null,
  { amount: null, source: 'unpriced', priceId: null },
  { amount: 0, source: 'reported', priceId: 1 },
  { amount: 404, source: 'estimated', priceId: 1 },
  { amount: 10 ** 12, source: 'reported', priceId: 1 },
];

const someExchange = fc.record({
  startedAt: fc.integer({ min: NOON - 5, max: NOON + 5 }),
  clientName: fc.constantFrom(...NAMES),
  conversation: fc.constantFrom(...TEXTS),
  userAgent: fc.constantFrom(...TEXTS),
  durationMs: fc.constantFrom(0, 0.4, 999.5, 1_000, 2_500, 7e9),
  usage: fc.constantFrom(...USAGES),
  cost: fc.constantFrom(...COSTS),
  route: fc.constantFrom(...RouteName.options),
  pathReceived: fc.constantFrom('/v1/chat/completions', '/v1/messages?x=1', '/'),
  modelAsked: fc.constantFrom(...MODELS),
  modelSent: fc.constantFrom(...MODELS),
  modelServed: fc.constantFrom(...MODELS),
  streamed: fc.boolean(),
  status: fc.constantFrom(null, 101, 200, 204, 301, 404, 429, 500),
  errorCode: fc.constantFrom(null, 'rate_limit', 'x', 'upstream_connection_lost', '404'),
  errorMessage: fc.constantFrom(...TEXTS),
  endedBy: fc.constantFrom('service', 'client', 'gateway'),
  repairs: fc
    .subarray(RepairCode.options, { maxLength: 2 })
    .map((codes) => codes.map((code) => ({ code, before: 'b', after: 'a', advice: 'secretly' }))),
});

const SEARCHES = [
  'a',
  'ab',
  'AB c',
  'lar',
  'über',
  'rate_l',
  '429',
  'cut off',
  'secretly',
  'x',
  '日',
  '"',
  '_c',
  'OR',
];

const ROUTE_PATTERNS = fc.subarray(RouteName.options);

const someRange = fc.record(
  { from: fc.constantFrom(0, 100, 200, 404, 1_000), to: fc.constantFrom(99, 299, 404, 999, 5_000) },
  { requiredKeys: [] },
);

const someCriteria = {
  text: fc.constantFrom('', ...SEARCHES),
  exact: fc.subarray(['ab CD', '3f9a', 'NOT ("', '%', '_', 'v1/chat', 'client left'], {
    maxLength: 1,
  }),
  clients: fc.subarray([
    'Cline',
    'cLINE',
    'C*',
    '*e*',
    'ÖL*',
    'οδ*Σ',
    '日*',
    '_c',
    '%',
    String.raw`\*`,
  ]),
  models: fc.subarray(['acme/large-2', 'ACME/*', '*l*', String.raw`large\*`, 'none*']),
  agents: fc.subarray(['', 'AB CD', 'ab*', '*']),
  errors: fc.subarray(['X', 'http_*', 'upstream_connection_lost', '404']),
  routes: ROUTE_PATTERNS,
  repairs: fc.subarray(['MODEL-id', 'path-*', '*', 'none']),
  tags: fc.subarray(['bug', 'BUG*', 'to_*', '*']),
  notes: fc.subarray(['100%', 'TRY*', '*'], { maxLength: 1 }),
  statuses: fc.array(someRange, { maxLength: 2 }),
};

const SOME_FIELDS = {
  ...someCriteria,
  not: someOf(someCriteria),
  failed: fc.boolean(),
  left: fc.boolean(),
  answered: fc.boolean(),
  known: fc.boolean(),
  repaired: fc.boolean(),
  streamed: fc.boolean(),
  pinned: fc.boolean(),
  tokens: someRange,
  input: someRange,
  output: someRange,
  cost: someRange,
  duration: someRange,
  since: fc.oneof(fc.integer({ min: NOON - 6, max: NOON + 6 }), fc.maxSafeInteger()),
  until: fc.oneof(fc.integer({ min: NOON - 6, max: NOON + 6 }), fc.maxSafeInteger()),
};

/** Draws a few of these fields: nothing passes a filter that has most of them. */
function someOf(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) {
  return fc.subarray(Object.keys(fields), { maxLength: 3 }).chain((names) => {
    const drawn = Object.entries(fields).filter(([name]) => names.includes(name));
    return fc.record<Record<string, unknown>>(Object.fromEntries(drawn));
  });
}

const someFilter: fc.Arbitrary<HistoryFilter> = someOf(SOME_FIELDS);

const someMark = fc.option(
  fc.record({
    pinned: fc.boolean(),
    addTags: fc.subarray(['bug', 'to-do', 'to_do']),
    note: fc.constantFrom('', 'Try 100% again'),
  }),
  { nil: {} },
);

type Mark = Pick<MarkChange, 'pinned' | 'addTags' | 'note'>;

function isAmong(patterns: readonly string[] | undefined, value: string | null): boolean {
  if (patterns === undefined || patterns.length === 0) return true;
  return value !== null && patterns.some((pattern) => matchesPattern(pattern, value));
}

function isIn(range: NumberRange | undefined, value: number | null): boolean {
  if (range === undefined) return true;
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  return value !== null && value >= from && value <= to;
}

/** Returns whether each criterion holds. */
function check(criteria: HistoryCriteria, one: ExchangeRecord, mark: Mark): boolean[] {
  const { text = '', exact = [], statuses = [], routes = [] } = criteria;
  const searched = listSearched(one);
  const { tags = [], notes = [], repairs = [] } = criteria;
  const { addTags = [], note = '' } = mark;
  return [
    ...tokenize(text).map((word) =>
      searched.flatMap(tokenize).some((found) => found.startsWith(word)),
    ),
    ...exact.map((phrase) => foldCase(searched.join(' ')).includes(foldCase(phrase))),
    ...[
      [criteria.clients, one.clientName] as const,
      [criteria.models, one.modelSent ?? one.modelAsked] as const,
      [criteria.agents, one.userAgent ?? ''] as const,
      [criteria.errors, toCause(one)] as const,
      [routes, one.route] as const,
    ].flatMap(([patterns = [], value]) =>
      patterns.length === 0 ? [] : [isAmong(patterns, value)],
    ),
    ...(repairs.length === 0 ? [] : [one.repairs.some(({ code }) => isAmong(repairs, code))]),
    ...(tags.length === 0 ? [] : [addTags.some((tag) => isAmong(tags, tag))]),
    ...(notes.length === 0
      ? []
      : [note !== '' && notes.some((pattern) => matchesPattern(`*${pattern}*`, note))]),
    ...(statuses.length === 0 ? [] : [statuses.some((range) => isIn(range, one.status))]),
  ];
}

/** Implements a filter in the simplest way. */
function letsThrough(filter: HistoryFilter, one: ExchangeRecord, mark: Mark): boolean {
  const { failed, left, answered, known, repaired, streamed, since, until, not = {} } = filter;
  const { input, output } = one.usage;
  const hasTokens = input !== null || output !== null;
  return (
    check(filter, one, mark).every(Boolean) &&
    !check(not, one, mark).some(Boolean) &&
    (filter.pinned === undefined || filter.pinned === (mark.pinned ?? false)) &&
    (failed === undefined || failed === (findEnding(one) === 'failed')) &&
    (left === undefined || left === (findEnding(one) === 'left')) &&
    (answered === undefined || answered === (findEnding(one) === 'answered')) &&
    (known === undefined || known === (one.clientName !== null)) &&
    (repaired === undefined || repaired === one.repairs.length > 0) &&
    (streamed === undefined || streamed === one.streamed) &&
    isIn(filter.tokens, hasTokens ? (input ?? 0) + (output ?? 0) : null) &&
    isIn(filter.input, input) &&
    isIn(filter.output, output) &&
    isIn(filter.cost, one.cost?.amount ?? null) &&
    isIn(filter.duration, Math.round(one.durationMs)) &&
    (since === undefined || one.startedAt >= since) &&
    (until === undefined || one.startedAt < until)
  );
}

/** The texts that are searched, in the order of the columns. */
function listSearched(one: ExchangeRecord): string[] {
  const { pathReceived, modelAsked, modelSent, modelServed, clientName, conversation } = one;
  const { errorCode, errorMessage, userAgent, status } = one;
  const texts = [pathReceived, modelAsked, modelSent, modelServed, clientName, conversation];
  const repairs = one.repairs.flatMap(({ code, advice }) => [code, advice]);
  const others = [errorCode, errorMessage, userAgent, String(status ?? ''), repairs.join(' ')];
  return [...texts, ...others, describeFailure(one)].map((text) => text ?? '');
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
      fc.array(fc.tuple(someExchange, someMark), { minLength: 1, maxLength: 25 }),
      fc.array(someFilter, { minLength: 8, maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
    );
    const property = fc.asyncProperty(cases, async ([drawn, filters, limit]) => {
      await history.erase();
      const exchanges = drawn.map(([fields], at) => anExchange(String(at), fields));
      await folder.record(...exchanges);
      const marks = new Map(exchanges.map(({ id }, at) => [id, drawn[at]?.[1] ?? {}]));
      for (const [id, mark] of marks) await history.mark(id, mark);
      for (const drawnFilter of filters) {
        // Without the index a word is also found inside others.
        const not = { ...drawnFilter.not, text: undefined };
        const hasIndex = !('getRetention' in options) && !asksForMarked(drawnFilter);
        const filter = hasIndex ? drawnFilter : { ...drawnFilter, text: undefined, not };
        const expected = newestFirst(exchanges).filter((one) =>
          letsThrough(filter, one, marks.get(one.id) ?? {}),
        );
        const ids = expected.map(({ id }) => id);
        // The filters run one after the other, because they share the history.
        expect(await allOf(history, filter, limit)).toEqual(ids);
        expect(await history.count(filter, 7)).toBe(Math.min(7, ids.length));
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });
});

test('An exact text is found with the search index and without it, also where it divides words', async () => {
  await using indexed = await openHistoryFolder();
  await using plain = await openHistoryFolder({ getRetention: null });
  const cases = fc.tuple(
    fc.array(someExchange, { minLength: 1, maxLength: 10 }),
    fc.array(fc.tuple(fc.nat(9), fc.nat(120), fc.integer({ min: 1, max: 20 }), fc.boolean()), {
      minLength: 10,
      maxLength: 10,
    }),
  );
  const property = fc.asyncProperty(cases, async ([drawn, places]) => {
    const exchanges = drawn.map((fields, at) => anExchange(String(at), fields));
    for (const folder of [indexed, plain]) {
      await folder.history.erase();
      await folder.record(...exchanges);
    }
    for (const [at, start, length, isUpper] of places) {
      const whole = listSearched(exchanges[at % exchanges.length] ?? anExchange('')).join(' ');
      const part = whole.slice(start % whole.length).slice(0, length);
      const filter = { exact: [isUpper ? part.toUpperCase() : part] };
      const found = newestFirst(exchanges).filter((one) => letsThrough(filter, one, {}));
      const ids = found.map(({ id }) => id);
      expect(await allOf(indexed.history, filter, 20)).toEqual(ids);
      expect(await allOf(plain.history, filter, 20)).toEqual(ids);
    }
  });
  await fc.assert(property, { numRuns: 20 });
});
