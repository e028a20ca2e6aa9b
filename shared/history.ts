import { z } from 'zod';
import { ExchangeId, ExchangeRecord, RouteName } from './exchange.ts';
import { RepairCode } from './repair.ts';

/** `failed`: with an error, an error status, without an answer, or ended by the client. */
export const Outcome = z.enum(['2xx', '3xx', '4xx', '5xx', 'failed']);
export type Outcome = z.infer<typeof Outcome>;

/** Filter of exchanges. Absent fields and empty lists match everything; several values of one field match any of them. */
export const HistoryFilter = z.object({
  /** Words that must all occur, each as the prefix of a word in path, model, client, error, repair or conversation. */
  text: z.string().trim().max(200).optional(),
  /** Names of clients. */
  clients: z.array(z.string()).max(50).optional(),
  /** Models sent to the service, or requested when nothing was sent. */
  models: z.array(z.string()).max(50).optional(),
  routes: z.array(RouteName).max(20).optional(),
  outcome: Outcome.optional(),
  /** Whether the client had a valid local key. */
  known: z.boolean().optional(),
  repaired: z.boolean().optional(),
  streamed: z.boolean().optional(),
  /** Unix times in milliseconds: from `since` on, before `until`. */
  since: z.number().int().optional(),
  until: z.number().int().optional(),
});
export type HistoryFilter = z.infer<typeof HistoryFilter>;

/** An exchange in the list. */
export const ExchangeSummary = ExchangeRecord.pick({
  id: true,
  startedAt: true,
  times: true,
  lastAt: true,
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
}).extend({ repairs: z.array(RepairCode) });
export type ExchangeSummary = z.infer<typeof ExchangeSummary>;

/** A page, newest first. `next` is the `before` of the next page; `null` at the end. */
export const HistoryPage = z.object({
  exchanges: z.array(ExchangeSummary),
  next: ExchangeId.nullable(),
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
});
export type ExchangeDetail = z.infer<typeof ExchangeDetail>;

/** A running exchange. */
export const RunningExchange = ExchangeRecord.pick({
  id: true,
  startedAt: true,
  clientName: true,
  route: true,
  method: true,
  pathReceived: true,
  modelSent: true,
  streamed: true,
  status: true,
}).extend({
  /** `receiving` from the client, `waiting` for the service, `answering` to the client. */
  stage: z.enum(['receiving', 'waiting', 'answering']),
});
export type RunningExchange = z.infer<typeof RunningExchange>;

const Sum = z.number().nullable();

/** Totals over exchanges. A total is `null` when no exchange had that number. */
export const UsageSums = z.object({
  exchanges: z.number().int(),
  errors: z.number().int(),
  input: Sum,
  output: Sum,
  /** Number of exchanges with usage from the service, from an estimate, or without any: the totals lack the last. */
  reported: z.number().int(),
  estimated: z.number().int(),
  unknown: z.number().int(),
});
export type UsageSums = z.infer<typeof UsageSums>;

/** A local calendar day (`2026-11-21`) and its totals. */
export const UsageDay = UsageSums.extend({ day: z.string() });
export type UsageDay = z.infer<typeof UsageDay>;

/** A problem that a person may want to act on. Times in Unix milliseconds. */
export const Attention = z.discriminatedUnion('kind', [
  /** The service rejected the service key, or there is none to send. */
  z.object({ kind: z.literal('key'), sentence: z.string(), at: z.number().int().nullable() }),
  /** The latest exchanges did not reach the service. */
  z.object({ kind: z.literal('unreachable'), failures: z.number().int(), at: z.number().int() }),
  /** One repair that is repeated for one client, with the advice of the latest. */
  z.object({
    kind: z.literal('repair'),
    clientName: z.string(),
    code: RepairCode,
    advice: z.string(),
    times: z.number().int(),
    at: z.number().int(),
    exchangeId: ExchangeId,
  }),
  /** A client whose latest exchanges mostly failed. */
  z.object({
    kind: z.literal('client'),
    clientName: z.string(),
    failures: z.number().int(),
    of: z.number().int(),
    status: z.number().int().nullable(),
    errorCode: z.string().nullable(),
    at: z.number().int(),
  }),
  /** Requests without a valid local key were refused; status and code of the latest. */
  z.object({
    kind: z.literal('unknown'),
    requests: z.number().int(),
    status: z.number().int().nullable(),
    errorCode: z.string().nullable(),
    at: z.number().int(),
  }),
  /** Exchanges that could not be stored since the start. */
  z.object({ kind: z.literal('dropped'), exchanges: z.number().int() }),
]);
export type Attention = z.infer<typeof Attention>;
