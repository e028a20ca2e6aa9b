import { Problem } from '../../shared/problem.ts';
import { SendFailure } from './failure.ts';
import { forward } from './forward.ts';
import { header } from './hop.ts';
import { type Heard, keepable, replay, wholeBody } from './kept-answer.ts';
import type { OrderVerdict, SentOrder, VideoOrder } from './orders.ts';
import { outlive } from './outlive.ts';
import { baseUrlOf, type ProxyParts } from './parts.ts';
import { startsWithMark } from './repair/members.ts';
import type { Incoming, Outgoing } from './send.ts';
import type { Work } from './work.ts';

/** A client's order of a video, as it will leave. */
export interface Order {
  readonly outgoing: Outgoing & { readonly body: Buffer };
  readonly identity: Buffer;
  readonly form: boolean;
}

/** The answer to an order, with the task that it became where that is known. */
export interface Ordered extends Heard {
  readonly taskId: string | null;
}

/**
 * Sends an order exactly once: the same one from the same client gets the first answer again (spec section 3, rule 5). It is on disk
 * before it leaves, and its answer is on disk before the client hears of it, also when the client has left. Throws Problem.
 */
export async function placeOrder(order: Order, work: Work): Promise<Ordered> {
  const { parts, draft } = work;
  const verdict = await take(order, work);
  switch (verdict.kind) {
    case 'send':
      return await sendOnce(order, verdict.sent, work);
    case 'replay':
      return {
        incoming: replay(verdict.answer, draft, parts.now()),
        kept: verdict.answer,
        taskId: verdict.taskId,
      };
    case 'unknown':
      draft.pathSent = null;
      throw unsure(verdict.orderedAt);
  }
}

async function take(order: Order, { call, parts, draft }: Work): Promise<OrderVerdict> {
  if (draft.client === null) throw new Error('An order without a client came as far as this.');
  const { outgoing, identity, form } = order;
  const asked: VideoOrder = {
    exchangeId: draft.id,
    client: draft.client,
    baseUrl: baseUrlOf(parts.target),
    body: withoutMark(outgoing.body),
    identity: withoutMark(identity),
    form,
    idempotencyKey: header(outgoing.headers, 'idempotency-key') ?? null,
    allowDuplicate: call.request.headers['x-gatehouse-allow-duplicate'] === '1',
  };
  try {
    return await parts.orders.take(asked, call.gone);
  } catch (error) {
    call.gone.throwIfAborted();
    throw notKept(error, parts);
  }
}

/** JSON as it is kept: the mark that may stand before it is none of it (RFC 8259 section 8.1). */
function withoutMark(json: Buffer): Buffer {
  return startsWithMark(json) ? json.subarray(3) : json;
}

async function sendOnce(order: Order, sent: SentOrder, work: Work): Promise<Ordered> {
  const { call, parts, draft } = work;
  if (call.gone.aborted) {
    await lose(sent, true, parts);
    call.gone.throwIfAborted();
  }
  using way = outlive(call.gone, parts.cutting);
  const incoming = await forward(order.outgoing, {
    parts,
    draft,
    gone: way.signal,
    // One that has not left yet is not wanted any more.
    goneWaiting: AbortSignal.any([call.gone, way.signal]),
    repeatable: false,
  }).catch(async (error: unknown) => {
    await lose(sent, draft.attempts === 0 || isUnsent(error), parts);
    throw error;
  });
  draft.heads.answered = incoming.headers;
  const bytes = await wholeBody(incoming, parts).catch(async (error: unknown) => {
    await lose(sent, false, parts);
    throw error;
  });
  if (bytes === null) {
    await lose(sent, false, parts);
    return { incoming, kept: null, taskId: null };
  }
  const kept = await keepable(incoming, bytes, parts);
  const taskId = await sent.answered(kept).catch((error: unknown) => {
    // The client must learn of its task all the same; the queue finds the order unsure.
    parts.log('error', `The answer to an order could not be written to disk: ${String(error)}`);
    return null;
  });
  return { incoming: notRepeated(incoming), kept, taskId };
}

async function lose(sent: SentOrder, nothingSent: boolean, { log }: ProxyParts): Promise<void> {
  await sent.lost(nothingSent).catch((error: unknown) => {
    log('error', `What became of an order could not be written to disk: ${String(error)}`);
  });
}

/** Connections that lead back to us are ended before anything is sent on them. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  return (
    error.code === 'loop_detected' ||
    (error.cause instanceof SendFailure && error.cause.nothingSent)
  );
}

/** Official SDKs repeat a request after a 5xx by themselves, unless told not to; here that could only lead to another failure. */
function notRepeated(incoming: Incoming): Incoming {
  if (incoming.status < 500 || header(incoming.headers, 'x-should-retry') !== undefined) {
    return incoming;
  }
  return { ...incoming, headers: [...incoming.headers, 'x-should-retry', 'false'] };
}

/** What could not be written to disk must not leave. */
export function notKept(error: unknown, parts: Pick<ProxyParts, 'log' | 'redact'>): Problem {
  parts.log('error', `An order could not be written to disk: ${parts.redact(String(error))}`);
  return new Problem(
    'order_not_kept',
    'Gatehouse could not write this order to its data folder, so it was not sent and nothing is charged. Check that the disk has room and can be written to, then send it again.',
    { cause: error },
  );
}

function unsure(orderedAt: number): Problem {
  return new Problem(
    'order_unsure',
    `The same video was ordered at ${new Date(orderedAt).toISOString()}, and its answer never came: nobody knows whether it is being made and charged. Look at it in the window under Videos. To order another one all the same, send the header “x-gatehouse-allow-duplicate: 1” or another Idempotency-Key.`,
  );
}
