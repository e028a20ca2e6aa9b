import { z } from 'zod';

/** What changes for one model. */
const RecostedModel = z.object({
  /** Its id; empty for exchanges without one. */
  model: z.string(),
  /** Number of its exchanges whose cost changes. */
  exchanges: z.number().int(),
  /** The total of their known costs, before and after; `null` when none is known. */
  before: z.number().nullable(),
  after: z.number().nullable(),
});
export type RecostedModel = z.infer<typeof RecostedModel>;

/** The progress of computing costs again. Amounts in millionths of the currency. */
export const RecostProgress = z.object({
  /** Number of exchanges that were looked at, and of those whose cost changes. */
  checked: z.number().int(),
  changed: z.number().int(),
  /** The total of the known costs of all that were looked at, before and after. */
  before: z.number(),
  after: z.number(),
  /** Whether all were looked at. */
  ended: z.boolean(),
  /** The models whose costs change, those that change most first; none until all were looked at. */
  models: z.array(RecostedModel),
  /** Number of models beyond those listed. */
  moreModels: z.number().int(),
});
export type RecostProgress = z.infer<typeof RecostProgress>;

/** The progress before anything was looked at. */
export const NO_RECOST_PROGRESS: RecostProgress = {
  checked: 0,
  changed: 0,
  before: 0,
  after: 0,
  ended: false,
  models: [],
  moreModels: 0,
};

/** Says what limits do when costs are computed again. */
export const LIMITS_KEEP_COUNTS =
  'Limits keep what they have counted; those for each run count the new costs after the next start of Gatehouse.';
