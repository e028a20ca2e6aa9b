/** Words that need no quotes in any shell. */
const SAFE_WORD = /^[\w%+,./:=@-]+$/u;

/** A program and its arguments in one line, quoted as a POSIX shell and the settings of desktops read it. */
export function formatCommandLine(words: readonly string[]): string {
  return words
    .map((word) => (SAFE_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}
