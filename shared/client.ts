import { z } from 'zod';

export const ClientId = z.string().brand<'ClientId'>();
export type ClientId = z.infer<typeof ClientId>;

/** Name of a client: one line of 1 to 64 visible characters. */
export const ClientName = z
  .string()
  .trim()
  .min(1, 'Enter a name for the client.')
  .max(64, 'A client name has at most 64 characters.')
  .regex(/^\P{Cc}+$/u, 'A client name is one line without control characters.');

/** A program with its own local key, which is never part of this object. */
export const Client = z.object({
  id: ClientId,
  name: z.string(),
  /** Unix time in milliseconds. */
  createdAt: z.number().int(),
  revokedAt: z.number().int().nullable(),
});
export type Client = z.infer<typeof Client>;

/** A client and its usage. Times are Unix milliseconds; tokens are the totals of reported and estimated counts. */
export const ClientSummary = Client.extend({
  /**
   * Kinds: `stored`: added by a person. `environment`: the fixed local key. `window`: this window's own calls. `chat`: its
   * conversations.
   */
  kind: z.enum(['stored', 'environment', 'window', 'chat']),
  lastUsedAt: z.number().int().nullable(),
  exchanges: z.number().int(),
  inputTokens: z.number(),
  outputTokens: z.number(),
});
export type ClientSummary = z.infer<typeof ClientSummary>;

/** A client with its new local key, which is returned only once and not stored. */
export const NewClient = z.object({ client: Client, key: z.string() });
export type NewClient = z.infer<typeof NewClient>;
