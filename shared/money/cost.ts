import { z } from 'zod';

/**
 * How a cost is known. `reported`: from counts of the service. `estimated`: from counts that Gatehouse estimated. `unpriced`: its model
 * has no price. `unknown`: there are no counts.
 */
export const CostSource = z.enum(['reported', 'estimated', 'unpriced', 'unknown']);
export type CostSource = z.infer<typeof CostSource>;

/** The cost of an exchange. */
export const Cost = z.object({
  /** Millionths of the currency; `null` when it is unpriced or unknown. */
  amount: z.number().int().nonnegative().nullable(),
  source: CostSource,
  /** The price from which it was computed. */
  priceId: z.number().int().nullable(),
});
export type Cost = z.infer<typeof Cost>;

/** An ISO 4217 code. */
export const Currency = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{3}$/u, 'A currency is a code of three letters, such as USD or EUR.');
