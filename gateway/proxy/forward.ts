import { setTimeout as wait } from 'node:timers/promises';
import { Problem } from '../../shared/problem.ts';
import { CallerGone } from './call.ts';
import type { Draft } from './draft.ts';
import { SendFailure, upstreamProblem } from './failure.ts';
import { header } from './hop.ts';
import type { ProxyParts } from './parts.ts';
import { type AttemptOutcome, pauseBeforeRetry } from './retry.ts';
import { type Incoming, type Outgoing, send } from './send.ts';

export interface Forwarding {
  readonly parts: ProxyParts;
  readonly draft: Draft;
  readonly gone: AbortSignal;
  /** The same while the request waits for its turn; `gone` unless given. */
  readonly goneWaiting?: AbortSignal;
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
export async function forward(outgoing: Outgoing, forwarding: Forwarding): Promise<Incoming> {
  const { parts, draft, gone, goneWaiting = gone, isRetry = false } = forwarding;
  const begun = performance.now();
  draft.sentAt ??= begun;
  draft.heads.sent = outgoing.headers;
  for (let attempts = 1; ; attempts += 1) {
    const caller = {
      client: draft.client?.id ?? null,
      isRetry: isRetry || attempts > 1,
      onLeave: () => (draft.attempts += 1),
    };
    const sending = { gone, goneWaiting, caller };
    const answer = await send(parts.connections.service, outgoing, sending).catch(failureOf);
    const outcome = outcomeOf(answer);
    const pause =
      outcome === null || !forwarding.repeatable || !parts.limit.allowsRetry
        ? null
        : pauseBeforeRetry(outcome, {
            attempts,
            elapsedMs: performance.now() - begun,
            now: parts.now(),
            jitter: (parts.randomBytes(1)[0] ?? 0) / 256,
          });
    if (pause === null) {
      if (answer instanceof SendFailure) throw upstreamProblem(answer, outgoing.origin);
      return answer;
    }
    if (!(answer instanceof SendFailure)) answer.body.discard();
    await wait(pause, undefined, { signal: gone });
  }
}

function failureOf(error: unknown): SendFailure {
  if (!(error instanceof SendFailure)) throw error;
  // The request's own body failed: the client left, was too slow, or sent what cannot be decoded.
  if (error.cause instanceof Problem || error.cause instanceof CallerGone) throw error.cause;
  return error;
}

function outcomeOf(answer: Incoming | SendFailure): AttemptOutcome | null {
  if (answer instanceof SendFailure) return answer.nothingSent ? { kind: 'nothing-sent' } : null;
  if (answer.status !== 429) return null;
  return { kind: 'throttled', retryAfter: header(answer.headers, 'retry-after') ?? null };
}
