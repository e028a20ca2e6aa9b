import type { SaidError } from './heard.ts';

/** A stream is asked for by every client; it is suspected only when it is named. */
const UNLIKELY = 'stream';

/** Which of the optional fields of a request may be why it got a 400 (spec section 4.2): those that the service names first, then in their order; none when it blames images. */
export function suspectsOf(extras: readonly string[], said: SaidError | null): string[] {
  const named = extras.filter((field) => isNamed(field, said));
  if (named.length === 0 && isAboutImages(said)) return [];
  return [...named, ...extras.filter((field) => !named.includes(field) && field !== UNLIKELY)];
}

/** Whether a refusal blames the images of a request: no setting is then the reason. */
export function isAboutImages(said: SaidError | null): boolean {
  return /\b(?:images?|image_url|vision)\b/iu.test(said?.message ?? '');
}

function isNamed(field: string, said: SaidError | null): boolean {
  if (said === null) return false;
  if (said.param !== null && said.param.split('.')[0] === field) return true;
  // `stream` is not `stream_options`; people also write names with spaces and hyphens.
  const name = field.replaceAll('_', '[_ -]?');
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'iu').test(said.message ?? '');
}
