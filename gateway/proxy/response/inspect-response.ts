import { splitPattern } from '../../../shared/name-pattern.ts';
import { appendModels, wrapModelList } from '../../models/models.ts';
import type { MemoryAllocator } from '../../lib/memory-budget.ts';
import type { UpstreamBody } from '../../http/upstream-body.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';

import { UpstreamSendError, toUpstreamProblem } from '../../http/errors.ts';

import { withoutHeaders, findContentCoding } from '../../http/headers.ts';
import type { ProxyContext } from '../context.ts';
import { createRepair } from '../repair/create-repair.ts';
import type { Route } from '../route.ts';
import type { UpstreamResponse } from '../../http/send.ts';
import type { RouteName } from '../../../shared/exchange/exchange.ts';
import { describeUnexpectedAnswer } from '../../../shared/exchange/outcome.ts';
import type { Repair } from '../../../shared/exchange/repair.ts';
import { parseTree, findNodeAtLocation } from 'jsonc-parser';
import { ErrorBody } from '../../../shared/failure/error-body.ts';
import { tryParseJson } from '../../lib/json-object.ts';
import { decodeBody } from '../../http/content-coding.ts';
import { findUnexpectedType } from '../../http/unexpected-type.ts';

/** A response for the client: relayed as it came, or buffered because something in it was repaired. */
export interface ClientResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly string[];
  readonly body: UpstreamBody | Buffer;
}

export interface InspectionContext {
  readonly proxy: ProxyContext;
  readonly inFlight: InFlightExchange;
  readonly memory: MemoryAllocator;
  readonly route: Route;
}

const CODING: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

/** Inspects the two kinds of response that may need repair, the model list and errors. All others are returned as they are. */
export function inspectResponse(
  upstreamResponse: UpstreamResponse,
  context: InspectionContext,
): ClientResponse | Promise<ClientResponse> {
  if (upstreamResponse.status >= 400) return inspectError(upstreamResponse, context);
  const isList = upstreamResponse.status === 200 && context.route.name === 'models';
  return isList ? inspectModelList(upstreamResponse, context) : upstreamResponse;
}

/** Removes the headers of an encoded body, and its length. */
export function withoutCoding(headers: readonly string[]): string[] {
  return withoutHeaders(headers, CODING);
}

async function inspectModelList(
  upstreamResponse: UpstreamResponse,
  { proxy, inFlight, memory }: InspectionContext,
): Promise<ClientResponse> {
  const plain = await bufferForInspection(upstreamResponse, MODEL_LIST_LIMIT, { proxy, memory });
  if (plain === null) return upstreamResponse;
  // A query may ask for a part of the list only.
  if (inFlight.pathSent?.includes('?') !== true) proxy.models.learn(plain);
  const wrapped = proxy.strict ? null : wrapModelList(plain);
  if (wrapped === null) return upstreamResponse;
  if (wrapped.changed) {
    inFlight.addRepairs([
      createRepair(
        'models-wrapper',
        'the wrapper of the service',
        '{"object": "list", "data": […]}',
      ),
    ]);
  }
  const listed = withAliases(wrapped.body, { proxy, inFlight });
  return listed === plain ? upstreamResponse : withBody(upstreamResponse, listed);
}

/** Adds the aliases of whole names to a list, with the facts of their models: some clients refuse a name that is not in the list. */
function withAliases(
  list: Buffer,
  { proxy, inFlight }: Pick<InspectionContext, 'proxy' | 'inFlight'>,
): Buffer {
  const aliases = proxy.aliases
    .listWhole(inFlight.client?.id ?? null)
    .map(({ name, model }) => ({ id: splitPattern(name).join(''), model }))
    .filter(({ id }) => !proxy.models.has(id));
  if (aliases.length === 0) return list;
  const known = new Map(proxy.models.known().map((model) => [model.id, model]));
  const added = aliases.map(({ id, model }) => ({ object: 'model', ...known.get(model), id }));
  const names = aliases.map(({ id }) => id).join(', ');
  inFlight.addRepairs([createRepair('model-alias', 'the model list', `the same with ${names}`)]);
  return appendModels(list, added);
}

async function inspectError(
  upstreamResponse: UpstreamResponse,
  { proxy, inFlight, memory }: InspectionContext,
): Promise<ClientResponse> {
  const plain = await bufferForInspection(upstreamResponse, ERROR_LIMIT, { proxy, memory });
  if (plain === null) return upstreamResponse;
  const error = parseErrorMessage(plain);
  inFlight.errorCode = error.code;
  inFlight.errorMessage = error.message;
  let bytes = withoutKey(plain, { proxy, inFlight });
  const { modelSent } = inFlight;
  if (inFlight.errorCode === 'model_not_found' && modelSent !== null && !proxy.strict) {
    const match = await proxy.models.match(modelSent);
    const suggested =
      match.kind === 'none' ? suggestModels(bytes, modelSent, match.suggestions) : null;
    if (suggested !== null) {
      inFlight.addRepairs([suggested.repair]);
      bytes = suggested.bytes;
    }
  }
  return bytes === plain ? upstreamResponse : withBody(upstreamResponse, bytes);
}

/** Redacts the service key, which some services repeat in their errors, also in strict mode. */
function withoutKey(
  bytes: Buffer,
  { proxy, inFlight }: Pick<InspectionContext, 'proxy' | 'inFlight'>,
): Buffer {
  const text = bytes.toString('latin1');
  const redacted = proxy.redact(text);
  if (redacted === text) return bytes;
  inFlight.addRepairs([
    createRepair(
      'key-redacted',
      'an error that repeats the service key',
      'the same error without it',
    ),
  ]);
  return Buffer.from(redacted, 'latin1');
}

