import { printTerm, printTerms, quote } from '../../../shared/filter-language/print.ts';
import { replaceTerms } from '../../../shared/filter-language/replace-term.ts';
import type { Flag, NamesField, Term } from '../../../shared/filter-language/terms.ts';
import { parseFilter } from '../../../shared/filter-language/parse.ts';
import { printWords } from '../../../shared/filter-language/print-filter.ts';
import type { HistoryFilter } from '../../../shared/history/history.ts';

/** The choices of the menu for outcomes. */
export const OUTCOMES = ['2xx', '3xx', '4xx', '5xx', 'failed', 'left'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Returns the text of a filter in which one of these patterns of names must match; none: any name. */
export function withNames(text: string, field: NamesField, patterns: readonly string[]): string {
  const term = { kind: 'names', field, patterns, negated: false } as const;
  const isReplaced = (one: Term): boolean =>
    one.kind === 'names' && one.field === field && !one.negated;
  return replaceTerms(text, isReplaced, patterns.length === 0 ? '' : printTerm(term));
}

/** Returns the text of a filter with a flag, or with its opposite; `null`: without it. */
export function withFlag(text: string, flag: Flag, isSet: boolean | null): string {
  const isReplaced = (one: Term): boolean => one.kind === 'flag' && one.flag === flag;
  const term = { kind: 'flag', flag, negated: isSet === false } as const;
  return replaceTerms(text, isReplaced, isSet === null ? '' : printTerm(term));
}

/** Returns the text of a filter with an outcome; `null`: with any. */
export function withOutcome(text: string, outcome: Outcome | null): string {
  return replaceTerms(text, isOutcome, outcome === null ? '' : OUTCOME_TEXTS[outcome]);
}

function isOutcome(one: Term): boolean {
  if (one.kind === 'flag') return ENDINGS.has(one.flag);
  return one.kind === 'status-bound' || (one.kind === 'status' && !one.negated);
}

const ENDINGS: ReadonlySet<Flag> = new Set(['answered', 'failed', 'left']);

const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  '2xx': 'status:2xx answered',
  '3xx': 'status:3xx',
  '4xx': 'status:4xx',
  '5xx': 'status:5xx',
  failed: 'failed',
  left: 'left',
};

/** Returns the outcome of the menu that a filter asks for; `null` for any other. */
export function readOutcome(filter: HistoryFilter): Outcome | null {
  const { statuses = [], failed, left, answered } = filter;
  const endings = [failed, left, answered].filter((one) => one !== undefined);
  if (endings.length > 1) return null;
  const [range, second] = statuses;
  if (range === undefined) return failed === true ? 'failed' : left === true ? 'left' : null;
  const found = OUTCOMES.find((one) => 100 * Number(one.charAt(0)) === range.from);
  const isClass = second === undefined && range.to === (range.from ?? 0) + 99;
  const isWanted = found === '2xx' ? answered === true : endings.length === 0;
  return isClass && found !== undefined && isWanted ? found : null;
}

/** Beginning and end of a filter as the language has them; absent for none. */
export interface TimeTexts {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Returns the text of a filter with these times. */
export function withTimes(text: string, { since, until }: TimeTexts): string {
  const terms: Term[] = [];
  if (since !== undefined) terms.push({ kind: 'time', field: 'since', text: since });
  if (until !== undefined) terms.push({ kind: 'time', field: 'until', text: until });
  return replaceTerms(text, ({ kind }) => kind === 'time', printTerms(terms));
}

/** Returns the times of a filter. */
export function readTimes(terms: readonly Term[]): TimeTexts {
  const times = terms.filter((term) => term.kind === 'time');
  return Object.fromEntries(times.map((term) => [term.field, term.text]));
}

/** Returns the text of a filter that searches for these words only. */
export function withWords(text: string, words: string): string {
  return replaceTerms(text, isSearched, printWords(words));
}

function isSearched(one: Term): boolean {
  return (one.kind === 'word' || one.kind === 'exact') && !one.negated;
}

/** Returns the text of a filter that lists each status check of the video that a path names. */
export function withChecks(text: string, path: string): string {
  const [id = ''] = path.slice(path.lastIndexOf('/') + 1).split('?');
  return withFlag(withNames(withWords(text, id), 'route', ['video-status']), 'each', true);
}

/** Whether a filter searches for words in the list. */
export function hasWords(text: string): boolean {
  return parseFilter(text).terms.some(({ term }) => isSearched(term));
}

/** Whether a filter searches in requests and responses. */
export function hasBodyTexts(text: string): boolean {
  return parseFilter(text).terms.some(({ term }) => term.kind === 'body');
}

/** Returns the text of a filter that searches for its words in requests and responses instead; or the other way round. */
export function withBodySearch(text: string, inBodies: boolean): string {
  const terms = parseFilter(text).terms.map(({ term }) => term);
  if (!inBodies) {
    const texts = terms.flatMap((term) => (term.kind === 'body' ? [quote(term.text)] : []));
    return replaceTerms(text, ({ kind }) => kind === 'body', texts.join(' '));
  }
  const words = terms.flatMap((term) => (isSearched(term) && 'text' in term ? [term.text] : []));
  return replaceTerms(text, isSearched, `body:${words.length === 0 ? '' : quote(words.join(' '))}`);
}
