import { STATUS_CODES } from 'node:http';
import { decodeBody } from '../content-coding.ts';
import type { Room } from '../memory-budget.ts';
import { AnswerBody, type Flow } from './answer-body.ts';
import type { Draft } from './draft.ts';
import { SendFailure, upstreamProblem } from './failure.ts';
import { header, withoutHeaders } from './hop.ts';
import type { KeptAnswer } from './orders.ts';
import type { ProxyParts } from './parts.ts';
import { advise } from './repair/advice.ts';
import { addId } from './repair/video-id.ts';
import type { Incoming } from './send.ts';

/** The most that is held of an answer about a video in order to keep it, in bytes. */
const MOST_KEPT = 4 * 1024 * 1024;

/** Room that is made for such an answer before it is asked for, in bytes: none of those that matter is longer. */
export const ANSWER_ROOM = 128 * 1024;

/** An answer as the client gets it, and what is kept of it: `null` for one that was too long. */
export interface Heard {
  readonly incoming: Incoming;
  readonly kept: KeptAnswer | null;
}

/** Nothing flows any more. */
const STILL: Flow = { pause: () => undefined, resume: () => undefined, abort: () => undefined };

const FRAMING: ReadonlySet<string> = new Set(['content-length']);
/** How long the body of an answer may take once its head is here. */
const BODY_MS = 10 * 60_000;
const CODING: ReadonlySet<string> = new Set(['content-length', 'content-encoding']);

/** Where an answer comes from that is kept, and what counts it. */
export interface Keeping {
  readonly parts: ProxyParts;
  readonly memory: Room;
}

/** The whole body, still to be read by the client; `null` when it is too long to be kept, or there is no room for it. Throws Problem when it breaks off. */
export async function wholeBody(
  { body }: Incoming,
  { parts, memory }: Keeping,
): Promise<Buffer | null> {
  const hold = { bytes: MOST_KEPT, ms: BODY_MS };
  const { bytes, ended } = await body.collect(hold, memory).catch((error: Error) => {
    throw upstreamProblem(new SendFailure(error, false), parts.target.origin);
  });
  body.putBack(bytes);
  return ended ? bytes : null;
}

/** Makes of an answer, whose body is `bytes`, what is kept of it. */
export async function keepable(
  { status, headers }: Pick<Incoming, 'status' | 'headers'>,
  bytes: Buffer,
  { parts: { redact, now }, memory }: Keeping,
): Promise<KeptAnswer> {
  const plain = await unpacked(headers, bytes, memory);
  const text = plain.bytes.toString('latin1');
  const clean = redact(text);
  return {
    status,
    headers: plain.headers.map((value, index) => (index % 2 === 0 ? value : redact(value))),
    body: clean === text ? plain.bytes : Buffer.from(clean, 'latin1'),
    at: now(),
  };
}

async function unpacked(
  headers: readonly string[],
  bytes: Buffer,
  memory: Room,
): Promise<{ readonly headers: string[]; readonly bytes: Buffer }> {
  const coding = header(headers, 'content-encoding');
  if (coding !== undefined) {
    try {
      const plain = await decodeBody(bytes, coding, { bytes: MOST_KEPT, memory });
      return { headers: withoutHeaders(headers, CODING), bytes: plain };
    } catch {
      // What we cannot read is kept as it came.
    }
  }
  return { headers: withoutHeaders(headers, FRAMING), bytes };
}

/** A kept answer as if it came now. Notes in the draft that it did not. */
export function replay(kept: KeptAnswer, draft: Draft, now: number): Incoming {
  draft.replayedMs = Math.max(0, now - kept.at);
  draft.pathSent = null;
  return wholeAnswer(kept);
}

/** An answer that is here in one piece, its length told. */
export function wholeAnswer({
  status,
  headers,
  body,
}: Pick<KeptAnswer, 'status' | 'headers' | 'body'>): Incoming {
  return {
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: [...headers, 'content-length', String(body.length)],
    body: arrived(body),
  };
}

/** A body that has come. */
export function arrived(bytes: Buffer): AnswerBody {
  const body = new AnswerBody(STILL);
  if (bytes.length > 0) body.push(bytes);
  body.end();
  return body;
}

/** The same answer with the task's identifier as `id`, unless it has one; the draft is told. */
export function withTaskId(answer: Heard, taskId: string, draft: Draft): Incoming {
  const { incoming, kept } = answer;
  if (kept === null || kept.status < 200 || kept.status >= 300) return incoming;
  const body = addId(kept.body, taskId);
  if (body === null) return incoming;
  draft.note([advise('video-id-added', 'no id', `"id": ${JSON.stringify(taskId)}`)]);
  return wholeAnswer({ ...kept, body });
}
