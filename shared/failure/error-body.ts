import { z } from 'zod';

/** The error body of the service (spec section 7). Some services send a number as the code: it is read as text. */
export const ErrorBody = z.object({
  error: z.object({
    message: z.string(),
    type: z.string().optional(),
    code: z.union([z.string(), z.number().transform((code) => String(code))]).nullish(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
