import { z } from 'zod';
import type { ExchangeBodies } from './exchange/body.ts';
import type { TextProtocol } from './chat/chat.ts';
import { ExchangeId, ExchangeRecord } from './exchange/exchange.ts';
import { findEnding } from './exchange/outcome.ts';
import { formatCount, pluralize } from './format.ts';
import { describeCost } from './money/describe-cost.ts';
import type { ExchangeDetail } from './history/history.ts';
import { isObject, type JsonObject, toObject, tryParse } from './parse-bodies/json.ts';
import { toExchangeRequest } from './request-code/exchange-request.ts';

/** Requests that are sent at once, each to a model. */
export const MAX_REPLAYS = 3;

/** A stored request to send again. */
export const ReplayRequest = z.object({
  /** Its exchange. */
  id: ExchangeId,
  /** Fields of its JSON that get these values, `model` and the messages among them. */
  changed: z.record(z.string().max(200), z.unknown()),
  /** Fields of its JSON that are left out. */
  removed: z.array(z.string().max(200)).max(200),
});
export type ReplayRequest = z.infer<typeof ReplayRequest>;

/** The response to a request that was sent again. */
export const ReplayResponse = z.object({
  /** The id of the new exchange; `null` when the proxy gave none. */
  id: ExchangeId.nullable(),
  status: z.number().int(),
  contentType: z.string().nullable(),
  /** Its body, with secrets masked. */
  text: z.string(),
  /** Whether its end is missing, because it broke off or is too long. */
  isCut: z.boolean(),
  /** The record of the new exchange; `null` when it was not written. */
  exchange: ExchangeRecord.nullable(),
});
export type ReplayResponse = z.infer<typeof ReplayResponse>;

/** `started`: the response has begun. `ended`: all of it is there, and nothing follows. */
export const ReplayEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), id: ExchangeId.nullable() }),
  z.object({ kind: z.literal('ended'), response: ReplayResponse }),
]);
export type ReplayEvent = z.infer<typeof ReplayEvent>;

/** The size of a request that may be sent again: `bytes` of UTF-8 without its images, which are counted. `continues`: whether the service adds messages that it has stored. `first`: that of the first request, with the tokens of its exchange, those of its answer if that was whole. */
export const ReplayDraft = z.object({
  models: z.array(z.string().min(1).max(256)).max(MAX_REPLAYS),
  bytes: z.number().int().nonnegative(),
  images: z.number().int().nonnegative(),
  /** The most tokens that it allows for the answer; `null` for no limit. */
  maxTokens: z.number().int().positive().nullable(),
  continues: z.boolean(),
  first: z.object({
    bytes: z.number().int().positive(),
    images: z.number().int().nonnegative(),
    continues: z.boolean(),
    input: z.number().int().nonnegative().nullable(),
    output: z.number().int().nonnegative().nullable(),
  }),
});
export type ReplayDraft = z.infer<typeof ReplayDraft>;

/** What a request would cost at a model, in millionths of the currency; `null` when that is not known. `sent`: the model that it would be sent to. */
export const ReplayCost = z.object({
  model: z.string(),
  sent: z.string(),
  amount: z.number().nullable(),
});
export type ReplayCost = z.infer<typeof ReplayCost>;

/** A stored request that can be sent again. */
export interface ReplayableRequest {
  readonly protocol: TextProtocol;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** `text`, parsed. */
  readonly fields: JsonObject;
}

/** A request to send again, or the reason why it cannot be sent. */
export type Replayable =
  | { readonly request: ReplayableRequest; readonly reason: null }
  | { readonly request: null; readonly reason: string };

/** Makes the request of a stored exchange, as the service got it. Only a complete request for text, in JSON, without masks can be sent. */
export function toReplayable(detail: ExchangeDetail, bodies: ExchangeBodies): Replayable {
  const found = toExchangeRequest(detail, bodies, '');
  if (found.request === null) return refuse(found.reason);
  const { protocol, path, headers, body } = found.request;
  if (protocol === null) return refuse('Only a request for text to a model can be sent again.');
  const masked = (bodies.sent ?? bodies.received)?.masked ?? 0;
  if (masked > 0) {
    return refuse(`It has ${pluralize(masked, 'masked secret')}, so it is not what was sent.`);
  }
  const fields = body === null ? undefined : tryParse(body);
  if (body === null || !isObject(fields)) return refuse('It is not a JSON object.');
  return { request: { protocol, path, headers, text: body, fields }, reason: null };
}

