import type { ReportedError } from '../protocol/parse-answer.ts';

/** Every client requests a stream, so this field is suspected only when it is named. */
const UNLIKELY = 'stream';

/**
 * Finds the optional fields of a request that may have caused a 400 (spec section 4.2): those that the service names first,
 * then the others in order; none when it blames images.
 */
export function findLikelyRejected(
  extras: readonly string[],
  error: ReportedError | null,
): string[] {
  const named = extras.filter((field) => isNamed(field, error));
  if (named.length === 0 && isAboutImages(error)) return [];
  return [...named, ...extras.filter((field) => !named.includes(field) && field !== UNLIKELY)];
}

/** Returns whether an error blames the images of a request: then no setting is the cause. */
export function isAboutImages(error: ReportedError | null): boolean {
  return /\b(?:images?|image_url|vision)\b/iu.test(error?.message ?? '');
}

function isNamed(field: string, error: ReportedError | null): boolean {
  if (error === null) return false;
  if (error.param !== null && error.param.split('.')[0] === field) return true;
  // `stream` must not match `stream_options`; services also write names with spaces and hyphens.
  const name = field.replaceAll('_', '[_ -]?');
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'iu').test(error.message ?? '');
}
