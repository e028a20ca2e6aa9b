/** Something that goes wrong at the `nth` time that a point is passed. */
export interface Fault {
  readonly how: 'kill' | 'cut';
  readonly point: string;
  readonly nth: number;
}

/** What is to happen in one run of the engine. */
export interface Plan {
  /** A file that takes one JSON line for each fault and for many points, even right before the end. */
  readonly journal: string;
  readonly faults: readonly Fault[];
  /** How long there is no network after a cut. */
  readonly downMs: number;
}

/** The variable of the environment that carries the plan, for a preloaded module has no arguments. */
export const PLAN_VARIABLE = 'FAULT_PLAN';

/** What a run writes into its journal. */
export type Entry =
  | { readonly is: 'point'; readonly point: string; readonly nth: number }
  | { readonly is: 'fault'; readonly how: Fault['how']; readonly point: string };
