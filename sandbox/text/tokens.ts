/** Matches a token: up to six visible characters with the white space before them; white space at the end is one more token. */
const TOKEN = /\s*\S{1,6}|\s+$/gu;

/** Splits text into tokens; joined they are the text. Used for input and output in every protocol. */
export function splitTokens(text: string): readonly string[] {
  return text.match(TOKEN) ?? [];
}

export function countTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + splitTokens(text).length, 0);
}
