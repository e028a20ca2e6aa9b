import { hasOutcome } from '../../../shared/exchange/outcome.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { Problem } from '../../../shared/problem.ts';
import type { MemoryAllocator } from '../../lib/memory-budget.ts';
import { toAbortSignal } from '../../http/cancel-signal.ts';
import { UpstreamSendError } from '../../http/errors.ts';
import { admitVideo } from '../outbound/admit-spend.ts';
import { forward } from '../outbound/forward.ts';
import { findHeader } from '../../http/headers.ts';
import {
  RESPONSE_RESERVE_BYTES,
  type RecordedResponse,
  repeatResponse,
  storeResponse,
} from './stored-response.ts';
import { type OrderDecision, type PendingOrder, type VideoOrder } from './video-orders.ts';
import { detachFromClient } from '../outbound/detach-from-client.ts';
import { toBaseUrl, type ProxyContext, type ExchangeContext } from '../context.ts';
import { type AttemptOutcome, retryDelayMs } from '../../http/retry.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';

/** A client's order of a video as it is sent. */
export interface Order {
  readonly outgoing: UpstreamRequest & { readonly body: Buffer | null };
  /** See `VideoOrder`. */
  readonly identity: string;
  /** The order as plain JSON. */
  readonly shown: Buffer;
  /** Whether it came as a form and is sent as JSON. */
  readonly form: boolean;
}

/** The response to an order, and the id of its task; `null` when that is not known. */
export interface OrderResult extends RecordedResponse {
  readonly taskId: string | null;
}

/** One of the attempts to place an order. */
interface Attempt extends ExchangeContext {
  readonly isRetry: boolean;
}

/**
 * Places an order at most once: a repeated order gets the first response again (spec section 3, rule 5). It is sent again only when the
 * service certainly did not take it: after 429, and when no byte of it was sent. Between two attempts it is not registered, so that a
 * crash leaves no doubt about it.
 * @throws Problem; the signal's reason when the client has left meanwhile
 */
export async function placeOrder(order: Order, context: ExchangeContext): Promise<OrderResult> {
  const { call, proxy } = context;
  const startedAt = performance.now();
  for (let attempts = 1; ; attempts += 1) {
    const [attempt] = await Promise.allSettled([
      placeOnce(order, { ...context, isRetry: attempts > 1 }),
    ]);
    const pause = retryDelayAfter(attempt, { attempts, startedAt, proxy });
    if (pause !== null) await wait(pause, undefined, { signal: toAbortSignal(call.signal) });
    // No order is sent while Gatehouse is paused.
    if (pause !== null && !proxy.pause.paused) continue;
    if (attempt.status === 'rejected') throw attempt.reason;
    return attempt.value;
  }
}

