import { z } from 'zod';

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
});
export type RecostProgress = z.infer<typeof RecostProgress>;
