import { findUnexpectedType } from '../http/unexpected-type.ts';
import { explainKeyStatus, explainNoModelList, type KeyTestResult } from '../keys/keys.ts';
import { countModels } from '../models/models.ts';
import type { ModelListResponse } from './model-list.ts';

/** What an answer to a request for the model list shows. */
export interface ModelListVerdict {
  readonly words: KeyTestResult;
  /** The length of the list; `null` when the answer contains none. */
  readonly models: number | null;
  /** Whether nothing says that something else answered, such as the sign-in page of a network. */
  readonly isOfService: boolean;
}

/** Judges an answer to a request for the model list. `command`: see `explainKeyStatus`. */
export function judgeModelList(
  { status, body, type }: ModelListResponse,
  command: string | null,
): ModelListVerdict {
  const models = countModels(body);
  const judged = explainKeyStatus(status, command);
  const unexpected = nameUnexpected(type, body);
  const isOfService = models !== null || (unexpected === null && (status < 300 || status >= 400));
  if (!judged.accepted || models !== null) return { words: judged, models, isOfService };
  return { words: explainNoModelList(status, unexpected), models, isOfService };
}

const START_OF_PAGE = /^\s*</u;
/** Only the start of a body shows whether it is a page. */
const START_BYTES = 1024;

/** Says what an answer is instead of JSON; `null` when nothing says that it is something else. */
function nameUnexpected(type: string | undefined, body: Buffer): string | null {
  const isPage = START_OF_PAGE.test(body.subarray(0, START_BYTES).toString());
  return findUnexpectedType(type) ?? (isPage ? 'a page' : null);
}
