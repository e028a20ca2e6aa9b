import { Readable } from 'node:stream';
import type { ByteChunks } from '../../lib/byte-chunks.ts';
import type { Model } from '../../../shared/model.ts';
import { Problem } from '../../../shared/problem.ts';
import { tryParseJson } from '../../lib/json-object.ts';
import { parseErrorMessage } from './inspect-response.ts';
import { findHeader, type RawHeaders } from '../../http/headers.ts';
import { ERROR_LIMIT, bufferForInspection } from './inspect-response.ts';
import { toUpstreamResponse } from '../videos/stored-response.ts';
import { createRepair } from '../repair/create-repair.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';

import type { ExchangeContext } from '../context.ts';

/** A request that the service has no address for, and its response. */
export interface UnansweredRequest {
  readonly first: UpstreamResponse;
  readonly upstreamRequest: UpstreamRequest;
  /** From `/v1` on, without the query. */
  readonly path: string;
}

const MODEL = '/v1/models/';
const COUNT = '/v1/messages/count_tokens';
/** Statuses of a service without such an address (RFC 9110 sections 15.5.5, 15.5.6, 15.6.2). */
const NO_SUCH_ADDRESS: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * Answers two addresses that clients ask for and that a service need not have (spec section 4): one model, from the list, and the
 * tokens of a Messages request, by a marked estimate. Everything else, and whatever the service has an answer to, passes as it came.
 */
export async function respondInPlace(
  unanswered: UnansweredRequest,
  context: ExchangeContext,
): Promise<UpstreamResponse> {
  const { first, upstreamRequest, path } = unanswered;
  if (!NO_SUCH_ADDRESS.has(first.status)) return first;
  const { method } = context.inFlight;
  const { body } = upstreamRequest;
  if ((method === 'GET' || method === 'HEAD') && path.startsWith(MODEL)) {
    return await findModelInList(path.slice(MODEL.length), unanswered, context);
  }
  const isBuffered = body !== null && !(body instanceof Readable);
  if (method === 'POST' && path === COUNT && isBuffered) {
    return await countTokensLocally(first, body, context);
  }
  return first;
}

async function findModelInList(
  raw: string,
  { first, upstreamRequest }: UnansweredRequest,
  context: ExchangeContext,
): Promise<UpstreamResponse> {
  const { proxy, inFlight } = context;
  const requested = decode(raw);
  const alias = proxy.aliases.find(inFlight.client?.id ?? null, requested);
  const match = await proxy.models.match(alias?.model ?? requested);
  const id = match.kind === 'one' ? match.id : (alias?.model ?? requested);
  const model = proxy.models.known().find((one) => one.id === id);
  inFlight.modelAsked = requested;
  if (model !== undefined) {
    first.body.discard();
    inFlight.addRepairs([
      createRepair('model-from-list', `${first.status} for ${requested}`, model.id),
    ]);
    // A client expects the model under the name that it asked for.
    const named = alias === null ? model : { ...model, id: requested };
    return createJsonResponse(200, toModelJson(named, upstreamRequest.headers));
  }
  // Without a list nothing is known, and the service's own answer is the best.
  const unknown = match.kind === 'none' && proxy.models.fetchedAt() !== null;
  if (!unknown || (await isModelNotFound(first, context))) return first;
  first.body.discard();
  inFlight.errorCode = 'model_not_found';
  inFlight.addRepairs([
    createRepair('model-from-list', `${first.status} for ${requested}`, 'model_not_found'),
  ]);
  const message = `The model "${requested.slice(0, 200)}" is not in the model list of the service. Ids must match exactly; GET /v1/models lists them all.`;
  const error = { message, type: 'not_found_error', code: 'model_not_found' };
  return createJsonResponse(
    404,
    isMessages(upstreamRequest.headers) ? { type: 'error', error } : { error },
  );
}

/** Formats a model; the Messages protocol has other field names (its API reference, "Get a Model"). */
function toModelJson(model: Model, headers: RawHeaders): object {
  if (!isMessages(headers)) return { object: 'model', ...model };
  return { type: 'model', display_name: model.id, ...model };
}

function isMessages(headers: RawHeaders): boolean {
  return findHeader(headers, 'anthropic-version') !== undefined;
}

