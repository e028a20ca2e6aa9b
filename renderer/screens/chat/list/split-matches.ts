/** A piece of a text, and whether it is what was searched for. */
export interface TextSpan {
  readonly text: string;
  readonly found: boolean;
}

const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** A text in pieces, with those marked that a search for these words finds: beginnings of words, whatever their case and accents, and anything in scripts without spaces. */
export function splitMatches(text: string, find: string): readonly TextSpan[] {
  const asked = splitWords(find).map(({ word }) => word);
  const sought = asked.map(fold);
  const unspaced = asked.filter((word) => UNSPACED.test(word));
  const marks: TextSpan[] = [];
  let from = 0;
  for (const { word, at: start } of sought.length === 0 ? [] : splitWords(text)) {
    const skipped = textBeforeFirst(word, unspaced);
    const length = longestMatch(word.slice(skipped), sought);
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

/** What stands in a word before the first of these; nothing when none is in it. */
function textBeforeFirst(word: string, unspaced: readonly string[]): number {
  const places = unspaced.map((one) => word.indexOf(one)).filter((place) => place >= 0);
  return places.length === 0 ? 0 : Math.min(...places);
}

function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** How much of the word's beginning was searched for. */
function longestMatch(word: string, sought: readonly string[]): number {
  const folded = fold(word);
  const most = Math.max(
    0,
    ...sought.filter((one) => one !== '' && folded.startsWith(one)).map((one) => one.length),
  );
  if (most === 0) return 0;
  let length = 0;
  for (const { segment } of graphemes.segment(word)) {
    length += segment.length;
    if (fold(word.slice(0, length)).length >= most) break;
  }
  return length;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
