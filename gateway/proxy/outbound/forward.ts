import { setTimeout as wait } from 'node:timers/promises';
import { Problem } from '../../../shared/problem.ts';
import {
  ClientDisconnectedError,
  UpstreamSendError,
  toUpstreamProblem,
} from '../../http/errors.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import { findHeader } from '../../http/headers.ts';
import type { ProxyContext } from '../context.ts';
import { type AttemptOutcome, retryDelayMs } from '../../http/retry.ts';
import { type UpstreamResponse, type UpstreamRequest, send } from '../../http/send.ts';

export interface Forwarding {
  readonly proxy: ProxyContext;
  readonly inFlight: InFlightExchange;
  readonly signal: AbortSignal;
  /** The same while the request waits for its turn; `gone` unless given. */
  readonly waitingSignal?: AbortSignal;
  /** False when the body cannot be sent again, or when the one who calls decides about a repetition (orders of videos). */
  readonly repeatable: boolean;
  /** Set when this is a repetition already. */
  readonly isRetry?: boolean;
}

/**
 * Sends a request to the service and repeats it where that is harmless, and the service's budget of repetitions allows it: after 429,
 * and when nothing was sent.
 * Throws Problem when there is no answer to pass on, or the signal's reason when the caller has gone.
 */
export async function forward(
  upstreamRequest: UpstreamRequest,
  forwarding: Forwarding,
): Promise<UpstreamResponse> {
  const { proxy, inFlight, signal, waitingSignal = signal, isRetry = false } = forwarding;
  const begun = performance.now();
  inFlight.sentAt ??= begun;
  inFlight.headerSnapshots.sent = upstreamRequest.headers;
  for (let attempts = 1; ; attempts += 1) {
    const caller = {
      client: inFlight.client?.id ?? null,
      isRetry: isRetry || attempts > 1,
      onLeave: () => (inFlight.attempts += 1),
    };
    const sending = { signal, waitingSignal, caller };
    const answer = await send(proxy.connections.service, upstreamRequest, sending).catch(toFailure);
    const outcome = toOutcome(answer);
    const pause =
      outcome === null || !forwarding.repeatable || !proxy.limit.allowsRetry
        ? null
        : retryDelayMs(outcome, {
            attempts,
            elapsedMs: performance.now() - begun,
            now: proxy.now(),
            jitter: (proxy.randomBytes(1)[0] ?? 0) / 256,
          });
    if (pause === null) {
      if (answer instanceof UpstreamSendError)
        throw toUpstreamProblem(answer, upstreamRequest.origin);
      return answer;
    }
    if (!(answer instanceof UpstreamSendError)) answer.body.discard();
    await wait(pause, undefined, { signal });
  }
}

function toFailure(error: unknown): UpstreamSendError {
  if (!(error instanceof UpstreamSendError)) throw error;
  // The request's own body failed: the client left, was too slow, or sent what cannot be decoded.
  if (error.cause instanceof Problem || error.cause instanceof ClientDisconnectedError)
    throw error.cause;
  return error;
}

function toOutcome(answer: UpstreamResponse | UpstreamSendError): AttemptOutcome | null {
  if (answer instanceof UpstreamSendError)
    return answer.nothingSent ? { kind: 'nothing-sent' } : null;
  if (answer.status !== 429) return null;
  return { kind: 'throttled', retryAfter: findHeader(answer.headers, 'retry-after') ?? null };
}
