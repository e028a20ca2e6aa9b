import { type Ending, findEnding } from '../exchange/outcome.ts';
import { describeFailure } from '../failure/find-failure.ts';
import type { RunSequence, RunStep } from './run.ts';

/** Where the time of a run went, in milliseconds: the model, the tools that it called, and waiting for a person. */
export interface RunTime {
  readonly model: number;
  readonly tools: number;
  readonly waiting: number;
}

/** The names of sequences. */
export const SEQUENCE_NAMES: Readonly<Record<RunSequence['kind'], string>> = {
  main: 'Agent',
  agent: 'Agent started by a tool call',
  helper: 'Requests beside it',
  continued: 'Continued with a shortened or edited history',
};

/** Divides the time of the main sequences of a run. Time between two steps belongs to tools when the later one sends results. */
export function splitRunTime(sequences: readonly RunSequence[]): RunTime {
  const steps = sequences
    .filter(({ kind }) => kind === 'main' || kind === 'continued')
    .flatMap((sequence) => sequence.steps)
    .toSorted((a, b) => a.startedAt - b.startedAt);
  let [model, tools, waiting] = [0, 0, 0];
  let end = steps[0]?.startedAt ?? 0;
  for (const step of steps) {
    const gap = Math.max(0, step.startedAt - end);
    if (step.results.length > 0) tools += gap;
    else waiting += gap;
    const stepEnd = step.startedAt + step.durationMs;
    const stepMs = Math.max(0, stepEnd - Math.max(end, step.startedAt));
    const heldMs = Math.min(step.heldMs ?? 0, stepMs);
    model += stepMs - heldMs;
    waiting += heldMs;
    end = Math.max(end, stepEnd);
  }
  return { model, tools, waiting };
}

/** Returns how a step ended. An error within its answer is a failure, too. */
export function findStepEnding(step: RunStep): Ending {
  return step.error === null ? findEnding(step) : 'failed';
}

/** Describes why a step got no whole answer: `502 unreachable`, `client left`; `null` for one that did. */
export function describeStepFailure(step: RunStep): string | null {
  const { status, error } = step;
  if (findStepEnding(step) === 'answered') return null;
  if (findEnding(step) === 'left') return 'client left';
  const facts = [status, describeFailure(step)].filter((fact) => fact !== null).join(' ');
  return [facts, error].filter((fact) => fact !== null).join(': ');
}
