import { z } from 'zod';
import { MAX_BODY_HITS } from '../exchange/body.ts';
import { ExchangeId, ExchangeRecord, RouteName, RunId } from '../exchange/exchange.ts';
import { ExchangeMark, MarkSummary } from '../exchange/exchange-mark.ts';
import { Currency } from '../money/cost.ts';
import { LimitState, UnpricedPass } from '../money/limit.ts';
import { RepairCode } from '../exchange/repair.ts';
import { Runaway } from '../run/runaway.ts';

/** Whole numbers from `from` to `to`, both included; an absent one is no limit. */
export const NumberRange = z.object({
  from: z.number().int().optional(),
  to: z.number().int().optional(),
});
export type NumberRange = z.infer<typeof NumberRange>;

/** Patterns of names (`shared/name-pattern.ts`), one of which must match. */
const NamePatterns = z.array(z.string().max(2_000)).max(50).optional();

/** The criteria that a filter can also exclude. */
const Criteria = z.object({
  /**
   * Words that must all occur, each as the prefix of a word in path, model, client, program, conversation, status, error, repair or
   * advice, or in the words that a row has for its failure (`describeFailure`).
   */
  text: z.string().trim().max(200).optional(),
  /** Texts that must all occur there as they are, case aside. */
  exact: z.array(z.string().max(200)).max(20).optional(),
  /** Names of clients. */
  clients: NamePatterns,
  /** Models sent to the service, or requested when nothing was sent. */
  models: NamePatterns,
  routes: z.array(RouteName).max(20).optional(),
  /** Ids of services, as `ExchangeRecord` has them. */
  services: NamePatterns,
  /** User agents; an empty text for requests without one. */
  agents: NamePatterns,
  /** Causes of failures: error codes, or `http_503` and the like where there is none. */
  errors: NamePatterns,
  /** Codes of repairs. */
  repairs: NamePatterns,
  /** Names of the tools that it calls, or whose results it brings. */
  tools: NamePatterns,
  /** Statuses, one range of which must have that of the exchange. */
  statuses: z.array(NumberRange).max(50).optional(),
  /** Tags that people gave it. */
  tags: NamePatterns,
  /** Texts in its note. */
  notes: NamePatterns,
  /** Addresses of repositories. */
  projects: NamePatterns,
});

/**
 * Filter of exchanges. Absent fields and empty lists match everything; several values of one field match any of them. People write it
 * in the language of `shared/filter-language/`.
 */
export const HistoryFilter = Criteria.extend({
  /** Exchanges of which any of these holds do not match: here each word and each exact text counts alone. */
  not: Criteria.optional(),
  /** Whether it failed, was left by its client, or was answered whole: exactly one of them holds (`findEnding`). */
  failed: z.boolean().optional(),
  left: z.boolean().optional(),
  answered: z.boolean().optional(),
  /** Whether the client had a valid local key. */
  known: z.boolean().optional(),
  repaired: z.boolean().optional(),
  streamed: z.boolean().optional(),
  pinned: z.boolean().optional(),
  /** Tokens; an exchange of which they are unknown does not match. */
  tokens: NumberRange.optional(),
  input: NumberRange.optional(),
  output: NumberRange.optional(),
  /** Millionths of the currency; an exchange whose cost is not known does not match. */
  cost: NumberRange.optional(),
  /** Milliseconds, rounded. */
  duration: NumberRange.optional(),
  /** The beginning of the id. */
  id: z.string().max(64).optional(),
  /** The beginning of the id of the run. */
  run: z.string().max(64).optional(),
  /** Only these: those that a search in requests and responses found. */
  ids: z.array(ExchangeId).max(MAX_BODY_HITS).optional(),
  /** Unix times in milliseconds: from `since` on, before `until`. */
  since: z.number().int().optional(),
  until: z.number().int().optional(),
  /** Lists each status check of a video; otherwise a page has the latest of equal ones. Excludes nothing. */
  each: z.boolean().optional(),
});
export type HistoryFilter = z.infer<typeof HistoryFilter>;
export type HistoryCriteria = z.infer<typeof Criteria>;

/** The part of a filter that matches exchanges with a complete answer. */
export const ANSWERED: HistoryFilter = { statuses: [{ from: 200, to: 299 }], answered: true };

