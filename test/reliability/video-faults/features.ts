/** Optional features of a scenario, besides kills and cuts. */
export const FEATURES = [
  /** A client sends an order several times at once. */
  'twins',
  /** The first of several orders gets 400 or 429, and nothing is charged. */
  'refusals',
  /** A duplicate order waits while the clock passes the end of its ten minutes. */
  'waiting',
  /** The clock is moved forward or back between two runs. */
  'clocks',
  /** Repairs are off (`--strict`). */
  'strict',
  /** Orders come compressed or as a form, as the official SDKs send them. */
  'bodies',
  /** A second engine is started on the same folder. */
  'second-engine',
  /** The model list is not known at first, so an order is repaired only when it is repeated. */
  'repairs',
] as const;
export type Feature = (typeof FEATURES)[number];
