/** A piece of a text, and whether it is what was searched for. */
export interface Mark {
  readonly text: string;
  readonly found: boolean;
}

/** A text in pieces, with those marked that a search for these words finds: beginnings of words, whatever their case and accents. */
export function marksOf(text: string, find: string): readonly Mark[] {
  const sought = wordsIn(find).map(({ word }) => fold(word));
  const marks: Mark[] = [];
  let from = 0;
  for (const { word, at } of sought.length === 0 ? [] : wordsIn(text)) {
    const length = longest(word, sought);
    if (length === 0) continue;
    marks.push({ text: text.slice(from, at), found: false });
    marks.push({ text: text.slice(at, at + length), found: true });
    from = at + length;
  }
  return [...marks, { text: text.slice(from), found: false }].filter((mark) => mark.text !== '');
}

function wordsIn(text: string) {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map(({ 0: word, index: at }) => ({ word, at }));
}

function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** How much of the word's beginning was searched for. */
function longest(word: string, sought: readonly string[]): number {
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
