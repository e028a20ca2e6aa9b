/** What a story may try besides kills and cuts. */
export const FEATURES = [
  /** A client sends the same order several times at the same moment. */
  'twins',
  /** The first of several gets 400 or 429, and nothing is charged. */
  'refusals',
  /** The same order waits while the clock passes the end of its ten minutes. */
  'waiting',
  /** The clock is set forward or back between two runs. */
  'clocks',
  /** Nothing is repaired (`--strict`). */
  'strict',
  /** Orders come packed or as a form, as the official SDKs send them. */
  'bodies',
  /** A second engine is started on the same folder. */
  'second-engine',
  /** The list of models is not known at first, so the same order is repaired only when it is repeated. */
  'repairs',
] as const;
export type Feature = (typeof FEATURES)[number];
