import { removeBracketItem } from './remove-bracket-item.ts';
import {
  applyEdits,
  detectLineBreak,
  indentAt,
  lineEnd,
  lineStart,
  removeLines,
  skipLineBreak,
  skipLineBreakBack,
  type TextEdit,
  type TextRange,
} from './text-lines.ts';
import {
  findTomlItem,
  startsWith,
  toBracketList,
  tomlBracketStyle,
  type TomlSection,
  type TomlSections,
} from './toml-sections.ts';
import type { FoundStep } from './value-changes.ts';

/** Returns the text without the value at a path, which exists. Comments stay. @throws ConfigFormatError */
export function removeTomlValue(
  text: string,
  parts: TomlSections,
  path: readonly FoundStep[],
): string {
  const place = findTomlItem(parts, path);
  const commentsIn = (range: TextRange) =>
    parts.comments
      .filter(({ start, end }) => start >= range.start && end <= range.end)
      .map(({ start, end }) => text.slice(start, end));
  if (place !== null && place.list !== null) {
    const { item, list, index } = place;
    const removed = { index, comments: commentsIn(item) };
    const style = tomlBracketStyle(text);
    return applyEdits(text, removeBracketItem(text, toBracketList(list), style, removed));
  }
  const lines = parts.sections.flatMap((section) => linesOf(text, section, path, parts.sections));
  const eol = detectLineBreak(text);
  const edits = lines.map((range): TextEdit => {
    const indent = indentAt(text, lineEnd(text, range.end - 1));
    return {
      ...range,
      text: commentsIn(range)
        .map((comment) => indent + comment + eol)
        .join(''),
    };
  });
  return removeLines(text, edits);
}

/** Returns the lines of a section that belong to a path. */
function linesOf(
  text: string,
  { path: table, header, members }: TomlSection,
  path: readonly FoundStep[],
  sections: readonly TomlSection[],
): readonly TextRange[] {
  if (header !== null && startsWith(table, path))
    return [headerLines(text, header), ...members.map((member) => wholeLines(text, member))];
  if (!startsWith(path, table)) return [];
  const inner = path.slice(table.length);
  const removed = members.filter(({ key }) => startsWith(key, inner));
  const lines = removed.map((member) => wholeLines(text, member));
  const last = lines.at(-1);
  if (header !== null || removed.length < members.length || sections.length === 1 || !last)
    return lines;
  // The blank line that separated the members from the tables goes with the last of them.
  return [...lines, { start: last.end, end: skipLineBreak(text, last.end) }];
}

/** Returns the line of a header, and a blank line before it. */
function headerLines(text: string, header: TextRange): TextRange {
  const { start, end } = wholeLines(text, header);
  const before = skipLineBreakBack(text, start);
  const isBlank = before < start && lineStart(text, before) === before;
  return { start: isBlank ? before : start, end };
}

function wholeLines(text: string, range: TextRange): TextRange {
  const end = skipLineBreak(text, lineEnd(text, range.end));
  return { start: lineStart(text, range.start), end };
}
