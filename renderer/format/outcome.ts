import { formatCount, pluralize } from '../../shared/format.ts';
import type { RunningExchange, UsageSums } from '../../shared/history/history.ts';
import {
  type Ended,
  findEnding,
  isRepeatedOrder,
  REPEATED_ORDER,
} from '../../shared/exchange/outcome.ts';
import { describeFailure } from '../../shared/failure/find-failure.ts';

/** Tone of an outcome: `good`, `bad`, `warn` for a mistake of the client, `none` for a neutral end. */
export type Tone = 'good' | 'warn' | 'bad' | 'none';

/** Describes how an exchange ended. `status` is the text of a column, `words` its meaning. */
export interface OutcomeLabel {
  readonly tone: Tone;
  readonly status: string;
  readonly label: string;
}

/** Describes the end of an exchange in a few words. An error code of the service is quoted, shortened. */
export function describeOutcome(ended: Ended): OutcomeLabel {
  const { status, endedBy } = ended;
  const shown = status === null ? '–' : String(status);
  const failure = describeFailure(ended);
  if (failure !== null) return { tone: findFailureTone(ended), status: shown, label: failure };
  if (isRepeatedOrder(ended)) return { tone: 'good', status: shown, label: REPEATED_ORDER };
  if (endedBy === 'gateway') return { tone: 'good', status: shown, label: 'answered by Gatehouse' };
  return { tone: 'good', status: shown, label: Number(shown) < 300 ? 'done' : 'redirected' };
}

function findFailureTone(ended: Ended): Tone {
  if (findEnding(ended) === 'left') return 'none';
  const { status } = ended;
  return status !== null && status >= 400 && status < 500 ? 'warn' : 'bad';
}

const STAGE_LABELS: Readonly<Record<RunningExchange['stage'], string>> = {
  receiving: 'receiving the request',
  held: 'waiting for a person',
  waiting: 'waiting for the service',
  answering: 'answering',
};

/** Describes the current phase of an exchange in progress. */
export function stageLabel(stage: RunningExchange['stage']): string {
  return STAGE_LABELS[stage];
}

/** Describes which part of the requests failed: `2.5% of requests, 3 of the 12 errors refused by limits`. */
export function describeErrors({
  exchanges,
  errors,
  refused,
}: Pick<UsageSums, 'exchanges' | 'errors' | 'refused'>): string {
  if (exchanges === 0) return 'no requests yet';
  if (errors === 0) return 'none failed';
  const share = (errors / exchanges) * 100;
  const shown = `${share < 10 ? share.toFixed(1) : Math.round(share)}% of requests`;
  if (refused === 0) return shown;
  if (refused === errors) return `${shown}, refused by ${refused === 1 ? 'a limit' : 'limits'}`;
  return `${shown}, ${formatCount(refused)} of the ${pluralize(errors, 'error')} refused by limits`;
}
