import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type CancelSignal, toAbortSignal } from '../../http/cancel-signal.ts';
import { Problem } from '../../../shared/problem.ts';
import {
  ClientDisconnectedError,
  UpstreamSendError,
  toUpstreamProblem,
} from '../../http/errors.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import { mayBeOrdered } from '../../../shared/exchange/outcome.ts';
import { findHeader } from '../../http/headers.ts';
import type { ProxyContext } from '../context.ts';
import { type AttemptOutcome, retryDelayMs } from '../../http/retry.ts';
import { type UpstreamResponse, type UpstreamRequest, send } from '../../http/send.ts';

export interface Forwarding {
  readonly proxy: ProxyContext;
  readonly inFlight: InFlightExchange;
  readonly signal: CancelSignal;
  /** Ends the wait in the service's queue; defaults to `signal`. */
  readonly waitingSignal?: CancelSignal;
  /** False when the body cannot be sent again, and when the caller decides about retries (orders of videos). */
  readonly retryable: boolean;
  /** Whether the first attempt counts as a retry. */
  readonly isRetry?: boolean;
}

/**
 * Sends a request to the service. Retries it after 429 and when nothing was sent, if `retryable` and the retry budget of the service
 * allow it.
 * @throws Problem when there is no answer; the signal's reason when it is aborted.
 */
export async function forward(
  upstreamRequest: UpstreamRequest,
  forwarding: Forwarding,
): Promise<UpstreamResponse> {
  const { proxy, inFlight, signal, waitingSignal = signal, isRetry = false } = forwarding;
  const startedAt = performance.now();
  inFlight.sentAt ??= startedAt;
  inFlight.headerSnapshots.sent = upstreamRequest.headers;
  const { body } = upstreamRequest;
  if (body !== null && !(body instanceof Readable)) inFlight.captured?.send(body);
  for (let attempts = 1; ; attempts += 1) {
    const caller = {
      client: inFlight.client?.id ?? null,
      isRetry: isRetry || attempts > 1,
      onLeave: () => (inFlight.attempts += 1),
    };
    const onStart = () => (inFlight.mayBeTaken = true);
    const sending = { signal, waitingSignal, caller, onStart };
    // Whatever was sent before was refused.
    inFlight.mayBeTaken = false;
    let answer: UpstreamResponse | UpstreamSendError;
    try {
      answer = await send(proxy.connections.service, upstreamRequest, sending);
    } catch (error) {
      answer = toFailure(error);
    }
    const outcome = toOutcome(answer);
    if (outcome !== null || isRefusal(answer, inFlight)) inFlight.mayBeTaken = false;
    const pause =
      outcome === null || !forwarding.retryable || !proxy.limit.allowsRetry
        ? null
        : retryDelayMs(outcome, {
            attempts,
            elapsedMs: performance.now() - startedAt,
            now: proxy.now(),
            jitter: (proxy.randomBytes(1)[0] ?? 0) / 256,
          });
    if (pause === null) {
      if (answer instanceof UpstreamSendError)
        throw toUpstreamProblem(answer, upstreamRequest.origin);
      return answer;
    }
    if (!(answer instanceof UpstreamSendError)) answer.body.discard();
    await wait(pause, undefined, { signal: toAbortSignal(signal) });
  }
}

function toFailure(error: unknown): UpstreamSendError {
  if (!(error instanceof UpstreamSendError)) throw error;
  // The request body failed: the client left, was too slow, or sent a body that cannot be decoded.
  if (error.cause instanceof Problem || error.cause instanceof ClientDisconnectedError)
    throw error.cause;
  return error;
}

/** Whether it is an answer without success, for which a service does not charge; the order of a video may have been taken all the same. */
function isRefusal(
  answer: UpstreamResponse | UpstreamSendError,
  { route }: InFlightExchange,
): boolean {
  if (answer instanceof UpstreamSendError || answer.status < 300) return false;
  return route !== 'video-submit' || !mayBeOrdered(answer.status);
}

function toOutcome(answer: UpstreamResponse | UpstreamSendError): AttemptOutcome | null {
  if (answer instanceof UpstreamSendError)
    return answer.nothingSent ? { kind: 'nothing-sent' } : null;
  if (answer.status !== 429) return null;
  return { kind: 'throttled', retryAfter: findHeader(answer.headers, 'retry-after') ?? null };
}
