import { splitPattern } from '../name-pattern.ts';
import type { NumberRange } from '../history/history.ts';
import { formatQuantity } from './quantities.ts';
import type { Term } from './terms.ts';

/** Prints terms so that parsing the text gives the same terms. */
export function printTerms(terms: readonly Term[]): string {
  return terms.map(printTerm).join(' ');
}

/** Prints one term. */
export function printTerm(term: Term): string {
  switch (term.kind) {
    case 'word':
      return `${sign(term)}${term.text}`;
    case 'exact':
      return `${sign(term)}${quote(term.text)}`;
    case 'body':
      return `body:${quote(term.text)}`;
    case 'names':
      return `${sign(term)}${term.field}:${term.patterns.map(printPattern).join(',')}`;
    case 'status':
      return `${sign(term)}status:${term.ranges.map(printRange).join(',')}`;
    case 'status-bound':
      return `status${term.comparison}${term.value}`;
    case 'number':
      return `${term.field}${term.comparison}${formatQuantity(term.field, term.value)}`;
    case 'time':
      return `${term.field}:${/\s/u.test(term.text) ? quote(term.text) : term.text}`;
    case 'id':
      return `${term.field}:${term.prefix}`;
    case 'flag':
      return `${sign(term)}${term.flag}`;
  }
}

/** Puts a text in quotes. */
export function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}

function sign({ negated }: { readonly negated: boolean }): string {
  return negated ? '-' : '';
}

/** Prints a pattern: its wildcards bare, and what would mean something else in quotes. */
export function printPattern(pattern: string): string {
  const texts = splitPattern(pattern);
  if (texts.length === 1 && texts[0] === '') return '""';
  return texts.map((text) => (/[\s",*<>]/u.test(text) ? quote(text) : text)).join('*');
}

function printRange({ from = 0, to = from }: NumberRange): string {
  if (from === to) return String(from);
  return from % 100 === 0 && to === from + 99 ? `${from / 100}xx` : `${from}-${to}`;
}
