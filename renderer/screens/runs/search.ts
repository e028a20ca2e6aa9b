import { readFlag, readId, searchReader, textUpTo } from '../../search-params.ts';
import type { RunId } from '../../../shared/exchange/exchange.ts';

/** Maximum length of the search text. */
export const MAX_TEXT_LENGTH = 200;

/** Reads the filter and the open run from the URL's search parameters. Invalid values are dropped. */
export const readRunsSearch = searchReader({
  find: textUpTo(MAX_TEXT_LENGTH),
  single: readFlag,
  bodies: readFlag,
  run: (value) => readId<RunId>(value),
});
