import type { ByTarget } from './rounds.ts';
import type { Scale } from './scale.ts';

/** The goal for the gateway's figure. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** A row of the table. */
export interface Row {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly values: ByTarget;
  readonly goal?: Goal;
}

export interface Bench {
  readonly scale: Scale;
  /** Folder for CPU profiles of the gateway; `null` for none. */
  readonly profileDir: string | null;
}

/** Runs one measurement. Rejects when any answer was wrong. */
export type Measure = (bench: Bench) => Promise<readonly Row[]>;

/** Collects the rows of one measurement: the first as its heading, the others indented. */
export class Rows {
  readonly #name: string;
  readonly rows: Row[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** Adds a row. `what` is the end of its name, and its label, e.g. `['added.p50', 'added over direct, p50']`. */
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
