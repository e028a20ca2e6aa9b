import type { ByTarget } from './rounds.ts';
import type { Scale } from './scale.ts';

/** What the gateway's figure should be. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** A line of the table. */
export interface Row {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly values: ByTarget;
  readonly goal?: Goal;
}

export interface Bench {
  readonly scale: Scale;
  /** Where CPU profiles of the gateway go, when they are wanted. */
  readonly profileDir: string | null;
}

/** Measures one thing. Rejects when any answer was wrong. */
export type Measure = (bench: Bench) => Promise<readonly Row[]>;

/** Makes the rows of one measurement: the first under its own name, the others under it. */
export class Rows {
  readonly #name: string;
  readonly rows: Row[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** `what` is the end of the row's name and its label, e.g. `['added.p50', 'added over direct, p50']`. */
  add(what: readonly [name: string, label: string], unit: string, figures: RowFigures): this {
    const [name, label] = what;
    const indent = this.rows.length === 0 ? '' : '  ';
    this.rows.push({ name: `${this.#name}.${name}`, label: indent + label, unit, ...figures });
    return this;
  }
}

type RowFigures = Pick<Row, 'values' | 'goal'>;

/** Whether the gateway reached the goal; `null` when there is none. */
export function isMet({ goal, values: { gateway } }: Row): boolean | null {
  if (goal === undefined || gateway === undefined) return null;
  return 'atMost' in goal ? gateway <= goal.atMost : gateway >= goal.atLeast;
}
