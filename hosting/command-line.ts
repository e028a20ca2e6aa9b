/** Words that need no quotes in any shell. */
const PLAIN = /^[\w%+,./:=@-]+$/u;

/** A program and its arguments in one line, quoted as a POSIX shell and the settings of desktops read it. */
export function commandLine(words: readonly string[]): string {
  return words
    .map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}
