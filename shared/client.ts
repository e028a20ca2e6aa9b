import { z } from 'zod';

/** The latest time that `Date` can represent, in Unix milliseconds. */
export const LAST_TIME = 8.64e15;

export const ClientId = z.string().brand<'ClientId'>();
export type ClientId = z.infer<typeof ClientId>;

/** Name of a client: one line of 1 to 64 visible characters. */
export const ClientName = z
  .string()
  .trim()
  .min(1, 'Enter a name for the client.')
  .max(64, 'A client name has at most 64 characters.')
  .regex(/^\P{Cc}+$/u, 'A client name is one line without control characters.');

/** Id of the client with which the chat calls the proxy. */
export const CHAT_CLIENT_ID = ClientId.parse('chat');

/** The id of the client that sends stored requests again. */
export const REPLAY_CLIENT_ID = ClientId.parse('replay');
/** The client for the requests of the video queue, which need no key. Exchanges record its name only. */
export const VIDEOS_CLIENT_NAME = 'Videos';
export const VIDEOS_CLIENT_ID = ClientId.parse('videos');

/** The Unix time in milliseconds from which a local key is refused; `null` for never. */
export const Expiry = z.number().int().min(0).max(LAST_TIME).nullable();
export type Expiry = z.infer<typeof Expiry>;

/** Days for which the requests and responses of a client are kept, at most as long as its exchanges: 0 for none; `null` as in Settings. */
export const KeepBodies = z
  .number({ error: 'Enter a number of days.' })
  .int('Whole days only.')
  .min(0, 'Not fewer than 0 days.')
  .max(3650, 'At most 3650 days.')
  .nullable();
export type KeepBodies = z.infer<typeof KeepBodies>;

/** Patterns (`shared/name-pattern.ts`) of the models that a client may use; `null`: all. */
export const AllowedModels = z
  .array(z.string().trim().min(1, 'Enter a model.').max(256, 'A model has at most 256 characters.'))
  .min(1, 'Name at least one model.')
  .max(100, 'At most 100 models.')
  .nullable();
export type AllowedModels = z.infer<typeof AllowedModels>;

/** A program with its own local key, which is never part of this object. */
export const Client = z.object({
  id: ClientId,
  name: z.string(),
  /** Unix time in milliseconds. */
  createdAt: z.number().int(),
  revokedAt: z.number().int().nullable(),
  expiresAt: Expiry,
  /** Whether its key has expired. It stays so when the clock is set back; only a new expiry ends it. */
  expired: z.boolean(),
  keepBodiesDays: KeepBodies,
  models: AllowedModels,
  /** Whether nobody has its own key: the command `run` or `env` added it, or its program was disconnected. */
  onlyTemporaryKeys: z.boolean(),
});
export type Client = z.infer<typeof Client>;

/** A client and its usage. Times are Unix milliseconds; tokens are the totals of reported and estimated counts. */
export const ClientSummary = Client.extend({
  /**
   * Kinds: `stored`: added by a person. `environment`: the fixed local key. `window`: this window's own calls. `chat`: its
   * conversations. `terminal`: the command `ask`. `replay`: requests that were sent again. `videos`: the video queue. `unknown`: all callers without a valid local key.
   */
  kind: z.enum([
    'stored',
    'environment',
    'window',
    'chat',
    'terminal',
    'replay',
    'videos',
    'unknown',
  ]),
  /** Whether its requests are refused until a person lets it go on. Only a running Gatehouse knows. */
  stopped: z.boolean(),
  lastUsedAt: z.number().int().nullable(),
  exchanges: z.number().int(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** Millionths of the currency: the costs that are known; `null` when there are none. */
  cost: z.number().nullable(),
});
export type ClientSummary = z.infer<typeof ClientSummary>;

/** A client with its new local key, which is returned only once and not stored. */
export const NewClient = z.object({ client: Client, key: z.string() });
export type NewClient = z.infer<typeof NewClient>;
