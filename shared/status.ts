import { z } from 'zod';
import { ExchangeId } from './exchange/exchange.ts';
import { RunningExchange } from './history/history.ts';
import { FurtherListener } from './connect/further-listener.ts';
import { KeyState, Upstream } from './upstream.ts';

/** Load of one service, and limits on calls to it. */
export const ServiceLoad = z.object({
  /** Number of calls whose answers are not complete. */
  inFlight: z.number().int(),
  /** Number of queued calls. */
  waiting: z.number().int(),
  /** Maximum concurrent calls since the service answered 429; `null` for unlimited. */
  limit: z.number().int().nullable(),
  /** Milliseconds for which calls are held back, because the service answered 429. */
  heldMs: z.number().int(),
  /** `open`: several connection attempts in a row failed; `half-open`: one call tries again. */
  circuit: z.enum(['closed', 'open', 'half-open']),
  /** Milliseconds until one call tries again; 0 while `closed`. */
  retryMs: z.number().int(),
  /** Since the start: calls sent, 429 answers, retries among the calls, and rejected calls. */
  calls: z.number().int(),
  throttled: z.number().int(),
  retries: z.number().int(),
  refused: z.number().int(),
});
export type ServiceLoad = z.infer<typeof ServiceLoad>;

/** State of the running engine. Times in Unix milliseconds. */
export const Status = z.object({
  version: z.string(),
  /** Differs after every start of the engine. */
  engine: z.string(),
  startedAt: z.number().int(),
  port: z.number().int(),
  /** Base addresses for clients: with `/v1` for Chat Completions and Responses, without for Messages. */
  baseUrls: z.object({ chat: z.string(), messages: z.string() }),
  /** The further listeners, each with the reason why nothing can connect there now, or `null`. */
  furtherListeners: z.array(FurtherListener.extend({ problem: z.string().nullable() })),
  upstream: Upstream,
  key: KeyState,
  /** Time when the service last rejected the key (401), unless it accepted it since. */
  keyRefusedAt: z.number().int().nullable(),
  /**
   * Time when the service last reported a limit (429), after all retries, unless it accepted a call since (less than 400), or
   * the time for which it asked for a pause is over (at least a minute).
   */
  limitedAt: z.number().int().nullable(),
  /** Whether the service answered the latest exchange or test that needed it; `doubtful`: something answered, but not with JSON. */
  reach: z.object({
    state: z.enum(['unknown', 'reachable', 'doubtful', 'unreachable']),
    sentence: z.string(),
    at: z.number().int().nullable(),
  }),
  /** Load of the service in use. */
  load: ServiceLoad,
  /** Whether requests of clients are rejected until a person resumes. Never true after a start. */
  paused: z.boolean(),
  /** Time of the pause; `null` while not paused. */
  pausedAt: z.number().int().nullable(),
  /**
   * The latest failed exchange of this run, unless its client ended it. It is up to date at the latest when the `history`
   * event arrives.
   */
  lastError: z
    .object({ sentence: z.string(), at: z.number().int(), exchangeId: ExchangeId })
    .nullable(),
  /** Name of the profile of aliases in use; `null` for none. */
  profile: z.string().nullable(),
  /** Names of all profiles. */
  profiles: z.array(z.string()),
  repairs: z.boolean(),
  setUp: z.boolean(),
  /** Number of running exchanges. */
  running: z.number().int(),
});
export type Status = z.infer<typeof Status>;

/** An event for an open window. The window then loads the data that it shows again; an event does not contain that data. */
export const LiveEvent = z.discriminatedUnion('kind', [
  /** The first event of every stream. */
  z.object({ kind: z.literal('hello'), engine: z.string() }),
  /** Exchanges were written to the history, or deleted: then `written` may be 0. */
  z.object({ kind: z.literal('history'), written: z.number().int() }),
  /** The newest running exchanges, at most 50 and those that wait for a person, and their total number. */
  z.object({
    kind: z.literal('running'),
    exchanges: z.array(RunningExchange),
    total: z.number().int(),
  }),
  z.object({
    kind: z.literal('changed'),
    /** `holds`: a request began or ended to wait for a person. `exchanges`: stored exchanges were marked, or deleted one by one. */
    topic: z.enum([
      'status',
      'clients',
      'holds',
      'models',
      'upstreams',
      'settings',
      'videos',
      'chat',
      'exchanges',
      'prices',
      'aliases',
    ]),
  }),
]);
export type LiveEvent = z.infer<typeof LiveEvent>;
