import { Problem } from '../../shared/problem.ts';
import { UpstreamSendError, toUpstreamProblem } from '../http/errors.ts';
import type { RefusalReason } from './call-scheduler.ts';

/** Facts for the message besides the reason. */
export interface LimitRefusal {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  /** Maximum wait of a call, in milliseconds. */
  readonly waitMs: number;
  /** The error of the latest connection. */
  readonly failure: Error;
}

/** `Retry-After` for a client whose call waited in vain. */
const PAUSE_MS = 5_000;

/** Creates the problem for a call that is not sent, with the time after which it is worth a retry. */
export function toLimitProblem(
  why: RefusalReason,
  { origin, waitMs, failure }: LimitRefusal,
): Problem {
  switch (why.kind) {
    case 'held':
      return limitedProblem(`and gets no requests for another ${seconds(why.ms)} s.`, why.ms);
    case 'overdue': {
      const limitHint = why.limit === null ? '' : ` It now gets at most ${why.limit} at a time.`;
      const waited = `and this request waited ${seconds(waitMs)} s in the queue.`;
      return limitedProblem(`${waited}${limitHint}`, PAUSE_MS);
    }
    case 'full':
      return limitedProblem('and the queue is full.', PAUSE_MS);
    case 'unavailable': {
      const { message } = toUpstreamProblem(new UpstreamSendError(failure, true), origin);
      const retryAfterS = seconds(why.retryMs);
      return new Problem(
        'service_unavailable',
        `${message} This happened several times in a row, so requests are refused for now; the next one is tried in ${retryAfterS} s.`,
        { cause: failure, retryAfterS },
      );
    }
  }
}

function limitedProblem(rest: string, retryAfterMs: number): Problem {
  return new Problem(
    'service_limit_reached',
    `The service answered 429, a limit of the account, ${rest} Nothing was sent; send it again later, and run fewer requests at once.`,
    { retryAfterS: seconds(retryAfterMs) },
  );
}

/** Rounds up to whole seconds. */
function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

/** `resumeHint`: how a person resumes, the words after “Resume it”. */
export function pausedProblem(resumeHint: string): Problem {
  return new Problem('paused', `Gatehouse is paused. Nothing was sent. Resume it ${resumeHint}`);
}

export function shuttingDownProblem(): Problem {
  return new Problem(
    'shutting_down',
    'Gatehouse is shutting down. Nothing was sent; try again when it runs.',
  );
}

export function serviceChangedProblem(): Problem {
  return new Problem(
    'service_changed',
    'Another service, or another service key, was selected while this request waited in the queue. Nothing was sent; send it again.',
  );
}
