import { placeAt } from '../../../shared/parse-bodies/json.ts';
import { ConfigFormatError } from './config-format-error.ts';
import { lineEnd, skipBlanks, skipLineBreak, type TextRange } from './text-lines.ts';

/** The comments of a format: those of JSON with comments, or from `#` to the end of the line. */
export type CommentSyntax = 'slashes' | 'hash';

/** A piece of the text between two items of a bracketed list. */
export interface GapToken extends TextRange {
  readonly kind: 'blank' | 'line-break' | 'comma' | 'comment';
}

/** Splits the text between two items of a bracketed list. @throws ConfigFormatError when it has anything else */
export function scanGap(
  text: string,
  { start, end }: TextRange,
  comments: CommentSyntax,
): readonly GapToken[] {
  const tokens: GapToken[] = [];
  for (let at = start; at < end;) {
    const token = readToken(text, at, comments);
    if (token === null)
      throw new ConfigFormatError(
        'This list is written in a way that cannot be edited here; edit the file yourself.',
        placeAt(text, at),
      );
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function readToken(text: string, start: number, comments: CommentSyntax): GapToken | null {
  const blanks = skipBlanks(text, start);
  if (blanks > start) return { kind: 'blank', start, end: blanks };
  const lineBreak = skipLineBreak(text, start);
  if (lineBreak > start) return { kind: 'line-break', start, end: lineBreak };
  if (text[start] === ',') return { kind: 'comma', start, end: start + 1 };
  if (text.startsWith(comments === 'hash' ? '#' : '//', start))
    return { kind: 'comment', start, end: lineEnd(text, start) };
  if (comments === 'slashes' && text.startsWith('/*', start))
    return { kind: 'comment', start, end: text.indexOf('*/', start + 2) + 2 };
  return null;
}
