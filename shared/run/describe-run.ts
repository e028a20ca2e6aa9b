import { type Ending, findEnding } from '../exchange/outcome.ts';
import { describeFailure } from '../failure/find-failure.ts';
import type { RunSequence, RunStep, StepChange } from './run.ts';

/** Where the time of a run went, in milliseconds: the model, the tools that it called, and waiting for a person. */
export interface RunTime {
  readonly model: number;
  readonly tools: number;
  readonly waiting: number;
}

type TimedStep = Pick<RunStep, 'startedAt' | 'durationMs' | 'usage'>;

/** Tokens that a service caches at least, so less is no loss (most services name 1,024). */
const MIN_LOST = 1_024;
/** The part of the request before that a normal step reads from the cache again. */
const MIN_READ = 0.8;
/** Services keep an unused cache for about five minutes. */
const CACHE_LIFE_MS = 300_000;

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
    model += Math.max(0, stepEnd - Math.max(end, step.startedAt));
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

/** Names a change of an earlier part of the request: `the system prompt changed`. */
export function describeChange({ part, place, name }: StepChange): string {
  const number = place + 1;
  if (part === 'system') return 'the system prompt changed';
  if (part === 'tools') return `the definitions of tools changed, first that of ${name ?? number}`;
  return `message ${number}${name === null ? '' : ` (${name})`} changed`;
}

/** Tokens that were read again at the full price although the request before had them, and why; `null` when there are none. */
export interface CacheMiss {
  readonly lost: number;
  readonly cause: string;
}

/** Finds out whether the cache missed, from the numbers that the service reported. Where it cached nothing before, nothing is missed. */
export function findCacheMiss(
  step: TimedStep & Pick<RunStep, 'change'>,
  before: TimedStep | null,
): CacheMiss | null {
  const { input, cacheRead } = step.usage;
  const earlier = before?.usage.input ?? null;
  if (before === null || input === null || cacheRead === null || earlier === null) return null;
  if (before.usage.cacheRead === 0 && before.usage.cacheWrite === 0) return null;
  const expected = Math.min(input, earlier);
  const lost = expected - cacheRead;
  if (lost < MIN_LOST || cacheRead >= MIN_READ * expected) return null;
  const idle = step.startedAt - before.startedAt - before.durationMs;
  if (step.change !== null) return { lost, cause: describeChange(step.change) };
  return {
    lost,
    cause:
      idle > CACHE_LIFE_MS
        ? 'the request before was more than five minutes earlier, and caches expire'
        : 'the request only adds to the one before, so the reason lies with the service',
  };
}
