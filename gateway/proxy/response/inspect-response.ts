import { wrapModelList } from '../../models/models.ts';
import type { MemoryAllocator } from '../../lib/memory-budget.ts';
import type { UpstreamBody } from '../../http/upstream-body.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import { parseErrorMessage, suggestModels } from './parse-error.ts';
import { UpstreamSendError, toUpstreamProblem } from '../../http/errors.ts';
import {
  type BufferLimit,
  ERROR_LIMIT,
  MODEL_LIST_LIMIT,
  bufferDecodedBody,
} from './buffer-body.ts';
import { withoutHeaders } from '../../http/headers.ts';
import type { ProxyContext } from '../context.ts';
import { createRepair } from '../repair/create-repair.ts';
import type { Route } from '../route.ts';
import type { UpstreamResponse } from '../../http/send.ts';

/** An answer as it goes to the client: as it came, or in one piece because something in it was repaired. */
export interface ClientResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly string[];
  readonly body: UpstreamBody | Buffer;
}

export interface InspectionContext {
  readonly parts: ProxyContext;
  readonly draft: InFlightExchange;
  readonly memory: MemoryAllocator;
  readonly route: Route;
}

const CODING: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

/** Looks at the two kinds of answer that may need repair, the model list and errors. All others pass untouched. */
export function inspectResponse(
  incoming: UpstreamResponse,
  review: InspectionContext,
): ClientResponse | Promise<ClientResponse> {
  if (incoming.status >= 400) return inspectError(incoming, review);
  const isList = incoming.status === 200 && review.route.name === 'models';
  return isList ? inspectModelList(incoming, review) : incoming;
}

/** The same headers for a body that is no longer encoded, its length not yet known. */
export function withoutCoding(headers: readonly string[]): string[] {
  return withoutHeaders(headers, CODING);
}

async function inspectModelList(
  incoming: UpstreamResponse,
  { parts, draft, memory }: InspectionContext,
): Promise<ClientResponse> {
  const plain = await held(incoming, MODEL_LIST_LIMIT, { parts, memory });
  if (plain === null) return incoming;
  // A query may ask for a part of the list only.
  if (draft.pathSent?.includes('?') !== true) parts.models.learn(plain);
  const wrapped = parts.strict ? null : wrapModelList(plain);
  if (wrapped === null || !wrapped.changed) return incoming;
  draft.addRepairs([
    createRepair('models-wrapper', 'the wrapper of the service', '{"object": "list", "data": […]}'),
  ]);
  return replaced(incoming, wrapped.body);
}

async function inspectError(
  incoming: UpstreamResponse,
  { parts, draft, memory }: InspectionContext,
): Promise<ClientResponse> {
  const plain = await held(incoming, ERROR_LIMIT, { parts, memory });
  if (plain === null) return incoming;
  const error = parseErrorMessage(plain);
  draft.errorCode = error.code;
  draft.errorMessage = error.message;
  let bytes = withoutKey(plain, { parts, draft });
  if (draft.errorCode === 'model_not_found' && draft.modelAsked !== null && !parts.strict) {
    const match = await parts.models.match(draft.modelAsked);
    const suggested =
      match.kind === 'none' ? suggestModels(bytes, draft.modelAsked, match.suggestions) : null;
    if (suggested !== null) {
      draft.addRepairs([suggested.repair]);
      bytes = suggested.bytes;
    }
  }
  return bytes === plain ? incoming : replaced(incoming, bytes);
}

/** Some services repeat the key they refuse: it goes no further than here, also in strict mode. */
function withoutKey(
  bytes: Buffer,
  { parts, draft }: Pick<InspectionContext, 'parts' | 'draft'>,
): Buffer {
  const text = bytes.toString('latin1');
  const redacted = parts.redact(text);
  if (redacted === text) return bytes;
  draft.addRepairs([
    createRepair('key-redacted', 'an error that repeats the service key', 'the same without it'),
  ]);
  return Buffer.from(redacted, 'latin1');
}

/** Holds an answer; one that breaks off meanwhile is the service's failure. */
function held(
  incoming: UpstreamResponse,
  hold: BufferLimit,
  { parts, memory }: Pick<InspectionContext, 'parts' | 'memory'>,
): Promise<Buffer | null> {
  return bufferDecodedBody(incoming, hold, memory).catch((error: Error) => {
    throw toUpstreamProblem(new UpstreamSendError(error, false), parts.target.origin);
  });
}

function replaced(incoming: UpstreamResponse, body: Buffer): ClientResponse {
  const headers = [...withoutCoding(incoming.headers), 'content-length', String(body.length)];
  return { status: incoming.status, statusText: incoming.statusText, headers, body };
}
