/** Arguments that need no quotes in any shell. */
const SAFE_WORD = /^[\w%+,./:=@-]+$/u;

/** Joins a program and its arguments to one line, quoted for a POSIX shell and for the settings of desktops. */
export function formatCommandLine(args: readonly string[]): string {
  return args
    .map((word) => (SAFE_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}
