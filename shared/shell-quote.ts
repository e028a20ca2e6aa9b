/** Quotes any text as one word for a POSIX shell, so that it cannot become a command when it is pasted. */
export function quoteForShell(text: string): string {
  return /^[\w./:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
