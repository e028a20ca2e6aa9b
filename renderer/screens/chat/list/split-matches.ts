/** A part of a text, and whether it matches the search. */
export interface TextSpan {
  readonly text: string;
  readonly found: boolean;
}

const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/**
 * Splits a text into matching and other parts as the search does: words match by their beginning, ignoring case and
 * accents; scripts without spaces match anywhere.
 */
export function splitMatches(text: string, find: string): readonly TextSpan[] {
  const searched = splitWords(find).map(({ word }) => word);
  const query = searched.map(fold);
  const unspaced = searched.filter((word) => UNSPACED.test(word));
  const marks: TextSpan[] = [];
  let from = 0;
  for (const { word, at: start } of query.length === 0 ? [] : splitWords(text)) {
    const skipped = textBeforeFirst(word, unspaced);
    const length = longestMatch(word.slice(skipped), query);
    if (length === 0) continue;
    const at = start + skipped;
    marks.push({ text: text.slice(from, at), found: false });
    marks.push({ text: text.slice(at, at + length), found: true });
    from = at + length;
  }
  return [...marks, { text: text.slice(from), found: false }].filter((mark) => mark.text !== '');
}

function splitWords(text: string) {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map(({ 0: word, index: at }) => ({ word, at }));
}

/** Returns the length of the text before the first of these in a word; 0 when none occurs. */
function textBeforeFirst(word: string, unspaced: readonly string[]): number {
  const indexes = unspaced.map((one) => word.indexOf(one)).filter((place) => place >= 0);
  return indexes.length === 0 ? 0 : Math.min(...indexes);
}

function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Returns the length of the word's beginning that matches. */
function longestMatch(word: string, query: readonly string[]): number {
  const folded = fold(word);
  const maxLength = Math.max(
    0,
    ...query.filter((one) => one !== '' && folded.startsWith(one)).map((one) => one.length),
  );
  if (maxLength === 0) return 0;
  let length = 0;
  for (const { segment } of graphemes.segment(word)) {
    length += segment.length;
    if (fold(word.slice(0, length)).length >= maxLength) break;
  }
  return length;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
