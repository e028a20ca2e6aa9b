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

/**
 * Divides the time of a run from its first request to its last answer. Time between two main steps belongs to tools when the later one
 * sends results. Other time without a main step belongs to the model while another request of the run is answered, and is waiting else.
 */
export function splitRunTime(sequences: readonly RunSequence[]): RunTime {
  const all = listSteps(sequences);
  const beside = listSteps(sequences.filter((sequence) => !isMain(sequence)));
  let [model, tools, waiting] = [0, 0, 0];
  let end = all[0]?.startedAt ?? 0;
  const addPause = (until: number) => {
    const besideMs = sumWork(beside, end, until);
    model += besideMs;
    waiting += Math.max(0, until - end) - besideMs;
  };
  for (const [place, step] of listSteps(sequences.filter(isMain)).entries()) {
    if (place > 0 && step.results.length > 0) tools += Math.max(0, step.startedAt - end);
    else addPause(step.startedAt);
    const stepEnd = toEnd(step);
    const stepMs = Math.max(0, stepEnd - Math.max(end, step.startedAt));
    const heldMs = Math.min(step.heldMs ?? 0, stepMs);
    model += stepMs - heldMs;
    waiting += heldMs;
    end = Math.max(end, stepEnd);
  }
  addPause(Math.max(end, ...all.map(toEnd)));
  return { model, tools, waiting };
}

function isMain({ kind }: RunSequence): boolean {
  return kind === 'main' || kind === 'continued';
}

function listSteps(sequences: readonly RunSequence[]): readonly RunStep[] {
  return sequences.flatMap(({ steps }) => steps).toSorted((a, b) => a.startedAt - b.startedAt);
}

/** Returns the time within two times in which at least one of the steps was answered. */
function sumWork(steps: readonly RunStep[], from: number, until: number): number {
  const works = steps
    .map((step) => ({ start: step.startedAt + (step.heldMs ?? 0), end: toEnd(step) }))
    .toSorted((a, b) => a.start - b.start);
  let [sum, at] = [0, from];
  for (const { start, end } of works) {
    const workEnd = Math.min(end, until);
    sum += Math.max(0, workEnd - Math.max(at, start));
    at = Math.max(at, workEnd);
  }
  return sum;
}

function toEnd({ startedAt, durationMs }: RunStep): number {
  return startedAt + durationMs;
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