/** A service of the history: its id in `ExchangeRecord`, and its name for people. */
export const ServiceName = z.object({ id: z.string(), name: z.string() });
export type ServiceName = z.infer<typeof ServiceName>;

/** Equal status checks of one video on one day, which are one row. */
export const StatusChecks = z.object({
  count: z.number().int(),
  /** Whether there are more than `count`. */
  orMore: z.boolean(),
  /** The first of them. */
  first: ExchangeId,
});
export type StatusChecks = z.infer<typeof StatusChecks>;

/** An exchange in the list. */
export const ExchangeSummary = ExchangeRecord.pick({
  id: true,
  startedAt: true,
  times: true,
  lastAt: true,
  service: true,
  clientName: true,
  route: true,
  method: true,
  pathReceived: true,
  modelAsked: true,
  modelSent: true,
  modelServed: true,
  streamed: true,
  status: true,
  errorCode: true,
  endedBy: true,
  attempts: true,
  durationMs: true,
  usage: true,
  cost: true,
}).extend({
  repairs: z.array(RepairCode),
  /** The status checks of which this is the latest; `null` when it is not, or the only one. */
  checks: StatusChecks.nullable(),
  /** `null` when it has no pin, note or tag. */
  mark: MarkSummary.nullable(),
});
export type ExchangeSummary = z.infer<typeof ExchangeSummary>;

/** The place after the last exchange of a page; it stays valid when that exchange is deleted. */
export const HistoryCursor = z
  .string()
  .regex(/^\d{1,16}-\d{1,16}$/u)
  .brand<'HistoryCursor'>();
export type HistoryCursor = z.infer<typeof HistoryCursor>;

/** A page, newest first. `next` is the `before` of the next page; `null` at the end. A page may have fewer exchanges than asked for. */
export const HistoryPage = z.object({
  exchanges: z.array(ExchangeSummary),
  next: HistoryCursor.nullable(),
});
export type HistoryPage = z.infer<typeof HistoryPage>;

/** Names and values as sent, in order; credentials masked. */
export const HeaderList = z.array(z.tuple([z.string(), z.string()]));
export type HeaderList = z.infer<typeof HeaderList>;

/** The four header lists of an exchange; `null` for one that never existed. */
export const ExchangeHeaders = z.object({
  /** Request headers from the client. */
  received: HeaderList.nullable(),
  /** Request headers to the service. */
  sent: HeaderList.nullable(),
  /** Response headers from the service. */
  answered: HeaderList.nullable(),
  /** Response headers to the client. */
  returned: HeaderList.nullable(),
});
export type ExchangeHeaders = z.infer<typeof ExchangeHeaders>;

export const ExchangeDetail = z.object({
  exchange: ExchangeRecord,
  /** `null` when headers were not stored, or were deleted. */
  headers: ExchangeHeaders.nullable(),
  /** `null` when it has no pin, note or tag. */
  mark: ExchangeMark.nullable(),
});
export type ExchangeDetail = z.infer<typeof ExchangeDetail>;

/** A running exchange. */
export const RunningExchange = ExchangeRecord.pick({
  id: true,
  startedAt: true,
  service: true,
  clientName: true,
  route: true,
  method: true,
  pathReceived: true,
  modelSent: true,
  streamed: true,
  status: true,
}).extend({
  /** `receiving` from the client, `held` for a person, `waiting` for the service, `answering` to the client. */
  stage: z.enum(['receiving', 'held', 'waiting', 'answering']),
  /** The run whose own agent sent it; `null` for another agent of a run, and while its run is not known. */
  ownRun: RunId.nullable(),
});
export type RunningExchange = z.infer<typeof RunningExchange>;

/** The exchanges that totals cover: those of the sandbox, or all others. They are never added to each other. */
export type UsageScope = 'services' | 'sandbox';

const Sum = z.number().nullable();

