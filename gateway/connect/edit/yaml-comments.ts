import { CST, Lexer } from 'yaml';
import type { TextRange } from './text-lines.ts';
import { MAX_DEPTH, tooDeep } from './value-changes.ts';

/** Tokens of the lexer that stand for no text. */
const MARKS: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/**
 * Finds the comments of a YAML text.
 * @throws ConfigFormatError when it has so many brackets, or dashes in a line, that a parser would need too much time
 */
export function scanYamlComments(text: string): readonly TextRange[] {
  const comments: TextRange[] = [];
  let start = 0;
  let brackets = 0;
  let indicators = 0;
  let previous = '';
  for (const token of new Lexer().lex(text)) {
    const isSyntax = previous !== CST.SCALAR;
    previous = token;
    if (MARKS.has(token) && isSyntax) continue;
    const end = start + token.length;
    if (isSyntax && token.startsWith('#')) comments.push({ start, end });
    if (isSyntax && (token === '[' || token === '{')) brackets += 1;
    if (isSyntax && (token === ']' || token === '}')) brackets -= 1;
    if (isSyntax && (token === '-' || token === '?')) indicators += 1;
    if (token.endsWith('\n')) indicators = 0;
    if (brackets > MAX_DEPTH || indicators > MAX_DEPTH) throw tooDeep();
    start = end;
  }
  return comments;
}
