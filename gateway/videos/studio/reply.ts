import type { Readable } from 'node:stream';
import { Problem } from '../../../shared/problem.ts';
import {
  header,
  type Incoming,
  keyMask,
  type Outgoing,
  readRetryAfter,
  send,
  SendFailure,
  serviceCredentials,
  upstreamProblem,
} from '../../proxy/proxy.ts';
import { type Limit, openLimit } from './limit.ts';
import { BrokenOff, piecesOf } from './pieces.ts';
import { readJson } from './shapes.ts';
import type { Reply, Wire } from './studio.ts';
import { decodeBody } from '../../content-coding.ts';
import { MemoryBudget } from '../../memory-budget.ts';

/** One request to a service, without the key. */
export interface Asking {
  readonly method: 'GET' | 'POST';
  /** From `/v1` on. */
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly body: Buffer | Readable | null;
  /** Until the whole answer is there, in milliseconds. */
  readonly limitMs: number;
  /** Whether it costs something when it has arrived. */
  readonly charges: boolean;
  readonly signal: AbortSignal;
}

const MOST_BYTES = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Sends one request, once. Rejects only with the reason of the signal that stopped it. `now`: Unix time in milliseconds. */
export async function replyTo(wire: Wire, asking: Asking, now: () => number): Promise<Reply> {
  const limit = openLimit(asking.signal, asking.limitMs);
  try {
    const outgoing = addressed(wire, asking);
    wire.onHeaders?.('request', outgoing.headers);
    const incoming = await send(wire.connections.service, outgoing, {
      gone: limit.signal,
      caller: { client: null, isOrder: asking.charges, isRetry: false, onLeave: () => undefined },
    });
    wire.onHeaders?.('answer', incoming.headers);
    return await readAnswer(incoming, { wire, asking, now });
  } catch (error) {
    asking.signal.throwIfAborted();
    return noAnswer(error, { wire, asking, limit });
  } finally {
    limit.end();
  }
}

/** The request as it goes to the service, the key put on. Throws Problem when there is none. */
export function addressed(
  { target, key }: Wire,
  { method, path, headers, body }: Pick<Asking, 'method' | 'path' | 'headers' | 'body'>,
): Outgoing {
  return {
    origin: target.origin,
    path: target.basePath + path,
    method,
    // A coding would only be undone again, and makes no video smaller.
    headers: [...headers, 'accept-encoding', 'identity', ...serviceCredentials(key, JSON_ROUTE)],
    body,
  };
}

const JSON_ROUTE = { protocol: null } as const;

/** How long to wait as the service asks for it, at most a day. */
export function retryAfterOf({ headers }: Incoming, now: () => number): number | null {
  const asked = readRetryAfter(header(headers, 'retry-after') ?? null, now());
  return asked === null ? null : Math.min(asked, DAY_MS);
}

/** Text as it came, without the service key. */
export function plainText(bytes: Buffer, { key }: Pick<Wire, 'key'>): string {
  return keyMask(key.current()).text(new TextDecoder().decode(bytes));
}

interface Situation {
  readonly wire: Wire;
  readonly asking: Asking;
  readonly now: () => number;
}

/** With its head there is an answer, whatever becomes of the rest: an order that was taken stays taken. */
async function readAnswer(incoming: Incoming, { wire, asking, now }: Situation): Promise<Reply> {
  const { bytes, whole } = await readBody(incoming, MOST_BYTES);
  asking.signal.throwIfAborted();
  const text = plainText(bytes, wire);
  return {
    kind: 'answer',
    status: incoming.status,
    text,
    // The beginning of an answer could be read as another one.
    json: whole ? readJson(text) : undefined,
    retryAfterMs: retryAfterOf(incoming, now),
  };
}

/** What there was to read of an answer. */
interface ReadBody {
  readonly bytes: Buffer;
  /** Whether that is all of it. */
  readonly whole: boolean;
}

/** Reads so many bytes and drops the rest; of an answer that breaks off, what came. */
export async function readBody({ body, headers }: Incoming, most: number): Promise<ReadBody> {
  const pieces: Buffer[] = [];
  let left = most;
  let whole = true;
  try {
    for await (const piece of piecesOf(body)) {
      pieces.push(piece.subarray(0, left));
      left -= piece.length;
      if (left < 0) break;
    }
  } catch (error) {
    if (!(error instanceof BrokenOff)) throw error;
    whole = false;
  }
  const bytes = Buffer.concat(pieces);
  const coding = header(headers, 'content-encoding') ?? 'identity';
  // Kept as it came when it cannot be unpacked.
  const plain = await decodeBody(bytes, coding, {
    bytes: most,
    memory: new MemoryBudget(4 * most).open(),
  }).catch(() => null);
  return { bytes: plain ?? bytes, whole: whole && left >= 0 && plain !== null };
}

function noAnswer(
  error: unknown,
  { wire, asking, limit }: { wire: Wire; asking: Asking; limit: Limit },
): Reply {
  const { origin } = wire.target;
  const maybe = asking.charges ? ' The order may have arrived and may be charged.' : '';
  if (error instanceof Problem) return none(true, error.message);
  if (limit.isOver) {
    const seconds = Math.round(asking.limitMs / 1000);
    return none(false, `The service at ${origin} did not answer within ${seconds} s.${maybe}`);
  }
  if (!(error instanceof SendFailure)) throw error;
  return none(error.nothingSent, sentenceOf(error, origin) + (error.nothingSent ? '' : maybe));
}

/** What happened on the way to the service, for people. */
export function sentenceOf(failure: SendFailure, origin: string): string {
  if (failure.cause instanceof Problem) return failure.cause.message;
  const { code, message } = upstreamProblem(failure, origin);
  return code === 'upstream_connection_lost'
    ? `The connection to the service at ${origin} was lost before it had answered.`
    : message;
}

function none(nothingSent: boolean, sentence: string): Reply {
  return { kind: 'none', nothingSent, sentence };
}
