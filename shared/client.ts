import { z } from 'zod';

export const ClientId = z.string().brand<'ClientId'>();
export type ClientId = z.infer<typeof ClientId>;

/** What a person may call a client: one line of 1 to 64 visible characters. */
export const ClientName = z
  .string()
  .trim()
  .min(1, 'Give the client a name.')
  .max(64, 'A client name has at most 64 characters.')
  .regex(/^\P{Cc}+$/u, 'A client name is one line without control characters.');

/** A program with a local key of its own. The key itself is never part of this. */
export const Client = z.object({
  id: ClientId,
  name: z.string(),
  /** Unix time in milliseconds. */
  createdAt: z.number().int(),
  revokedAt: z.number().int().nullable(),
});
export type Client = z.infer<typeof Client>;
