import { foldCase } from '../../../shared/fold-case.ts';

/** Splits a text into its words in lower case: runs of letters and digits, whatever separates them. */
export function tokenize(text: string): string[] {
  return foldCase(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** Returns the first letter or digit of a word. */
export function firstCharacter(word: string): string {
  return String.fromCodePoint(word.codePointAt(0) ?? 0);
}

/** Returns whether a text begins with a letter or digit. */
export function isWordStart(text: string): boolean {
  return /^[\p{L}\p{M}\p{N}]/u.test(foldCase(text));
}
