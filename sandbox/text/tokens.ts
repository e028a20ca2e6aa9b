// A token is up to six visible characters together with the white space before them; white space at the end is one more.
const TOKEN = /\s*\S{1,6}|\s+$/gu;

/** Splits text into tokens; joined again they are the text. The one rule for input and output in every protocol. */
export function splitTokens(text: string): readonly string[] {
  return text.match(TOKEN) ?? [];
}

export function countTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + splitTokens(text).length, 0);
}
