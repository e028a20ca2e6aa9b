import { searchReader, textUpTo } from '../../../search-params.ts';

const MAX_ID_LENGTH = 64;
const MAX_NAME_LENGTH = 255;
const MAX_SERVICE_LENGTH = 2_048;

/** Reads the file that was sent, its name, and the service from the URL's search parameters. Invalid values are dropped. */
export const readReconcileSearch = searchReader({
  upload: textUpTo(MAX_ID_LENGTH),
  file: textUpTo(MAX_NAME_LENGTH),
  service: textUpTo(MAX_SERVICE_LENGTH),
});
