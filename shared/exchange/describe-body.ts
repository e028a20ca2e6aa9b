import type { EarlierMessages, StoredBody } from './body.ts';
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

/** Why no message before those of a request is shown, by how they begin. */
const NONE_REBUILT: Readonly<Record<EarlierMessages['start'], string>> = {
  whole: 'This request goes on from requests and responses without messages.',
  'not kept':
    'This request begins with a response that is not kept, so the messages before are not shown.',
  'too long': 'The messages before this request are too long to be rebuilt.',
  'too many': 'The requests before this one are too many to be rebuilt.',
};

/** Says what stands before the messages of a request that sent only what is new. */
export function describeEarlier({
  count,
  start,
  gap,
  isCutOff,
  isAmbiguous,
}: Omit<EarlierMessages, 'items'>): string {
  return [
    count === 0
      ? NONE_REBUILT[start]
      : `${pluralize(count, 'earlier message')}, rebuilt from the requests before, which the service has stored.`,
    start === 'not kept' && count > 0 ? 'They begin with a response that is not kept.' : '',
    start === 'too long' && count > 0 ? 'Those before are too long to be rebuilt.' : '',
    start === 'too many' && count > 0 ? 'Those before are too many to be rebuilt.' : '',
    gap === null ? '' : 'Some in the middle are not kept.',
    isCutOff ? 'A response among them is not complete.' : '',
    isAmbiguous ? 'Several responses have the same id; the latest one before was taken.' : '',
    'This request sent only what follows.',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** Says what the parts of a request that sent only what is new count. */
export function describeCounted({
  count,
  start,
}: Pick<EarlierMessages, 'count' | 'start'>): string {
  const counted = `${pluralize(count, 'earlier message')} that it did not send, because the service has stored ${count === 1 ? 'it' : 'them'}, ${count === 1 ? 'is' : 'are'} counted.`;
  if (start === 'whole') return counted;
  const why = start === 'not kept' ? 'not kept' : `${start} to be rebuilt`;
  return `${count === 0 ? '' : `${counted} `}Those before that are ${why} are not counted.`;
}
