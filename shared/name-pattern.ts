import { foldCase } from './fold-case.ts';

/*
 * A pattern of names is a name in which `*` stands for any characters. `\*` and `\\` stand for the characters themselves. The case
 * of letters makes no difference.
 */

/** Returns the pattern that only this name matches. */
export function toPattern(name: string): string {
  return name.replaceAll(/[\\*]/gu, String.raw`\$&`);
}

/** Returns the texts between the wildcards of a pattern, without escapes; one text when it has no wildcard. */
export function splitPattern(pattern: string): string[] {
  const texts = [''];
  for (let at = 0; at < pattern.length; at += 1) {
    const isEscape = pattern[at] === '\\' && at + 1 < pattern.length;
    if (pattern[at] === '*') texts.push('');
    else texts[texts.length - 1] += pattern[isEscape ? (at += 1) : at] ?? '';
  }
  return texts;
}

/** Returns whether a name matches a pattern. */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...others] = splitPattern(foldCase(pattern));
  const lower = foldCase(name);
  const last = others.pop();
  if (last === undefined) return lower === first;
  if (!lower.startsWith(first)) return false;
  let at = first.length;
  for (const text of others) {
    const found = lower.indexOf(text, at);
    if (found === -1) return false;
    at = found + text.length;
  }
  return lower.length - last.length >= at && lower.endsWith(last);
}
