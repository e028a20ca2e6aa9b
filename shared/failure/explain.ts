import { type Ended, findEnding, isRetiredKey } from '../exchange/outcome.ts';
import type { ExchangeRecord } from '../exchange/exchange.ts';
import { isFree, NO_CHARGE_SENTENCE } from '../money/charge.ts';
import { isProblemCode, type ProblemCode } from '../problem.ts';
import type { Failure } from './failure.ts';
import { GATEWAY_FAILURES } from './gateway-failures.ts';
import { INTERRUPTIONS } from './interruptions.ts';
import { RETIRED_KEY } from './request-failures.ts';
import {
  findStatusFailure,
  MODEL_NOT_FOUND,
  RECORDED_FAILURES,
  WRONG_PATH,
} from './service-failures.ts';

const MAX_CODE_LENGTH = 40;

/** Explains why an exchange failed, what that means and what to do (spec section 7); `null` when it was answered whole. */
export function explain(exchange: Ended & Pick<ExchangeRecord, 'service'>): Failure | null {
  const failure = findFailure(exchange);
  if (failure?.cost === undefined) return failure;
  const { cost, meaning, ...rest } = failure;
  const sentence = isFree(exchange.service) ? NO_CHARGE_SENTENCE : cost;
  return { ...rest, meaning: `${meaning} ${sentence}` };
}

/**
 * Describes in a word or a few why an exchange failed, to be shown beside its status: `401 wrong key`, `200 cut off`. A code of the
 * service is quoted, because it says more than the status. `null` for one that was answered whole.
 */
export function describeFailure(ended: Ended): string | null {
  const failure = findFailure(ended);
  if (failure === null) return null;
  return quotesService(ended) ? toWords(ended.errorCode ?? '') : failure.words;
}

function findFailure(ended: Ended): Failure | null {
  const { status, errorCode } = ended;
  if (isRetiredKey(ended)) return RETIRED_KEY;
  const own = findOwnCode(ended);
  if (own !== null) return findOwnFailure(own, status);
  if (findEnding(ended) === 'left') return findDeparture(ended);
  if (status === null || status < 400) {
    const recorded = errorCode === null ? undefined : RECORDED_FAILURES[errorCode];
    if (recorded !== undefined) return recorded;
    if (status === null) return INTERRUPTIONS.noAnswer;
    return errorCode === null ? null : INTERRUPTIONS.errorWithinAnswer;
  }
  if (errorCode === 'model_not_found') return MODEL_NOT_FOUND;
  if (status === 404 && ended.route === 'other') return WRONG_PATH;
  return findStatusFailure(status);
}

/** Whether the error code is in words of the service. What it says of a key is about the service key, which our words tell better. */
function quotesService(ended: Ended): boolean {
  const { status, errorCode } = ended;
  if (errorCode === null || status === 401 || findOwnCode(ended) !== null) return false;
  return /[^\d]/u.test(errorCode);
}

/** Returns the code when Gatehouse answered or recorded it. A service may use the same codes for its own errors. */
function findOwnCode({ errorCode, endedBy, status }: Ended): ProblemCode | null {
  if (errorCode === null || !isProblemCode(errorCode)) return null;
  const isOwn =
    endedBy === 'gateway' ||
    errorCode.startsWith('upstream_') ||
    (errorCode === 'unexpected_content_type' && hasStarted(status));
  return isOwn ? errorCode : null;
}

function findOwnFailure(code: ProblemCode, status: number | null): Failure {
  if (!hasStarted(status) || code === 'unexpected_content_type') return GATEWAY_FAILURES[code];
  if (code === 'shutting_down') return INTERRUPTIONS.stoppedDuringAnswer;
  if (code === 'local_limit_reached') return INTERRUPTIONS.cutAtLimit;
  return code.startsWith('upstream_') ? INTERRUPTIONS.cutByService : INTERRUPTIONS.cutByGatehouse;
}

function findDeparture({ clientName, route, status }: Ended): Failure {
  if (clientName === null) return INTERRUPTIONS.leftWithoutKey;
  if (route === 'video-submit') return INTERRUPTIONS.leftAfterOrder;
  return hasStarted(status) ? INTERRUPTIONS.leftDuringAnswer : INTERRUPTIONS.leftBeforeAnswer;
}

/** Whether the beginning of an answer had been passed on. */
function hasStarted(status: number | null): boolean {
  return status !== null && status < 400;
}

function toWords(code: string): string {
  const words = code.replaceAll('_', ' ');
  return words.length > MAX_CODE_LENGTH ? `${words.slice(0, MAX_CODE_LENGTH - 1)}…` : words;
}
