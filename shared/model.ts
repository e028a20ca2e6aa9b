import { z } from 'zod';

/** A model object of the service (spec section 2.1), kept whole: fields the spec does not show stay as they are. */
export const Model = z.looseObject({ id: z.string().min(1) });
export type Model = z.infer<typeof Model>;
