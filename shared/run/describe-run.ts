import { type Ending, findEnding } from '../exchange/outcome.ts';
import { describeFailure } from '../failure/find-failure.ts';
import { formatCount, formatDuration, pluralize } from '../format.ts';
import type { RunMatch, RunSequence, RunStep } from './run.ts';

/** Where the time of a run went, in milliseconds: the model until the first byte and after it, the tools that it called, and waiting for a person. */
export interface RunTime {
  readonly firstByte: number;
  readonly answering: number;
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
 * sends results. Other time without a main step belongs to the model while another request of the run is answered, and is waiting else. Time
 * of the model in which nothing is answering is time until the first byte.
 */
export function splitRunTime(sequences: readonly RunSequence[]): RunTime {
  const all = listSteps(sequences);
  const beside = listSteps(sequences.filter((sequence) => !isMain(sequence)));
  let [firstByte, answering, tools, waiting] = [0, 0, 0, 0];
  let end = all[0]?.startedAt ?? 0;
  const addPause = (until: number) => {
    const besideMs = sumWork(beside.map(toWork), end, until);
    const answeringMs = sumWork(beside.map(toAnswer), end, until);
    firstByte += besideMs - answeringMs;
    answering += answeringMs;
    waiting += Math.max(0, until - end) - besideMs;
  };
  for (const [place, step] of listSteps(sequences.filter(isMain)).entries()) {
    if (place > 0 && step.results.length > 0) tools += Math.max(0, step.startedAt - end);
    else addPause(step.startedAt);
    const stepEnd = toEnd(step);
    const stepMs = Math.max(0, stepEnd - Math.max(end, step.startedAt));
    const heldMs = Math.min(step.heldMs ?? 0, stepMs);
    const answeringMs = Math.min(sumWork([toAnswer(step)], end, stepEnd), stepMs - heldMs);
    firstByte += stepMs - heldMs - answeringMs;
    answering += answeringMs;
    waiting += heldMs;
    end = Math.max(end, stepEnd);
  }
  addPause(Math.max(end, ...all.map(toEnd)));
  return { firstByte, answering, tools, waiting };
}

/** Lists the parts of the time of a run for people, at most four. */
export function listRunTime(
  sequences: readonly RunSequence[],
): { readonly name: string; readonly amount: number; readonly text: string }[] {
  const { firstByte, answering, tools, waiting } = splitRunTime(sequences);
  return [
    { name: 'Model, until the first byte', amount: firstByte },
    { name: 'Model, answering', amount: answering },
    { name: 'Tools', amount: tools },
    { name: 'Waiting', amount: waiting },
  ].map((part) => ({ ...part, text: formatDuration(part.amount) }));
}

function isMain({ kind }: RunSequence): boolean {
  return kind === 'main' || kind === 'continued';
}

function listSteps(sequences: readonly RunSequence[]): readonly RunStep[] {
  return sequences.flatMap(({ steps }) => steps).toSorted((a, b) => a.startedAt - b.startedAt);
}

/** A time in which the model worked, in Unix milliseconds. */
interface Work {
  readonly start: number;
  readonly end: number;
}

/** Returns the time in which the model had a step. */
function toWork(step: RunStep): Work {
  return { start: step.startedAt + (step.heldMs ?? 0), end: toEnd(step) };
}

/** Returns the time in which a step was answered, from its first byte on. */
function toAnswer(step: RunStep): Work {
  const { start, end } = toWork(step);
  return { start: Math.max(start, step.startedAt + (step.firstByteMs ?? step.durationMs)), end };
}

/** Returns the time within two times in which at least one work was done. */
function sumWork(works: readonly Work[], from: number, until: number): number {
  let [sum, at] = [0, from];
  for (const { start, end } of works.toSorted((a, b) => a.start - b.start)) {
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

/** Describes why a step got no whole answer, without a full stop: `502 unreachable`, `client left`; `null` for one that did. */
export function describeStepFailure(step: RunStep): string | null {
  const { status, error } = step;
  if (findStepEnding(step) === 'answered') return null;
  if (findEnding(step) === 'left') return 'client left';
  const facts = [status, describeFailure(step)].filter((fact) => fact !== null).join(' ');
  return [facts, error]
    .filter((fact) => fact !== null)
    .join(': ')
    .replace(/\.+$/u, '');
}

const MATCH_PLACES: Readonly<Record<RunSequence['kind'], string>> = {
  main: '',
  agent: ' of an agent that it started',
  helper: ' of the requests beside it',
  continued: ' after its history changed',
};

/** Says where a run matches, as `step 4, and in 2 more`. */
export function describeMatch({ kind, number, steps }: RunMatch): string {
  const more = steps > 1 ? `, and in ${formatCount(steps - 1)} more` : '';
  return `step ${formatCount(number)}${MATCH_PLACES[kind]}${more}`;
}

/** A step with the later ones that are the same request and failed in the same way. */
export interface StepGroup {
  readonly step: RunStep;
  readonly again: readonly RunStep[];
}

/** The fewest repetitions that are counted in place of being shown. */
const MIN_AGAIN = 2;

/** Puts consecutive steps of a sequence together that are the same request and failed in the same way, as of a program that tries again. */
export function groupFailures(steps: readonly RunStep[]): readonly StepGroup[] {
  const groups: { step: RunStep; again: RunStep[] }[] = [];
  for (const step of steps) {
    const group = groups.at(-1);
    if (group !== undefined && isSameFailure(group.step, step)) group.again.push(step);
    else groups.push({ step, again: [] });
  }
  return groups.flatMap(({ step, again }) =>
    again.length < MIN_AGAIN
      ? [step, ...again].map((one) => ({ step: one, again: [] }))
      : [{ step, again }],
  );
}

/** Says how often the step of a group failed again, and how. */
export function describeAgain({ step, again }: StepGroup): string {
  const times = pluralize(again.length, 'more time', 'more times');
  return `${times} the same: ${describeStepFailure(step)}`;
}

function isSameFailure(first: RunStep, again: RunStep): boolean {
  const isEmpty = again.answer === null && again.calls.length === 0;
  const isAgain = again.repeated && isEmpty && again.model === first.model;
  return (
    isAgain &&
    findStepEnding(again) === 'failed' &&
    describeStepFailure(again) === describeStepFailure(first)
  );
}
