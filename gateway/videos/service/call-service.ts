import { isFree } from '../../../shared/money/charge.ts';
import type { Readable } from 'node:stream';
import { Problem } from '../../../shared/problem.ts';
import { findHeader } from '../../http/headers.ts';
import { type UpstreamResponse, type UpstreamRequest, send } from '../../http/send.ts';
import { createKeyMask } from '../../keys/key-mask.ts';
import { parseRetryAfter } from '../../http/retry.ts';
import { UpstreamSendError, toUpstreamProblem } from '../../http/errors.ts';
import { serviceCredentials } from '../../keys/service-credentials.ts';
import { type IdleTimeout, startIdleTimeout } from './idle-timeout.ts';
import { StreamInterruptedError, readChunks } from './read-chunks.ts';
import { parseReply } from './detect-fields.ts';
import type { Reply, ServiceConnection } from './types.ts';
import { decodeBody } from '../../http/content-coding.ts';
import { MemoryBudget } from '../../lib/memory-budget.ts';

/** A request to a service, without the key. */
export interface ServiceCall {
  readonly method: 'GET' | 'POST';
  /** The path from `/v1` on. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer | Readable | null;
  /** Timeout for the complete answer, in milliseconds. */
  readonly limitMs: number;
  /** Whether the request is charged when it arrives. */
  readonly charges: boolean;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Sends a request once. Rejects only with the reason of its signal. `now` gives the Unix time in milliseconds. */
export async function callService(
  connection: ServiceConnection,
  call: ServiceCall,
  now: () => number,
): Promise<Reply> {
  const limit = startIdleTimeout(call.signal, call.limitMs);
  try {
    const upstreamRequest = toUpstreamRequest(connection, call);
    connection.onHeaders?.('request', upstreamRequest.headers);
    const upstreamResponse = await send(connection.connections.service, upstreamRequest, {
      signal: limit.signal,
      caller: { client: null, isOrder: call.charges, isRetry: false, onLeave: () => undefined },
    });
    connection.onHeaders?.('answer', upstreamResponse.headers);
    return await readAnswer(upstreamResponse, { connection, call, now });
  } catch (error) {
    call.signal.throwIfAborted();
    return toNoAnswer(error, { connection, call, limit });
  } finally {
    limit.end();
  }
}

/** Builds the request with the service key. @throws Problem when there is no key */
export function toUpstreamRequest(
  { target, key }: ServiceConnection,
  { method, path, headers, body }: Pick<ServiceCall, 'method' | 'path' | 'headers' | 'body'>,
): UpstreamRequest {
  return {
    origin: target.origin,
    path: target.basePath + path,
    method,
    // A content coding would be decoded at once, and does not make videos smaller.
    headers: [...headers, 'accept-encoding', 'identity', ...serviceCredentials(key, JSON_ROUTE)],
    body,
  };
}

const JSON_ROUTE = { protocol: null } as const;

/** Parses the delay that the service asks for, at most a day; `null` when there is none. */
export function parseCappedRetryAfter(
  { headers }: UpstreamResponse,
  now: () => number,
): number | null {
  const retryAfter = parseRetryAfter(findHeader(headers, 'retry-after') ?? null, now());
  return retryAfter === null ? null : Math.min(retryAfter, DAY_MS);
}

/** Decodes text and removes the service key. */
export function toRedactedText(bytes: Buffer, { key }: Pick<ServiceConnection, 'key'>): string {
  return createKeyMask(key.current()).text(new TextDecoder().decode(bytes));
}

interface CallContext {
  readonly connection: ServiceConnection;
  readonly call: ServiceCall;
  readonly now: () => number;
}

/** Reads the reply. With its head there is an answer, even if the body breaks off: an accepted order stays accepted. */
async function readAnswer(
  upstreamResponse: UpstreamResponse,
  { connection, call, now }: CallContext,
): Promise<Reply> {
  const { bytes, complete } = await readBody(upstreamResponse, MAX_BYTES);
  call.signal.throwIfAborted();
  const text = toRedactedText(bytes, connection);
  return {
    kind: 'answer',
    status: upstreamResponse.status,
    text,
    // The beginning of a JSON text may be another valid text.
    json: complete ? parseReply(text) : undefined,
    retryAfterMs: parseCappedRetryAfter(upstreamResponse, now),
  };
}

/** The part of a body that was read. */
interface ReadBody {
  readonly bytes: Buffer;
  /** Whether that is the whole body. */
  readonly complete: boolean;
}

/** Reads up to `limit` bytes and drops the rest. Of a body that breaks off it returns the bytes that came. */
export async function readBody(
  { body, headers }: UpstreamResponse,
  maxBytes: number,
): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let remaining = maxBytes;
  let complete = true;
  try {
    for await (const chunk of readChunks(body)) {
      chunks.push(chunk.subarray(0, remaining));
      remaining -= chunk.length;
      if (remaining < 0) break;
    }
  } catch (error) {
    if (!(error instanceof StreamInterruptedError)) throw error;
    complete = false;
  }
  const bytes = Buffer.concat(chunks);
  const coding = findHeader(headers, 'content-encoding') ?? 'identity';
  // A body that cannot be decoded is returned as it came.
  const plain = await decodeBody(bytes, coding, {
    bytes: maxBytes,
    memory: new MemoryBudget(4 * maxBytes).open(),
  }).catch(() => null);
  return { bytes: plain ?? bytes, complete: complete && remaining >= 0 && plain !== null };
}

function toNoAnswer(
  error: unknown,
  {
    connection,
    call,
    limit,
  }: { connection: ServiceConnection; call: ServiceCall; limit: IdleTimeout },
): Reply {
  const { origin } = connection.target;
  const charge = isFree(connection.service) ? '' : ' and may be charged';
  const maybe = call.charges ? ` The order may have arrived${charge}.` : '';
  if (error instanceof Problem) return noAnswer(true, error.message);
  if (limit.isOver) {
    const seconds = Math.round(call.limitMs / 1000);
    return noAnswer(false, `The service at ${origin} did not answer within ${seconds} s.${maybe}`);
  }
  if (!(error instanceof UpstreamSendError)) throw error;
  return noAnswer(
    error.nothingSent,
    describeSendError(error, origin) + (error.nothingSent ? '' : maybe),
  );
}

/** Describes a send error for people. */
export function describeSendError(failure: UpstreamSendError, origin: string): string {
  if (failure.cause instanceof Problem) return failure.cause.message;
  const { code, message } = toUpstreamProblem(failure, origin);
  return code === 'upstream_connection_lost'
    ? `The connection to the service at ${origin} was lost before it answered.`
    : message;
}

function noAnswer(nothingSent: boolean, sentence: string): Reply {
  return { kind: 'none', nothingSent, sentence };
}