/** Buffers a response, decoded, as `bufferDecodedBody` does. @throws Problem when it breaks off. */
export function bufferForInspection(
  upstreamResponse: UpstreamResponse,
  limit: BufferLimit,
  { proxy, memory }: Pick<InspectionContext, 'proxy' | 'memory'>,
): Promise<Buffer | null> {
  return bufferDecodedBody(upstreamResponse, limit, memory).catch((error: Error) => {
    throw toUpstreamProblem(new UpstreamSendError(error, false), proxy.target.origin);
  });
}

function withBody(upstreamResponse: UpstreamResponse, body: Buffer): ClientResponse {
  const headers = [
    ...withoutCoding(upstreamResponse.headers),
    'content-length',
    String(body.length),
  ];
  return {
    status: upstreamResponse.status,
    statusText: upstreamResponse.statusText,
    headers,
    body,
  };
}

/** Reads `error.code`, or else `error.type`, and `error.message` from an error body. */
export function parseErrorMessage(bytes: Buffer): { code: string | null; message: string | null } {
  const error = parseErrorBody(bytes)?.error;
  return { code: error?.code ?? error?.type ?? null, message: error?.message ?? null };
}

/** Adds to a `model_not_found` answer which models were probably meant. Every other byte stays. */
export function suggestModels(
  bytes: Buffer,
  requestedModel: string,
  suggestions: readonly string[],
): { readonly bytes: Buffer; readonly repair: Repair } | null {
  const text = bytes.toString('utf8');
  const tree = parseTree(text);
  const message = tree && findNodeAtLocation(tree, ['error', 'message']);
  if (message?.type !== 'string' || suggestions.length === 0) return null;
  const meant = suggestions.map((id) => `"${id}"`).join(', ');
  const longer = `${String(message.value)} Did you mean ${meant}?`;
  const end = message.offset + message.length;
  return {
    bytes: Buffer.from(text.slice(0, message.offset) + JSON.stringify(longer) + text.slice(end)),
    repair: createRepair('model-suggestion', requestedModel, suggestions.join(', ')),
  };
}

function parseErrorBody(bytes: Buffer): ErrorBody | null {
  // An error page of something between us and the service is not JSON.
  return ErrorBody.safeParse(tryParseJson(bytes.toString('utf8'))).data ?? null;
}

/** Limits for buffering a response: size in bytes, and time in milliseconds, because an error may come without an end. */
export interface BufferLimit {
  readonly bytes: number;
  readonly ms: number;
}

export const ERROR_LIMIT: BufferLimit = { bytes: 64 * 1024, ms: 2_000 };

const MODEL_LIST_LIMIT: BufferLimit = { bytes: 16 * 1024 * 1024, ms: 60_000 };

/**
 * Buffers a body, puts it back to be read again, and returns it decoded; `null` when it is too long, cannot be decoded, or there is no
 * memory for it. Rejects when the body breaks off.
 */
async function bufferDecodedBody(
  { body, headers }: UpstreamResponse,
  limit: BufferLimit,
  memory: MemoryAllocator,
): Promise<Buffer | null> {
  const { bytes, ended } = await body.collect(limit, memory);
  body.putBack(bytes);
  if (!ended) return null;
  const coding = findContentCoding(headers);
  if (coding === null) return bytes;
  try {
    return await decodeBody(bytes, coding, { bytes: limit.bytes, memory });
  } catch {
    // The client gets the body as it came.
    return null;
  }
}

const REDIRECTED =
  'The service redirected this request instead of answering it. The client got the redirect. Likely causes: a sign-in page of this network, or a service that has moved: check its base address.';

interface Answer {
  readonly status: number;
  /** Its `Content-Type`. */
  readonly type: string | undefined;
}

/**
 * Records an answer of the service as a failure when clients cannot use it: one with success whose type says that it is no JSON
 * although its route answers JSON, and a redirect of a request to a model. The answer itself stays as it is.
 */
export function recordUnusable(
  { status, type }: Answer,
  route: Route,
  inFlight: InFlightExchange,
): void {
  if (inFlight.attempts === 0 || status >= 400) return;
  if (status >= 300) {
    if (route.protocol === null) return;
    inFlight.errorCode = 'redirected';
    inFlight.errorMessage = REDIRECTED;
    return;
  }
  if (status === 204 || !answersJson(route, inFlight.method)) return;
  const shown = findUnexpectedType(type);
  if (shown === null) return;
  inFlight.errorCode = 'unexpected_content_type';
  inFlight.errorMessage = describeUnexpectedAnswer(shown);
}

/** Records an answer with success as a failure when it is a page, whatever its type says, unless another failure of it is known. */
export function recordPage(inFlight: InFlightExchange): void {
  inFlight.isPage = true;
  if (inFlight.errorCode !== null) return;
  inFlight.errorCode = 'unexpected_content_type';
  inFlight.errorMessage = describeUnexpectedAnswer('a page');
}

const JSON_ROUTES: ReadonlySet<RouteName> = new Set(['models', 'video-submit', 'video-status']);

/** A file is sent as it is, but the answer to an upload is JSON. */
function answersJson({ name, protocol }: Route, method: string): boolean {
  return protocol !== null || JSON_ROUTES.has(name) || (name === 'files' && method === 'POST');
}
