import type { Target, TargetName } from './target.ts';
import { median } from './statistics.ts';

/** One figure for each target that has it. */
export type ByTarget = Partial<Record<TargetName, number>>;

/** The figures of all rounds, by target. Rounds are identified by their order, so each target needs one figure in each. */
export class Figures {
  readonly #rounds = new Map<TargetName, number[]>();

  add(name: TargetName, value: number): void {
    const values = this.#rounds.get(name);
    if (values === undefined) this.#rounds.set(name, [value]);
    else values.push(value);
  }

  /** Median of the rounds for each target. */
  get medians(): ByTarget {
    return Object.fromEntries([...this.#rounds].map(([name, values]) => [name, median(values)]));
  }

  /** Returns for each target the median difference to `than` in the same round. */
  over(than: TargetName): ByTarget {
    return this.#compared(than, (value, other) => value - other);
  }

  /** Returns for each target the median ratio to `other` in the same round. */
  ratiosTo(other: TargetName): ByTarget {
    return this.#compared(other, (value, reference) => value / reference);
  }

  #compared(than: TargetName, compare: (value: number, reference: number) => number): ByTarget {
    const references = this.#rounds.get(than) ?? [];
    const compared = new Figures();
    for (const [name, values] of this.#rounds) {
      if (name === than) continue;
      for (const [round, value] of values.entries()) {
        compared.add(name, compare(value, references[round] ?? Number.NaN));
      }
    }
    return compared.medians;
  }
}

/** Rotates the targets, so that each round begins with another one. */
export function rotate(targets: readonly Target[], round: number): readonly Target[] {
  const first = round % targets.length;
  return [...targets.slice(first), ...targets.slice(0, first)];
}
