import { setTimeout as wait } from 'node:timers/promises';
import { Problem } from '../../../shared/problem.ts';
import type { MemoryAllocator } from '../../lib/memory-budget.ts';
import { UpstreamSendError } from '../../http/errors.ts';
import { forward } from '../outbound/forward.ts';
import { findHeader } from '../../http/headers.ts';
import {
  RESPONSE_RESERVE_BYTES,
  type RecordedResponse,
  replay,
  storeResponse,
} from './stored-response.ts';
import {
  type OrderDecision,
  type PendingOrder,
  hasOutcome,
  type VideoOrder,
} from './video-orders.ts';
import { detachFromClient } from '../outbound/detach-from-client.ts';
import { toBaseUrl, type ProxyContext, type ExchangeContext } from '../context.ts';
import { type AttemptOutcome, retryDelayMs } from '../../http/retry.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';

/** A client's order of a video, as it will leave. */
export interface Order {
  readonly outgoing: UpstreamRequest & { readonly body: Buffer | null };
  /** See `VideoOrder`. */
  readonly identity: string;
  /** What is ordered, as JSON that can be read. */
  readonly shown: Buffer;
  /** Whether it came as a form and leaves as JSON. */
  readonly form: boolean;
}

/** The answer to an order, with the task that it became where that is known. */
export interface OrderResult extends RecordedResponse {
  readonly taskId: string | null;
}

/** One of the attempts to place an order. */
interface Attempt extends ExchangeContext {
  readonly isRetry: boolean;
}

/**
 * Places an order that is taken at most once: the same one from the same client gets the first answer again (spec section 3, rule 5).
 * It is sent again only when the service certainly did not take it: after 429, and when not one byte of it left. Between two
 * attempts it is forgotten, so an end of the program leaves no doubt about it, and another client's same order may be first.
 * Throws Problem, or the signal's reason when the caller left in between.
 */
export async function placeOrder(order: Order, context: ExchangeContext): Promise<OrderResult> {
  const { call, proxy } = context;
  const begun = performance.now();
  for (let attempts = 1; ; attempts += 1) {
    const [attempt] = await Promise.allSettled([
      placeOnce(order, { ...context, isRetry: attempts > 1 }),
    ]);
    const pause = retryDelayAfter(attempt, { attempts, begun, proxy });
    if (pause !== null) await wait(pause, undefined, { signal: call.signal });
    // Nobody orders while it is paused, however long ago the client asked.
    if (pause !== null && !proxy.paused()) continue;
    if (attempt.status === 'rejected') throw attempt.reason;
    return attempt.value;
  }
}

/** How long to wait before an order is sent again, in milliseconds; `null` when it must not be, or has been often enough. */
function retryDelayAfter(
  attempt: PromiseSettledResult<OrderResult>,
  { attempts, begun, proxy }: { attempts: number; begun: number; proxy: ProxyContext },
): number | null {
  const outcome = wasCertainlyNotTaken(attempt);
  if (outcome === null || !proxy.limit.allowsRetry) return null;
  return retryDelayMs(outcome, {
    attempts,
    elapsedMs: performance.now() - begun,
    now: proxy.now(),
    jitter: (proxy.randomBytes(1)[0] ?? 0) / 256,
  });
}

function wasCertainlyNotTaken(attempt: PromiseSettledResult<OrderResult>): AttemptOutcome | null {
  if (attempt.status === 'rejected') {
    const cause = attempt.reason instanceof Problem ? attempt.reason.cause : null;
    return cause instanceof UpstreamSendError && cause.nothingSent
      ? { kind: 'nothing-sent' }
      : null;
  }
  const { upstreamResponse, kept } = attempt.value;
  if (upstreamResponse.status !== 429 || kept === null) return null;
  return {
    kind: 'throttled',
    retryAfter: findHeader(upstreamResponse.headers, 'retry-after') ?? null,
  };
}

/**
 * Sends an order once. It is on disk before it leaves, and its answer is on disk before the client hears of it, also when the
 * client has left. Throws Problem.
 */
async function placeOnce(order: Order, context: Attempt): Promise<OrderResult> {
  const { proxy, inFlight } = context;
  const verdict = await registerOrder(order, context);
  switch (verdict.kind) {
    case 'send':
      return await sendOnce(order, verdict.sent, context);
    case 'replay':
      return {
        upstreamResponse: replay(verdict.answer, inFlight, proxy.now()),
        kept: verdict.answer,
        taskId: verdict.taskId,
      };
    case 'unknown':
      inFlight.pathSent = null;
      throw orderUnsureProblem(verdict.orderedAt);
  }
}

