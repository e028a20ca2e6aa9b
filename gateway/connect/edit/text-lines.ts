/** A part of a text, by offsets. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A part of a text that gets another text. */
export interface TextEdit extends TextRange {
  readonly text: string;
}

const LINE_BREAK = /\r\n|\n|\r/u;

/** Makes all edits, none of which may overlap. Of several at one offset, the first one's text comes first. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join('') + text.slice(at);
}

/** Returns the first line break of a text; a line feed when it has none. */
export function detectLineBreak(text: string): string {
  return LINE_BREAK.exec(text)?.[0] ?? '\n';
}

/** Returns the offset at which the line of an offset begins. */
export function lineStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && !isLineBreak(text[start - 1])) start -= 1;
  return start;
}

/** Returns the offset of the line break, or of the end of the text, that ends the line of an offset. */
export function lineEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isLineBreak(text[end])) end += 1;
  return end;
}

/** Returns the offset after the line break at an offset; the same offset when there is none. */
export function skipLineBreak(text: string, at: number): number {
  if (text.startsWith('\r\n', at)) return at + 2;
  return isLineBreak(text[at]) ? at + 1 : at;
}

/** Returns the offset before the line break that ends at an offset; the same offset when there is none. */
export function skipLineBreakBack(text: string, at: number): number {
  if (at >= 2 && text.startsWith('\r\n', at - 2)) return at - 2;
  return isLineBreak(text[at - 1]) ? at - 1 : at;
}

/** Returns the offset of the first character from an offset on that is no space or tab. */
export function skipBlanks(text: string, at: number): number {
  let next = at;
  while (text[next] === ' ' || text[next] === '\t') next += 1;
  return next;
}

/** Returns the offset after the last character before an offset that is no space or tab. */
export function skipBlanksBack(text: string, at: number): number {
  let next = at;
  while (text[next - 1] === ' ' || text[next - 1] === '\t') next -= 1;
  return next;
}

/** Returns the spaces and tabs with which the line of an offset begins. */
export function indentAt(text: string, at: number): string {
  const start = lineStart(text, at);
  return text.slice(start, skipBlanks(text, start));
}

/** Returns the number of characters between the beginning of its line and an offset. */
export function columnAt(text: string, at: number): number {
  return at - lineStart(text, at);
}

/** Tells whether only spaces and tabs stand before an offset in its line. */
export function isFirstInLine(text: string, at: number): boolean {
  const start = skipBlanksBack(text, at);
  return start === 0 || isLineBreak(text[start - 1]);
}

function isLineBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}

/** Inserts lines after the line of an offset. A text that ends without a line break does so afterwards. */
export function insertAfterLine(text: string, at: number, lines: readonly string[]): TextEdit {
  const eol = detectLineBreak(text);
  const end = lineEnd(text, at);
  const start = skipLineBreak(text, end);
  return start === end
    ? { start, end: start, text: lines.map((line) => eol + line).join('') }
    : { start, end: start, text: lines.map((line) => line + eol).join('') };
}

/** Appends lines to a text. A text that ends without a line break does so afterwards, unless it is empty. */
export function appendLines(text: string, lines: readonly string[]): string {
  const eol = detectLineBreak(text);
  const ends = text === '' || skipLineBreakBack(text, text.length) < text.length;
  return text + lines.map((line) => (ends ? line + eol : eol + line)).join('');
}

/**
 * Removes whole lines, given by ranges that begin and end at lines: the opposite of `insertAfterLine` and `appendLines`. The
 * text of an edit is kept, in lines of its own.
 */
export function removeLines(text: string, ranges: readonly TextEdit[]): string {
  const merged: TextEdit[] = [];
  for (const range of ranges.toSorted((left, right) => left.start - right.start)) {
    const last = merged.at(-1);
    if (last !== undefined && last.end >= range.start)
      merged[merged.length - 1] = {
        start: last.start,
        end: Math.max(last.end, range.end),
        text: last.text + range.text,
      };
    else merged.push(range);
  }
  return applyEdits(
    text,
    merged.map((range) => withoutLineBreakBefore(text, range)),
  );
}

/** Removes also the line break before lines that end the text without one. */
function withoutLineBreakBefore(text: string, range: TextEdit): TextEdit {
  const endsText = range.end === text.length && skipLineBreakBack(text, range.end) === range.end;
  if (!endsText) return range;
  if (range.text !== '')
    return {
      ...range,
      text: range.text.slice(0, skipLineBreakBack(range.text, range.text.length)),
    };
  return { ...range, start: skipLineBreakBack(text, range.start) };
}
