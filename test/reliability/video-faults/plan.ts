/** A fault at the `nth` time that a point is passed. */
export interface Fault {
  readonly how: 'kill' | 'cut';
  readonly point: string;
  readonly nth: number;
}

/** The faults of one run of the engine. */
export interface Plan {
  /** Path of a file that gets one JSON line for each fault and for many points, even right before the end. */
  readonly journal: string;
  readonly faults: readonly Fault[];
  /** Milliseconds without network after a cut. */
  readonly downMs: number;
}

/** Environment variable that passes the plan, because a preloaded module has no arguments. */
export const PLAN_VARIABLE = 'FAULT_PLAN';

/** An entry that a run writes into its journal. */
export type Entry =
  | { readonly is: 'point'; readonly point: string; readonly nth: number }
  | { readonly is: 'fault'; readonly how: Fault['how']; readonly point: string };