function refuse(reason: string): Replayable {
  return { request: null, reason };
}

/** Returns the JSON of a request with its changes; without any that makes a difference, the very text that was sent. */
export function changeRequest(
  { text, fields }: Pick<ReplayableRequest, 'text' | 'fields'>,
  { changed, removed }: Pick<ReplayRequest, 'changed' | 'removed'>,
): string {
  const other = Object.entries(changed).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(fields[name]),
  );
  if (removed.length === 0 && other.length === 0) return text;
  const kept = Object.entries(fields).filter(([name]) => !removed.includes(name));
  return JSON.stringify({ ...Object.fromEntries(kept), ...Object.fromEntries(other) });
}

/** The size of a request, from which its cost is estimated. */
export interface ReplaySize {
  /** Its JSON without its images. */
  readonly text: string;
  readonly images: number;
  /** The most tokens that it allows for the answer; `null` for no limit. */
  readonly maxTokens: number | null;
  /** Whether the service adds messages that it has stored, which count as tokens of the request. */
  readonly continues: boolean;
}

const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image', 'image_url', 'input_image']);
const MAX_TOKENS = ['max_completion_tokens', 'max_output_tokens', 'max_tokens'];

/** Measures a request with its changes. */
export function measureReplay(
  request: ReplayableRequest,
  changes: Pick<ReplayRequest, 'changed' | 'removed'>,
): ReplaySize {
  let images = 0;
  const fields = tryParse(changeRequest(request, changes));
  const text = JSON.stringify(fields, (_, value: unknown) => {
    if (!isObject(value) || !IMAGE_TYPES.has(value['type'])) return value;
    images += 1;
    return null;
  });
  const limits = MAX_TOKENS.map((name) => (isObject(fields) ? fields[name] : null));
  const maxTokens = limits.find(
    (limit): limit is number => typeof limit === 'number' && Number.isInteger(limit) && limit > 0,
  );
  const continues = continuesStored(request.protocol, toObject(fields));
  return { text, images, maxTokens: maxTokens ?? null, continues };
}

function continuesStored(protocol: TextProtocol, fields: JsonObject): boolean {
  if (protocol === 'messages') return toObject(fields['thread'])['type'] === 'continue';
  if (protocol === 'chat') return false;
  return (fields['previous_response_id'] ?? fields['conversation'] ?? null) !== null;
}

/** Measures the first request, and says how many tokens its exchange had. `countBytes`: of a text in UTF-8. */
export function measureFirst(
  request: ReplayableRequest,
  exchange: Pick<ExchangeRecord, 'usage' | 'status' | 'errorCode' | 'endedBy'>,
  countBytes: (text: string) => number,
): ReplayDraft['first'] {
  const { text, ...size } = measureReplay(request, { changed: {}, removed: [] });
  const { images, maxTokens, continues } = size;
  const { input, output } = exchange.usage;
  const isWhole =
    findEnding(exchange) === 'answered' &&
    (maxTokens === null || output === null || output < maxTokens);
  return { bytes: countBytes(text), images, continues, input, output: isWhole ? output : null };
}

/** Says of the first request how many tokens it had, and what it cost where that is known. */
export function describeFirstCost(
  { usage, cost, service }: Pick<ExchangeRecord, 'usage' | 'cost' | 'service'>,
  currency: string,
): string {
  const amount = cost?.amount == null ? null : describeCost(cost, { currency, service });
  if (usage.input === null) {
    const rest = amount === null ? '' : ` It cost ${amount}.`;
    return `The tokens of the first request are not known.${rest}`;
  }
  const rest = amount === null ? '' : `, and cost ${amount}`;
  return `The first request had ${pluralize(usage.input, 'token')} in and ${formatCount(usage.output)} out${rest}.`;
}