async function isModelNotFound(
  first: UpstreamResponse,
  context: ExchangeContext,
): Promise<boolean> {
  const plain = await bufferForInspection(first, ERROR_LIMIT, context);
  return plain !== null && parseErrorMessage(plain).code === 'model_not_found';
}

async function countTokensLocally(
  first: UpstreamResponse,
  body: Buffer | ByteChunks,
  context: ExchangeContext,
): Promise<UpstreamResponse> {
  const { memory } = context;
  if (await refusesModel(first, context)) return first;
  const bytes = Buffer.isBuffer(body) ? body : body.join(memory);
  const request = tryParseJson(bytes.toString());
  if (request === undefined) return first;
  first.body.discard();
  if (!hasMessages(request)) {
    throw new Problem(
      'malformed_request',
      'The tokens of this request cannot be counted: its body must be a JSON object with "messages" as an array, as for /v1/messages.',
    );
  }
  const tokens = estimateTokens(request);
  context.inFlight.addRepairs([
    createRepair(
      'tokens-estimated',
      String(first.status),
      `about ${tokens} ${tokens === 1 ? 'token' : 'tokens'}`,
    ),
  ]);
  const answer = createJsonResponse(200, { input_tokens: tokens, estimated: true });
  return { ...answer, headers: [...answer.headers, 'x-gatehouse-estimate', 'input_tokens'] };
}

/** Whether the service knows the address and not the model: by its code, or in the words of the Messages protocol ("model: name"). */
async function refusesModel(first: UpstreamResponse, context: ExchangeContext): Promise<boolean> {
  const plain = await bufferForInspection(first, ERROR_LIMIT, context);
  if (plain === null) return false;
  const { code, message } = parseErrorMessage(plain);
  if (code === 'model_not_found') return true;
  return code === 'not_found_error' && /\bmodel\b/iu.test(message ?? '');
}

function hasMessages(request: unknown): boolean {
  return (
    typeof request === 'object' &&
    request !== null &&
    'messages' in request &&
    Array.isArray(request.messages)
  );
}

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    // Not percent-encoded after all.
    return raw;
  }
}

function createJsonResponse(status: number, json: object): UpstreamResponse {
  const headers = ['content-type', 'application/json'];
  return toUpstreamResponse({ status, headers, body: Buffer.from(JSON.stringify(json)) });
}

/** Estimate for an image or a document: the tokens of the largest image that the protocol does not scale down. */
const ATTACHMENT_TOKENS = 1_600;

/** Roles, brackets and names around a text. */
const TOKENS_PER_OBJECT = 3;

/** Longer texts are estimated from this many characters. */
const SAMPLE_LENGTH = 64 * 1024;

const ATTACHMENT_TYPES: ReadonlySet<unknown> = new Set([
  'image',
  'document',
  'input_image',
  'file',
]);

/**
 * Estimates how many tokens a parsed request of the Messages protocol has: about four Latin letters to a token, one of other scripts,
 * a fixed number for each image. Real tokenizers differ by a quarter either way, more for code and rare scripts. The time is bounded by
 * the number of values, for a long text is sampled and the bytes of images are not read.
 */
export function estimateTokens(request: unknown): number {
  let tokens = 0;
  const waiting: unknown[] = [request];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') tokens += textTokens(value);
    else if (typeof value === 'number' || typeof value === 'boolean') tokens += 1;
    else if (typeof value === 'object' && value !== null) {
      if ('type' in value && ATTACHMENT_TYPES.has(value.type)) tokens += ATTACHMENT_TOKENS;
      else {
        tokens += Array.isArray(value) ? 0 : TOKENS_PER_OBJECT;
        for (const inner of Object.values(value)) waiting.push(inner);
      }
    }
  }
  return Math.ceil(tokens);
}

function textTokens(text: string): number {
  const sampled = Math.min(text.length, SAMPLE_LENGTH);
  let tokens = 0;
  for (let at = 0; at < sampled; at += 1) tokens += text.charCodeAt(at) < 0x250 ? 0.25 : 0.8;
  return sampled === 0 ? 0 : (tokens * text.length) / sampled;
}
