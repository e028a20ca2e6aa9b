import type { StoredBody } from './body.ts';
import { formatBytes, pluralize } from '../format.ts';

/** Returns the text of a body with a note at the place of what is not kept. */
export function markOmitted({ text, omitted }: Pick<StoredBody, 'text' | 'omitted'>): string {
  if (omitted === null) return text;
  const note = `\n… ${formatBytes(omitted.bytes)} in the middle are not kept …\n`;
  return `${text.slice(0, omitted.at)}${note}${text.slice(omitted.at)}`;
}

/** Says in sentences what of a body is not kept as it passed; empty when everything is. `places`: where secrets were masked. */
export function describeGaps(
  { binary, omitted, masked }: StoredBody,
  places: readonly string[] = [],
): string {
  const where = places.length === 0 ? '' : `, in ${places.join(', in ')}`;
  return [
    binary ? 'It is not text; only its size is kept.' : '',
    omitted === null ? '' : `${formatBytes(omitted.bytes)} in the middle are not kept.`,
    masked === 0
      ? ''
      : `${pluralize(masked, 'secret')} ${masked === 1 ? 'was' : 'were'} masked${where}.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
