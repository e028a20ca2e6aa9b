/** Characters of each text in which a part is looked for, and the lengths of a part that is long enough, and of the longest one. */
const SEARCHED = 1_000;
const ENOUGH = 12;
const MAX_LENGTH = 120;

/**
 * Matches words that differ from session to session: those with a digit, a slash or a backslash, such as times, ids and paths, the names
 * of days and months, and the marks of masked keys. Words end at white space, quotes, brackets and commas.
 */
const VARIABLE =
  /<(?:service |local )?key>|[^\s"'`<>()[\]{},;]*[\d/\\][^\s"'`<>()[\]{},;]*|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|am|pm|utc|gmt)\b/giu;

/**
 * Finds a part near the beginning of texts that the same texts have in another session: the first piece of at least twelve characters
 * between two variable words of one text, otherwise the longest one. Returns `null` when there is none with a letter.
 */
export function findStableText(texts: readonly string[]): string | null {
  const pieces = texts.flatMap(splitText);
  const [longest] = pieces.toSorted((one, other) => other.length - one.length);
  const found = pieces.find(({ length }) => length >= ENOUGH) ?? longest;
  return found === undefined ? null : Array.from(found).slice(0, MAX_LENGTH).join('');
}

function splitText(text: string): string[] {
  // A word that the cut divides may be variable in its other half.
  const start = text.length > SEARCHED ? text.slice(0, SEARCHED).replace(/\S*$/u, '') : text;
  return start
    .split(VARIABLE)
    .map((piece) => piece.replaceAll(/\s+/gu, ' ').trim())
    .filter((piece) => /\p{L}/u.test(piece));
}
