import type { ExchangeId, RunId } from '../../../../shared/exchange/exchange.ts';
import type { RunDetail, RunStep } from '../../../../shared/run/run.ts';

/** A model of the sandbox, to which a request of a program is sent again. */
export const REPLAY_MODEL = 'aurora/aurora-small';

/** The exchanges of a run by their part in the task. */
export interface RunSteps {
  readonly runId: RunId;
  readonly all: readonly ExchangeId[];
  readonly main: readonly RunStep[];
  readonly first: ExchangeId;
  /** The first one that has the result of a tool. */
  readonly second: ExchangeId;
  readonly last: ExchangeId;
}

/** Finds the steps of the task. @throws Error when the main agent has fewer than two */
export function findSteps({ run, sequences }: RunDetail): RunSteps {
  const main = sequences.find(({ kind }) => kind === 'main')?.steps ?? [];
  const [first, second] = main;
  const last = main.at(-1);
  if (first === undefined || second === undefined || last === undefined) {
    throw new Error('The main agent has fewer than two steps.');
  }
  return {
    runId: run.id,
    all: sequences.flatMap(({ steps }) => steps.map(({ id }) => id)),
    main,
    first: first.id,
    second: second.id,
    last: last.id,
  };
}
