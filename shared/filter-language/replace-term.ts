import { parseFilter } from './parse.ts';
import type { Term } from './terms.ts';

/**
 * Returns a filter in which some terms are replaced by a text, at the place of the first of them, or at the end; an empty text
 * removes them. The rest stays as it was written, also what has no meaning.
 */
export function replaceTerms(
  filter: string,
  isReplaced: (term: Term) => boolean,
  replacement: string,
): string {
  const spans = parseFilter(filter).terms.filter(({ term }) => isReplaced(term));
  const parts: string[] = [];
  let at = 0;
  for (const [place, { from, to }] of spans.entries()) {
    parts.push(filter.slice(at, from).trim());
    if (place === 0) parts.push(replacement);
    at = to;
  }
  parts.push(filter.slice(at).trim());
  if (spans.length === 0) parts.push(replacement);
  return parts.filter((part) => part !== '').join(' ');
}
