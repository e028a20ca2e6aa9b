import { STATUS_CODES } from 'node:http';
import { decodeBody } from '../../http/content-coding.ts';
import type { MemoryAllocator } from '../../lib/memory-budget.ts';
import { UpstreamBody, type FlowControl } from '../../http/upstream-body.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import { UpstreamSendError, toUpstreamProblem } from '../../http/errors.ts';
import { findContentCoding, withoutHeaders } from '../../http/headers.ts';
import type { StoredResponse } from './video-orders.ts';
import type { ProxyContext } from '../context.ts';
import { createRepair } from '../repair/create-repair.ts';
import { addVideoId } from '../repair/body/body.ts';
import type { UpstreamResponse } from '../../http/send.ts';

/** Maximum size of a stored response about a video, in bytes. */
const MAX_STORED_BYTES = 4 * 1024 * 1024;

/** Memory that is reserved for such a response before the request, in bytes. Usual responses are shorter. */
export const RESPONSE_RESERVE_BYTES = 128 * 1024;

/** A response for the client, and the copy of it that is stored; `null` for one that was too long. */
export interface RecordedResponse {
  readonly upstreamResponse: UpstreamResponse;
  readonly storedResponse: StoredResponse | null;
}

const NO_FLOW_CONTROL: FlowControl = {
  pause: () => undefined,
  resume: () => undefined,
  abort: () => undefined,
};

const FRAMING: ReadonlySet<string> = new Set(['content-length']);
/** Timeout for the body of a response after its head. */
const BODY_TIMEOUT_MS = 10 * 60_000;
const CODING: ReadonlySet<string> = new Set(['content-length', 'content-encoding']);

/** The proxy, and the memory that the stored response counts in. */
export interface StoreContext {
  readonly proxy: ProxyContext;
  readonly memory: MemoryAllocator;
}

/**
 * Buffers an answer whose body the client still reads, and makes the copy of it that is stored; `null` when it is too long, or there is
 * no memory for it. @throws Problem when the body breaks off.
 */
export async function storeResponse(
  upstreamResponse: UpstreamResponse,
  context: StoreContext,
): Promise<{ readonly storedResponse: StoredResponse; readonly bytesReceived: number } | null> {
  const bytes = await bufferBody(upstreamResponse, context);
  if (bytes === null) return null;
  const storedResponse = await toStoredResponse(upstreamResponse, bytes, context);
  return { storedResponse, bytesReceived: bytes.length };
}

async function bufferBody(
  { body }: UpstreamResponse,
  { proxy, memory }: StoreContext,
): Promise<Buffer | null> {
  const limit = { bytes: MAX_STORED_BYTES, ms: BODY_TIMEOUT_MS };
  const { bytes, ended } = await body.collect(limit, memory).catch((error: Error) => {
    throw toUpstreamProblem(new UpstreamSendError(error, false), proxy.target.origin);
  });
  body.putBack(bytes);
  return ended ? bytes : null;
}

async function toStoredResponse(
  { status, headers }: Pick<UpstreamResponse, 'status' | 'headers'>,
  bytes: Buffer,
  { proxy: { redact, now }, memory }: StoreContext,
): Promise<StoredResponse> {
  const plain = await decodeStored(headers, bytes, memory);
  const text = plain.bytes.toString('latin1');
  const clean = redact(text);
  return {
    status,
    headers: plain.headers.map((value, index) => (index % 2 === 0 ? value : redact(value))),
    body: clean === text ? plain.bytes : Buffer.from(clean, 'latin1'),
    at: now(),
  };
}

async function decodeStored(
  headers: readonly string[],
  bytes: Buffer,
  memory: MemoryAllocator,
): Promise<{ readonly headers: string[]; readonly bytes: Buffer }> {
  const coding = findContentCoding(headers);
  if (coding !== null) {
    try {
      const plain = await decodeBody(bytes, coding, { bytes: MAX_STORED_BYTES, memory });
      return { headers: withoutHeaders(headers, CODING), bytes: plain };
    } catch {
      // A body that cannot be decoded is stored as it came.
    }
  }
  return { headers: withoutHeaders(headers, FRAMING), bytes };
}

/** Gives a stored response again, and records its age. */
export function repeatResponse(
  response: StoredResponse,
  inFlight: InFlightExchange,
  now: number,
): UpstreamResponse {
  inFlight.repeatedMs = Math.max(0, now - response.at);
  inFlight.pathSent = null;
  return toUpstreamResponse(response);
}

/** Turns a stored response into one for the client, with its length. */
export function toUpstreamResponse({
  status,
  headers,
  body,
}: Pick<StoredResponse, 'status' | 'headers' | 'body'>): UpstreamResponse {
  return {
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: [...headers, 'content-length', String(body.length)],
    body: completedBody(body),
  };
}

/** Creates a body of which all bytes are there. */
export function completedBody(bytes: Buffer): UpstreamBody {
  const body = new UpstreamBody(NO_FLOW_CONTROL);
  if (bytes.length > 0) body.push(bytes);
  body.end();
  return body;
}

/** Adds the task's identifier as `id` to a response that has none, and records the repair. */
export function addTaskId(
  answer: RecordedResponse,
  taskId: string,
  inFlight: InFlightExchange,
): UpstreamResponse {
  const { upstreamResponse, storedResponse } = answer;
  if (storedResponse === null || storedResponse.status < 200 || storedResponse.status >= 300)
    return upstreamResponse;
  const body = addVideoId(storedResponse.body, taskId);
  if (body === null) return upstreamResponse;
  inFlight.addRepairs([createRepair('video-id-added', 'no id', `"id": ${JSON.stringify(taskId)}`)]);
  return toUpstreamResponse({ ...storedResponse, body });
}
