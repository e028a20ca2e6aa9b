import type { Target, TargetName } from './target.ts';
import { median } from './statistics.ts';

/** One figure for each door that has it. */
export type ByTarget = Partial<Record<TargetName, number>>;

/** The figures of every round, by door. Rounds are told apart by their order, so each door needs one figure in each. */
export class Figures {
  readonly #rounds = new Map<TargetName, number[]>();

  add(name: TargetName, value: number): void {
    const values = this.#rounds.get(name);
    if (values === undefined) this.#rounds.set(name, [value]);
    else values.push(value);
  }

  /** The median of the rounds of each door. */
  get medians(): ByTarget {
    return Object.fromEntries([...this.#rounds].map(([name, values]) => [name, median(values)]));
  }

  /** The median over the rounds of what each door has more than `than` had in the same round. */
  over(than: TargetName): ByTarget {
    return this.#compared(than, (value, other) => value - other);
  }

  /** The median over the rounds of how many times as much each door has as `other` had in the same round. */
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

/** The doors, beginning with another one in each round. */
export function rotate(targets: readonly Target[], round: number): readonly Target[] {
  const first = round % targets.length;
  return [...targets.slice(first), ...targets.slice(0, first)];
}
