import type { ExchangeRecord } from '../exchange/exchange.ts';
import type { Ended } from '../exchange/outcome.ts';
import { isFree, NO_CHARGE_SENTENCE } from '../money/charge.ts';
import type { Failure } from './failure.ts';
import { type FailureKind, findFailure } from './find-failure.ts';
import { GATEWAY_FAILURES } from './gateway-failures.ts';
import { OTHER_FAILURES } from './other-failures.ts';
import { RECORDED_FAILURES, STATUS_FAILURES } from './service-failures.ts';

const FAILURES: Readonly<Record<FailureKind, Failure>> = {
  ...GATEWAY_FAILURES,
  ...STATUS_FAILURES,
  ...RECORDED_FAILURES,
  ...OTHER_FAILURES,
};

/** Explains why an exchange failed, what that means and what to do (spec section 7); `null` when it was answered whole. */
export function explain(exchange: Ended & Pick<ExchangeRecord, 'service'>): Failure | null {
  const kind = findFailure(exchange);
  if (kind === null) return null;
  const { cost, meaning, ...rest } = FAILURES[kind];
  if (cost === undefined) return FAILURES[kind];
  const sentence = isFree(exchange.service) ? NO_CHARGE_SENTENCE : cost;
  return { ...rest, meaning: `${meaning} ${sentence}` };
}