async function registerOrder(
  order: Order,
  { call, proxy, inFlight }: ExchangeContext,
): Promise<OrderDecision> {
  if (inFlight.client === null) throw new Error('An order without a client came as far as this.');
  const { outgoing, identity, shown, form } = order;
  const asked: VideoOrder = {
    exchangeId: inFlight.id,
    client: inFlight.client,
    baseUrl: toBaseUrl(proxy.target),
    body: shown,
    identity,
    form,
    idempotencyKey: findHeader(outgoing.headers, 'idempotency-key') ?? null,
    allowDuplicate: call.request.headers['x-gatehouse-allow-duplicate'] === '1',
    arrivedAt: inFlight.startedAt,
  };
  try {
    return await proxy.orders.take(asked, call.signal);
  } catch (error) {
    call.signal.throwIfAborted();
    throw orderNotSavedProblem(error, proxy);
  }
}

async function sendOnce(order: Order, sent: PendingOrder, context: Attempt): Promise<OrderResult> {
  const { call, proxy, inFlight, isRetry } = context;
  const sentBefore = inFlight.attempts;
  if (call.signal.aborted) {
    await markLost(sent, true, proxy);
    call.signal.throwIfAborted();
  }
  const room = await reserveForResponse(sent, context);
  using way = detachFromClient(call.signal, proxy.abortSignal);
  const upstreamResponse = await forward(order.outgoing, {
    proxy,
    inFlight,
    signal: way.signal,
    // One that has not left yet is not wanted any more.
    waitingSignal: AbortSignal.any([call.signal, way.signal]),
    retryable: false,
    isRetry,
  }).catch(async (error: unknown) => {
    await markLost(sent, inFlight.attempts === sentBefore || isUnsent(error), proxy);
    throw error;
  });
  inFlight.headerSnapshots.answered = upstreamResponse.headers;
  const stored = await storeResponse(upstreamResponse, { proxy, memory: room }).catch(
    async (error: unknown) => {
      await markLost(sent, false, proxy);
      throw error;
    },
  );
  if (stored === null) {
    await markLost(sent, false, proxy);
    return { upstreamResponse, kept: null, taskId: null };
  }
  const { kept } = stored;
  const taskId = await sent.answered(kept).catch((error: unknown) => {
    // The client must learn of its task all the same; the queue finds the order unsure.
    proxy.log('error', `The answer to an order could not be written to disk: ${String(error)}`);
    return null;
  });
  return { upstreamResponse: notRepeatedProblem(upstreamResponse), kept, taskId };
}

/** Made before the order leaves, so that its answer is not lost for want of it. Throws Problem memory_full. */
async function reserveForResponse(
  sent: PendingOrder,
  { proxy, memory }: ExchangeContext,
): Promise<MemoryAllocator> {
  try {
    return memory.prepay(RESPONSE_RESERVE_BYTES);
  } catch (error) {
    await markLost(sent, true, proxy);
    throw error;
  }
}

async function markLost(
  sent: PendingOrder,
  nothingSent: boolean,
  { log }: ProxyContext,
): Promise<void> {
  await sent.lost(nothingSent).catch((error: unknown) => {
    log('error', `What became of an order could not be written to disk: ${String(error)}`);
  });
}

/** Connections that lead back to us are ended before anything is sent on them. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  return (
    error.code === 'loop_detected' ||
    (error.cause instanceof UpstreamSendError && error.cause.nothingSent)
  );
}

/** Official SDKs repeat a request after 408, 409 and 5xx by themselves, unless told not to; here that could only lead to another failure. */
function notRepeatedProblem(upstreamResponse: UpstreamResponse): UpstreamResponse {
  if (
    hasOutcome(upstreamResponse.status) ||
    findHeader(upstreamResponse.headers, 'x-should-retry') !== undefined
  ) {
    return upstreamResponse;
  }
  return { ...upstreamResponse, headers: [...upstreamResponse.headers, 'x-should-retry', 'false'] };
}

/** What could not be written to disk must not leave. */
export function orderNotSavedProblem(
  error: unknown,
  parts: Pick<ProxyContext, 'log' | 'redact'>,
): Problem {
  parts.log('error', `An order could not be written to disk: ${parts.redact(String(error))}`);
  return new Problem(
    'order_not_kept',
    'Gatehouse could not write this order to its data folder, so it was not sent and nothing is charged. Check that the disk has room and can be written to, then send it again.',
    { cause: error },
  );
}

function orderUnsureProblem(orderedAt: number): Problem {
  return new Problem(
    'order_unsure',
    `The same video was ordered at ${new Date(orderedAt).toISOString()}, and its answer never came: nobody knows whether it is being made and charged. Look at it in the window under Videos. To order another one all the same, send the header “x-gatehouse-allow-duplicate: 1” or another Idempotency-Key.`,
  );
}