/** Totals over exchanges. A total is `null` when no exchange had that number. */
export const UsageSums = z.object({
  exchanges: z.number().int(),
  /** Number of those that failed; with `refused`, of those that a limit refused before anything was sent. */
  errors: z.number().int(),
  refused: z.number().int(),
  input: Sum,
  output: Sum,
  /** Number of exchanges with usage from the service, from an estimate, or without any: the totals lack the last. */
  reported: z.number().int(),
  estimated: z.number().int(),
  unknown: z.number().int(),
  /** Millionths of the currency: the costs that are known. */
  cost: Sum,
  /** Number of exchanges whose cost is an estimate, and of those whose cost is not known: the total lacks the last. */
  costEstimated: z.number().int(),
  unpriced: z.number().int(),
});
export type UsageSums = z.infer<typeof UsageSums>;

/** A local calendar day (`2026-11-21`) and its totals. */
export const UsageDay = UsageSums.extend({ day: z.string() });
export type UsageDay = z.infer<typeof UsageDay>;

/** What all kinds of attention items have. */
const AttentionBase = z.object({
  /** Identifies the same problem again, to dismiss it until it occurs again. */
  id: z.string(),
});

/** A problem that a person may want to act on. Times in Unix milliseconds; `filter` selects the exchanges that were counted, in the language of filters. */
export const Attention = z.discriminatedUnion('kind', [
  /** The service rejected the service key, or there is none to send. */
  AttentionBase.extend({
    kind: z.literal('key'),
    sentence: z.string(),
    at: z.number().int().nullable(),
  }),
  /** The latest exchanges, or the latest test, did not reach the service. */
  AttentionBase.extend({
    kind: z.literal('unreachable'),
    /** Name of the service. */
    serviceName: z.string(),
    /** The cause in the words of the latest failure; `null` when it is not known. */
    sentence: z.string().nullable(),
    /** Number of the latest exchanges that were sent and got no reply; 0 when a test found out. */
    failures: z.number().int(),
    /** Number of the exchanges that Gatehouse refused meanwhile without sending them. */
    refused: z.number().int(),
    at: z.number().int(),
    filter: z.string(),
  }),
  /** One repair that is repeated for one client, with the advice of the latest. */
  AttentionBase.extend({
    kind: z.literal('repair'),
    clientName: z.string(),
    code: RepairCode,
    advice: z.string(),
    times: z.number().int(),
    at: z.number().int(),
    /** The filter of these exchanges. */
    filter: z.string(),
  }),
  /** A client whose latest exchanges mostly failed; program, status and code are those of the latest, `reason` describes it in a few words. */
  AttentionBase.extend({
    kind: z.literal('client'),
    clientName: z.string(),
    /** Other clients that fail for the same cause, which is the service's. All of them are counted. */
    others: z.array(z.string()),
    reason: z.string().nullable(),
    userAgent: z.string().nullable(),
    failures: z.number().int(),
    of: z.number().int(),
    /** Number of requests since the oldest of them that a limit or a person refused. They are not counted. */
    uncounted: z.number().int(),
    /** Whether the cause certainly lies with the service or the way to it: it does for several clients, or by its kind. */
    shared: z.boolean(),
    status: z.number().int().nullable(),
    errorCode: z.string().nullable(),
    at: z.number().int(),
    filter: z.string(),
  }),
  /** Requests of one program without a valid local key were refused for one cause. */
  AttentionBase.extend({
    kind: z.literal('unknown'),
    userAgent: z.string().nullable(),
    requests: z.number().int(),
    status: z.number().int().nullable(),
    errorCode: z.string().nullable(),
    errorMessage: z.string().nullable(),
    reason: z.string().nullable(),
    at: z.number().int(),
    filter: z.string(),
  }),
  /** A limit of which 80, 95 or 100 percent are used. */
  AttentionBase.extend({
    kind: z.literal('limit'),
    limit: LimitState,
    percent: z.union([z.literal(80), z.literal(95), z.literal(100)]),
    currency: Currency,
  }),
  /** Requests that passed a limit of money uncounted, because what they cost is not known. */
  AttentionBase.extend({
    kind: z.literal('unpriced'),
    passes: z.array(UnpricedPass).min(1),
    at: z.number().int(),
  }),
  /** An agent that runs away, or a client that was stopped. */
  AttentionBase.extend({ kind: z.literal('runaway'), ...Runaway.shape }),
  /** Exchanges that could not be stored since the start. */
  AttentionBase.extend({ kind: z.literal('dropped'), exchanges: z.number().int() }),
]);
export type Attention = z.infer<typeof Attention>;
