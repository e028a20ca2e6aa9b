import { z } from 'zod';
import { ExchangeId } from './exchange.ts';
import { RunningExchange } from './history.ts';
import { KeyState, Upstream } from './upstream.ts';

/** What one service gets to do, and what keeps calls from it. */
export const ServiceLoad = z.object({
  /** Calls whose answers are not complete. */
  inFlight: z.number().int(),
  /** Calls that wait for their turn. */
  waiting: z.number().int(),
  /** Calls at the same time since the service answered 429; `null` for any number. */
  limit: z.number().int().nullable(),
  /** Milliseconds in which no call leaves, because the service answered 429. */
  heldMs: z.number().int(),
  /** `open`: no connection came about several times in a row; `half-open`: one call tries again. */
  circuit: z.enum(['closed', 'open', 'half-open']),
  /** Milliseconds until one call tries again; 0 while `closed`. */
  retryMs: z.number().int(),
  /** Since the start: calls that left, 429 answers, repetitions among the calls, and calls that were turned away. */
  calls: z.number().int(),
  throttled: z.number().int(),
  retries: z.number().int(),
  refused: z.number().int(),
});
export type ServiceLoad = z.infer<typeof ServiceLoad>;

/** The running Gatehouse at a glance. Times in Unix milliseconds. */
export const Status = z.object({
  version: z.string(),
  /** Differs after every start of the engine. */
  engine: z.string(),
  startedAt: z.number().int(),
  port: z.number().int(),
  /** What clients type: with `/v1` for Chat Completions and Responses, without for Messages. */
  baseUrls: z.object({ chat: z.string(), messages: z.string() }),
  upstream: Upstream,
  key: KeyState,
  /** When the service last refused the key (401), unless it took it since. */
  keyRefusedAt: z.number().int().nullable(),
  /** When the service last said that a limit is reached (429), after all repetitions, unless it took a call since (less than 400), or the time is over for which it asked to be left alone (a minute at least). */
  limitedAt: z.number().int().nullable(),
  /** Whether the service answered the latest exchange or test that needed it. */
  reach: z.object({
    state: z.enum(['unknown', 'reachable', 'unreachable']),
    sentence: z.string(),
    at: z.number().int().nullable(),
  }),
  /** What the service in use gets to do. */
  load: ServiceLoad,
  /** Whether clients are turned away until somebody resumes. Never so after a start. */
  paused: z.boolean(),
  /** The latest exchange of this run that failed, unless by its client. It is another one at the latest when `history` is heard. */
  lastError: z
    .object({ sentence: z.string(), at: z.number().int(), exchangeId: ExchangeId })
    .nullable(),
  repairs: z.boolean(),
  setUp: z.boolean(),
  /** Exchanges on their way. */
  running: z.number().int(),
});
export type Status = z.infer<typeof Status>;

/** What a window hears while it is open. It then asks again for what it shows; an event is never the truth itself. */
export const LiveEvent = z.discriminatedUnion('kind', [
  /** The first event of every stream. */
  z.object({ kind: z.literal('hello'), engine: z.string() }),
  /** Exchanges were written to the history, or deleted: then `written` may be 0. */
  z.object({ kind: z.literal('history'), written: z.number().int() }),
  /** The newest exchanges on their way, at most 50, and how many there are in all. */
  z.object({
    kind: z.literal('running'),
    exchanges: z.array(RunningExchange),
    total: z.number().int(),
  }),
  z.object({
    kind: z.literal('changed'),
    what: z.enum(['status', 'clients', 'models', 'upstreams', 'settings', 'videos', 'chat']),
  }),
]);
export type LiveEvent = z.infer<typeof LiveEvent>;
