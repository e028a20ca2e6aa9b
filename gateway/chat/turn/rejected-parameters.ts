import type { ReportedError } from '../protocol/parse-answer.ts';

/** A stream is asked for by every client; it is suspected only when it is named. */
const UNLIKELY = 'stream';

/** Which of the optional fields of a request may be why it got a 400 (spec section 4.2): those that the service names first, then in their order; none when it blames images. */
export function findLikelyRejected(
  extras: readonly string[],
  error: ReportedError | null,
): string[] {
  const named = extras.filter((field) => isNamed(field, error));
  if (named.length === 0 && isAboutImages(error)) return [];
  return [...named, ...extras.filter((field) => !named.includes(field) && field !== UNLIKELY)];
}

/** Whether a refusal blames the images of a request: no setting is then the reason. */
export function isAboutImages(error: ReportedError | null): boolean {
  return /\b(?:images?|image_url|vision)\b/iu.test(error?.message ?? '');
}

function isNamed(field: string, error: ReportedError | null): boolean {
  if (error === null) return false;
  if (error.param !== null && error.param.split('.')[0] === field) return true;
  // `stream` is not `stream_options`; people also write names with spaces and hyphens.
  const name = field.replaceAll('_', '[_ -]?');
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'iu').test(error.message ?? '');
}
