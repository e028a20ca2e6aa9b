import { groupFailures, type StepGroup } from '../../../shared/run/describe-run.ts';
import type { CostedMiss, CostedRun, RunSequence, RunStep } from '../../../shared/run/run.ts';

/** A step with its place in the tree of a run. */
export interface OrderedStep {
  readonly step: RunStep;
  /** Whether the cache missed at it; `null` when it did not. */
  readonly miss: CostedMiss | null;
  /** Its number in the page, from 1: a number of its sequence would not tell it from the steps of other agents. */
  readonly number: number;
  /** Its sequence, after those in whose steps this one began. */
  readonly path: readonly RunSequence[];
  /** Those of which it is one more, as the same request that failed in the same way; `null` for others. */
  readonly group: StepGroup | null;
}

/** Lists the steps of a run as a reader follows them: an agent after the step whose tool call started it. */
export function orderSteps({ sequences, misses }: CostedRun): readonly OrderedStep[] {
  const steps = new Set(sequences.flatMap((sequence) => sequence.steps.map(({ id }) => id)));
  const started = Map.groupBy(sequences, ({ startedBy }) => startedBy);
  const seen = new Set<number>();
  const ordered: OrderedStep[] = [];
  const visit = (sequence: RunSequence, above: readonly RunSequence[]): void => {
    if (seen.has(sequence.id)) return;
    seen.add(sequence.id);
    const path = [...above, sequence];
    for (const group of groupFailures(sequence.steps)) {
      for (const step of [group.step, ...group.again]) {
        const number = ordered.length + 1;
        const again = step === group.step ? null : group;
        ordered.push({ step, miss: misses[step.id] ?? null, number, path, group: again });
        for (const next of started.get(step.id) ?? []) visit(next, path);
      }
    }
  };
  for (const sequence of sequences) {
    if (sequence.startedBy === null || !steps.has(sequence.startedBy)) visit(sequence, []);
  }
  // Two that name each other as their beginning would not be reached from above.
  for (const sequence of sequences) visit(sequence, []);
  return ordered;
}