/** Returns the delay before an order is sent again, in milliseconds; `null` when it must not be sent again. */
function retryDelayAfter(
  attempt: PromiseSettledResult<OrderResult>,
  { attempts, startedAt, proxy }: { attempts: number; startedAt: number; proxy: ProxyContext },
): number | null {
  const outcome = wasCertainlyNotTaken(attempt);
  if (outcome === null || !proxy.limit.allowsRetry) return null;
  return retryDelayMs(outcome, {
    attempts,
    elapsedMs: performance.now() - startedAt,
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
  const { upstreamResponse, storedResponse } = attempt.value;
  if (upstreamResponse.status !== 429 || storedResponse === null) return null;
  return {
    kind: 'throttled',
    retryAfter: findHeader(upstreamResponse.headers, 'retry-after') ?? null,
  };
}

/**
 * Sends an order once. It is on disk before it is sent, and its response is on disk before the client gets it, also when the client has
 * left. @throws Problem
 */
async function placeOnce(order: Order, context: Attempt): Promise<OrderResult> {
  const { proxy, inFlight } = context;
  const decision = await registerOrder(order, context);
  switch (decision.kind) {
    case 'send':
      return await sendOnce(order, decision.sent, context);
    case 'repeat':
      return {
        upstreamResponse: repeatResponse(decision.answer, inFlight, proxy.now()),
        storedResponse: decision.answer,
        taskId: decision.taskId,
      };
    case 'unknown':
      inFlight.pathSent = null;
      throw orderUnsureProblem(decision.orderedAt);
  }
}

async function registerOrder(
  order: Order,
  { call, proxy, inFlight }: ExchangeContext,
): Promise<OrderDecision> {
  if (inFlight.client === null) throw new Error('An order has no client.');
  const { outgoing, identity, shown, form } = order;
  const registered: VideoOrder = {
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
    return await proxy.orders.take(registered, toAbortSignal(call.signal));
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
  const reserved = await reserveForOrder(order, sent, context);
  using detached = detachFromClient(call.signal, proxy.abortSignal);
  const upstreamResponse = await forward(order.outgoing, {
    proxy,
    inFlight,
    signal: detached.signal,
    // An order that waits in the queue of the service is dropped when its client leaves.
    waitingSignal: AbortSignal.any([toAbortSignal(call.signal), detached.signal]),
    retryable: false,
    isRetry,
  }).catch(async (error: unknown) => {
    await markLost(sent, inFlight.attempts === sentBefore || isUnsent(error), proxy);
    throw error;
  });
  inFlight.headerSnapshots.answered = upstreamResponse.headers;
  const stored = await storeResponse(upstreamResponse, { proxy, memory: reserved }).catch(
    async (error: unknown) => {
      await markLost(sent, false, proxy);
      throw error;
    },
  );
  if (stored === null) {
    await markLost(sent, false, proxy);
    return { upstreamResponse, storedResponse: null, taskId: null };
  }
  const { storedResponse } = stored;
  const taskId = await sent.answered(storedResponse).catch((error: unknown) => {
    // The client must get its task nevertheless; for the queue the order is unsure.
    proxy.log('error', `The answer to an order could not be written to disk: ${String(error)}`);
    return null;
  });
  return { upstreamResponse: withoutClientRetry(upstreamResponse), storedResponse, taskId };
}

/**
 * Counts the order in the limits of its client, and reserves memory for the response, so that it is not lost for want of it.
 * @throws Problem memory_full, local_limit_reached, local_rate_reached
 */
async function reserveForOrder(
  order: Order,
  sent: PendingOrder,
  context: ExchangeContext,
): Promise<MemoryAllocator> {
  const { proxy, memory } = context;
  try {
    admitVideo(order, context);
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
    log('error', `The outcome of an order could not be written to disk: ${String(error)}`);
  });
}

/** Whether an error shows that nothing was sent. A connection that leads back to us is closed before anything is sent. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  return (
    error.code === 'loop_detected' ||
    (error.cause instanceof UpstreamSendError && error.cause.nothingSent)
  );
}

/** Tells official SDKs not to retry after 408, 409 and 5xx, which would fail again here. */
function withoutClientRetry(upstreamResponse: UpstreamResponse): UpstreamResponse {
  if (
    hasOutcome(upstreamResponse.status) ||
    findHeader(upstreamResponse.headers, 'x-should-retry') !== undefined
  ) {
    return upstreamResponse;
  }
  return { ...upstreamResponse, headers: [...upstreamResponse.headers, 'x-should-retry', 'false'] };
}

/** Creates the problem for an order that could not be saved and so was not sent. */
export function orderNotSavedProblem(
  error: unknown,
  proxy: Pick<ProxyContext, 'log' | 'redact'>,
): Problem {
  proxy.log('error', `An order could not be written to disk: ${proxy.redact(String(error))}`);
  return new Problem(
    'order_not_kept',
    'Gatehouse could not write this order to its data folder, so it was not sent and costs nothing. Check that the disk has free space and is writable, then send it again.',
    { cause: error },
  );
}

function orderUnsureProblem(orderedAt: number): Problem {
  return new Problem(
    'order_unsure',
    `The same video was ordered at ${new Date(orderedAt).toISOString()}, and no answer arrived: it is unknown whether it was taken. Check it in the window under Videos. To order another one anyway, send the header “x-gatehouse-allow-duplicate: 1” or another Idempotency-Key.`,
  );
}
