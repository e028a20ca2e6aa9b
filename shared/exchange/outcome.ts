import { type ProblemCode, PROBLEMS } from '../problem.ts';
import type { ExchangeRecord } from './exchange.ts';
import type { RepairCode } from './repair.ts';

/** The part of an exchange that tells how it ended. */
export type Ended = Pick<ExchangeRecord, 'status' | 'errorCode' | 'endedBy'> &
  Partial<Pick<ExchangeRecord, 'clientName' | 'route' | 'attempts'>>;

/**
 * How an exchange ended: with a whole answer, which may be a redirect; with a failure; or because its client left before the end,
 * which is no failure.
 */
export type Ending = 'answered' | 'failed' | 'left';

/** Returns how an exchange ended. Filters, sums, alarms, runs and the words for a failure all divide exchanges in this way. */
export function findEnding({
  status,
  errorCode,
  endedBy,
}: Pick<Ended, 'status' | 'errorCode' | 'endedBy'>): Ending {
  if (errorCode !== null || (status !== null && status >= 400)) return 'failed';
  if (endedBy === 'client') return 'left';
  return status === null ? 'failed' : 'answered';
}

/** The codes of the requests that a limit of the person refuses. */
export const LIMIT_CODES: readonly ProblemCode[] = [
  'local_limit_reached',
  'local_rate_reached',
  'local_agent_stopped',
  'local_model_refused',
];

/** Returns whether a limit refused it before anything was sent. The service may use the same code for an error of its own. */
export function isRefusedByLimit({
  errorCode,
  attempts,
}: Pick<ExchangeRecord, 'errorCode' | 'attempts'>): boolean {
  return attempts === 0 && LIMIT_CODES.some((code) => code === errorCode);
}

/** Returns whether it is a repeated video order, which got the stored answer of the first one and was not sent. */
export function isRepeatedOrder({ status, errorCode, endedBy, route, attempts }: Ended): boolean {
  const isAnswer = status !== null && status < 400 && errorCode === null;
  return isAnswer && endedBy === 'gateway' && route === 'video-submit' && attempts === 0;
}

/** 4xx statuses that do not say whether the order of a video was taken: a timeout (408, 499) or a conflict (409). */
const UNDECIDED: ReadonlySet<number> = new Set([408, 409, 499]);

/** Returns whether a response with this status says for certain if the order of a video was taken. */
export function hasOutcome(status: number): boolean {
  return (
    (status >= 200 && status < 300) || (status >= 400 && status < 500 && !UNDECIDED.has(status))
  );
}

/** Returns whether a service may have taken, and so charge, an order of a video that it answered with this status of an error. */
export function mayBeOrdered(status: number): boolean {
  return status >= 400 && !hasOutcome(status);
}

/**
 * Returns whether anything of it reached a service: where its last attempt got no connection, nothing came of it. The code alone does not
 * show that, because a service may use the same one for an error of its own. Lists have no `firstByteMs`.
 */
export function reachedService({
  attempts,
  status,
  errorCode,
  firstByteMs = null,
  cost,
}: Pick<ExchangeRecord, 'attempts' | 'status' | 'errorCode' | 'cost'> &
  Partial<Pick<ExchangeRecord, 'firstByteMs'>>): boolean {
  if (attempts === 0) return false;
  if (errorCode !== 'upstream_unreachable' && errorCode !== 'upstream_timeout') return true;
  const isAnotherStatus = status !== null && status !== PROBLEMS[errorCode].status;
  return isAnotherStatus || firstByteMs !== null || cost !== null;
}

/** The words for a repeated video order. */
export const REPEATED_ORDER = 'repeated, not charged';

/** Returns whether it had no valid local key, so that equal ones are counted together, and neither headers nor bodies are kept. */
export function lacksLocalKey(exchange: Ended): boolean {
  return exchange.clientName === null || isRetiredKey(exchange);
}

/** Returns whether it was refused because the key of its client was revoked or replaced. */
export function isRetiredKey({ errorCode, endedBy, clientName }: Ended): boolean {
  return errorCode === 'invalid_local_key' && endedBy === 'gateway' && clientName != null;
}

/** Returns whether it failed because there is no service key or the service refused it. An expired or retired local key is the client's. */
export function failsByServiceKey({
  status,
  errorCode,
}: Pick<Ended, 'status' | 'errorCode'>): boolean {
  if (errorCode === 'expired_local_key' || errorCode === 'invalid_local_key') return false;
  return status === 401 || errorCode?.startsWith('service_key_') === true;
}

/** Describes an answer with success that is no JSON. `what`: what it is instead, as a type or in words. */
export function describeUnexpectedAnswer(what: string): string {
  return `${stateUnexpectedAnswer(what)} ${UNEXPECTED_ANSWER_CAUSES}`;
}

/** States what such an answer is, without its causes. */
export function stateUnexpectedAnswer(what: string): string {
  return `The service answered with ${what} instead of JSON.`;
}

/** The likely causes of such an answer. */
export const UNEXPECTED_ANSWER_CAUSES =
  'Likely causes: a sign-in page of this network, a wrong base address of the service, or a maintenance page.';

/** What is recorded as a repair, and corrects nothing. */
export const NO_CORRECTIONS: readonly RepairCode[] = [
  'model-suggestion',
  'cache-reason-asked',
  'held',
];

/** Whether a repair has corrected something in an exchange. */
export function isCorrection(code: RepairCode): boolean {
  return !NO_CORRECTIONS.includes(code);
}
