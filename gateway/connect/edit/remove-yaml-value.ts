import { removeBracketItem } from './remove-bracket-item.ts';
import {
  applyEdits,
  columnAt,
  detectLineBreak,
  indentAt,
  isFirstInLine,
  lineEnd,
  lineStart,
  removeLines,
  skipBlanksBack,
  skipLineBreak,
  type TextRange,
} from './text-lines.ts';
import {
  commentsIn,
  toBracketList,
  yamlBracketStyle,
  type YamlPlace,
  type YamlSource,
} from './yaml-nodes.ts';

/** Returns the text without the value at a place. Comments stay, in lines of their own. @throws ConfigFormatError */
export function removeYamlValue(source: YamlSource, { node, parent, index }: YamlPlace): string {
  const { text } = source;
  const item = parent?.items[index] ?? node;
  if (parent?.isFlow === true) {
    const removed = { index, comments: commentsIn(source, item) };
    const style = yamlBracketStyle(text);
    return applyEdits(text, removeBracketItem(text, toBracketList(parent), style, removed));
  }
  if (isFirstInLine(text, item.start)) {
    const start = lineStart(text, item.start);
    const end = skipLineBreak(text, lineEnd(text, item.end));
    const indent = ' '.repeat(columnAt(text, item.start));
    return removeLines(text, [{ start, end, text: keptLines(source, { start, end }, indent) }]);
  }
  const next = parent?.items[index + 1];
  if (next === undefined)
    return applyEdits(text, [{ start: skipBlanksBack(text, item.start), end: item.end, text: '' }]);
  // The next item takes its place in the line of a dash; comments between the two go before that line.
  const line = lineStart(text, item.start);
  const between = { start: item.start, end: next.start };
  const kept = keptLines(source, between, indentAt(text, line));
  return applyEdits(text, [
    { start: line, end: line, text: kept },
    { ...between, text: '' },
  ]);
}

function keptLines(source: YamlSource, range: TextRange, indent: string): string {
  const eol = detectLineBreak(source.text);
  return commentsIn(source, range)
    .map((comment) => indent + comment + eol)
    .join('');
}
