import { z } from 'zod';
import { MAX_FILTER_LENGTH } from './filter-language/limits.ts';

/** Maximum number of saved filters. */
export const MAX_SAVED_FILTERS = 50;

export const SavedFilterName = z
  .string()
  .trim()
  .min(1, 'Enter a name for the filter.')
  .max(64, 'A name has at most 64 characters.');

/** A filter of the history under a name. `text`: as it is written in the language of filters. */
export const SavedFilter = z.object({
  name: SavedFilterName,
  text: z.string().trim().min(1, 'There is no filter to save.').max(MAX_FILTER_LENGTH),
});
export type SavedFilter = z.infer<typeof SavedFilter>;
