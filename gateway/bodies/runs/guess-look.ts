import type { StepChange } from '../../../shared/run/run.ts';

/** Characters around a difference in which a date or a time is looked for. */
const AROUND = 24;
const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const DAYS = 'Mon|Tues|Wednes|Thurs|Fri|Satur|Sun';
const DATE = new RegExp(
  String.raw`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\b(?:${DAYS})day\b|\b(?:${MONTHS})[a-z]*\.? \d{1,2}\b|\b\d{1,2}\.? (?:${MONTHS})[a-z]*\b`,
  'gu',
);
const TIME = /\d{1,2}:\d{2}(?::\d{2})?/gu;
/** What bounds a word in which an id, a path or a number is looked for. */
const WORD_END = /[\s"'`<>()[\]{},;=]/u;
const SENTENCE_END = /[.,:!?]+$/u;
const MAX_WORD = 200;
const ID =
  /^(?:[\w-]+[_-])?(?:[\da-f]{8}-[\da-f-]{20,}|[\da-f]{12,}|(?=.*\d)(?=.*[a-z])[\w-]{16,})$/iu;
const PATH = /^(?:[~.]{0,2}\/|[a-z]:[\\/])./iu;
const NUMBER = /^[+-]?\d[\d.,]*%?$/u;

/** Tells what two texts have at the first character that differs, where it is obviously the same kind of thing; `null` otherwise. */
export function guessLook(before: string, now: string, at: number): StepChange['looksLike'] {
  const has = (test: (text: string) => boolean) => test(before) && test(now);
  if (has((text) => covers(text, at, DATE))) return 'date';
  if (has((text) => covers(text, at, TIME))) return 'time';
  const hasWord = (pattern: RegExp) => has((text) => pattern.test(readWord(text, at)));
  if (hasWord(NUMBER)) return 'number';
  if (hasWord(PATH)) return 'path';
  return hasWord(ID) ? 'id' : null;
}

/** Whether a match of a pattern covers a place of a text. */
function covers(text: string, at: number, pattern: RegExp): boolean {
  const from = Math.max(0, at - AROUND);
  const place = at - from;
  return [...text.slice(from, at + AROUND).matchAll(pattern)].some(
    ({ index, 0: match }) => index <= place && place < index + match.length,
  );
}

/** Returns the word of a text at a place. */
function readWord(text: string, at: number): string {
  let start = at;
  while (start > 0 && at - start < MAX_WORD && !WORD_END.test(text[start - 1] ?? '')) start -= 1;
  let end = at;
  while (end < text.length && end - at < MAX_WORD && !WORD_END.test(text[end] ?? '')) end += 1;
  return text.slice(start, end).replace(SENTENCE_END, '');
}
