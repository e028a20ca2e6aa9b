import { z } from 'zod';
import { ExchangeId, type ExchangeRecord } from './exchange.ts';

/** A body of an exchange as it is stored: decoded, and with secrets masked. */
export const StoredBody = z.object({
  /** Its text; empty when it is binary. */
  text: z.string(),
  /** Whether it is not UTF-8 text; nothing of it is stored then. */
  binary: z.boolean(),
  /** Number of bytes that passed, before decoding. */
  bytes: z.number().int(),
  /** `Content-Type`. */
  contentType: z.string().nullable(),
  /** The middle that is not stored: its position in `text` and its number of bytes. `null` when everything is there. */
  omitted: z.object({ at: z.number().int(), bytes: z.number().int() }).nullable(),
  /** Number of secrets that were masked. */
  masked: z.number().int(),
  /** For an event stream: when each event was complete, in milliseconds after the exchange began. `null` for any other body. */
  eventTimes: z.array(z.number()).nullable(),
});
export type StoredBody = z.infer<typeof StoredBody>;

/** The messages before those of a request that sent only what is new, as far as their requests and responses are stored. */
export const EarlierMessages = z.object({
  /** An array of them as JSON, in the form of the protocol. */
  items: z.string(),
  count: z.number().int(),
  /**
   * How they begin. `whole`: with the first request of the conversation. `not kept`: with a response that is not stored here. `too long` or
   * `too many`: with the newest ones that are shown, because the messages or their requests exceed a limit.
   */
  start: z.enum(['whole', 'not kept', 'too long', 'too many']),
  /** The place before which some are missing, in the middle of a request; `null` for none. */
  gap: z.number().int().nullable(),
  /** Whether a response among them is not complete. */
  isCutOff: z.boolean(),
  /** Whether one of the responses shares its id with another one, so that the latest one before was taken. */
  isAmbiguous: z.boolean(),
});
export type EarlierMessages = z.infer<typeof EarlierMessages>;

/** The bodies of an exchange. */
export const ExchangeBodies = z.object({
  /** `running`: the exchange is in flight, and this is what passed so far. `absent`: none are stored, or they were deleted. */
  state: z.enum(['kept', 'running', 'absent']),
  /** The request as the client sent it; `null` when it went to the service unchanged. */
  received: StoredBody.nullable(),
  /** The request as the service got it; `null` when nothing was sent, or when it was an upload. */
  sent: StoredBody.nullable(),
  /** The response as the client got it. */
  returned: StoredBody.nullable(),
  /** The messages before those of the request, where it sent only what is new; absent for any other request. */
  earlier: EarlierMessages.optional(),
});
export type ExchangeBodies = z.infer<typeof ExchangeBodies>;

/**
 * Returns the request of an exchange as the service got it, without the member with which Gatehouse asked why the cache missed; `null` when
 * it is not stored.
 */
export function toUnaskedRequest(
  { repairs }: Pick<ExchangeRecord, 'repairs'>,
  { sent, received }: Pick<ExchangeBodies, 'sent' | 'received'>,
): StoredBody | null {
  const body = sent ?? received;
  const added = repairs.find(({ code }) => code === 'cache-reason-asked')?.after ?? '';
  if (body === null || added === '') return body;
  const { text } = body;
  // It is the last one of its name, so that an equal text before it is of its client.
  const start = text.lastIndexOf(added);
  if (start === -1) return body;
  const from = text[start - 1] === ',' ? start - 1 : start;
  return { ...body, text: text.slice(0, from) + text.slice(start + added.length) };
}

/** Maximum number of exchanges that a search in bodies finds. */
export const MAX_BODY_HITS = 2_000;

/** What a search in bodies has found so far, the latest first. */
export const BodySearchResult = z.object({
  ids: z.array(ExchangeId).max(MAX_BODY_HITS),
  /** `stopped`: there may be more, earlier than `through`, because it took too long or there were too many. */
  state: z.enum(['running', 'done', 'stopped']),
  /** When the last of them began, in Unix milliseconds; `null` when there is none. */
  through: z.number().int().nullable(),
});
export type BodySearchResult = z.infer<typeof BodySearchResult>;

/** Sizes of the stored bodies. */
export const BodiesSize = z.object({
  /** Exchanges with bodies. */
  exchanges: z.number().int(),
  /** Bytes of the bodies as they passed, as far as they are stored. */
  plain: z.number().int(),
  /** Bytes on the disk. */
  stored: z.number().int(),
  /** About how many bytes on the disk would be free if bodies were kept for so many days only, fewer days first. */
  freed: z.array(z.object({ days: z.number().int(), bytes: z.number().int() })),
});
export type BodiesSize = z.infer<typeof BodiesSize>;
