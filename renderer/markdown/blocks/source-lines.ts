/** One line of a text, or a chunk of a line that is too long to be examined at once. */
export interface SourceLine {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Offset of the next line. */
  readonly next: number;
  /** Whether it continues the chunk before it, so that it cannot begin or end a block. */
  readonly isSplit: boolean;
}

/** Maximum number of characters of a line that are examined at once. */
const MAX_LENGTH = 8000;

/** Returns the line that begins at an offset, without its line end; `null` at the end of the text. */
export function readLine(text: string, from: number, isSplit: boolean): SourceLine | null {
  if (from >= text.length) return null;
  const end = text.indexOf('\n', from);
  const to = end === -1 ? text.length : end;
  if (to - from > MAX_LENGTH) {
    const cut = splitAt(text, from);
    return { text: text.slice(from, cut), from, to: cut, next: cut, isSplit };
  }
  const next = end === -1 ? text.length : end + 1;
  return { text: text.slice(from, to).replace(/\r$/u, ''), from, to, next, isSplit };
}

/** Finds where to split a long line: between words if possible, and never within a character. */
function splitAt(text: string, from: number): number {
  const space = text.lastIndexOf(' ', from + MAX_LENGTH - 1);
  if (space > from + MAX_LENGTH / 2) return space + 1;
  const last = text.charCodeAt(from + MAX_LENGTH - 1);
  return from + MAX_LENGTH - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
}

/** Measures the indentation of a line in spaces; a tab counts as four. */
export function indentWidth({ text }: SourceLine): number {
  return /^[ \t]*/u.exec(text)?.[0].replaceAll('\t', '    ').length ?? 0;
}

export function isBlank({ text }: SourceLine): boolean {
  return !/[^ \t\r]/u.test(text);
}

/** The marker that opens a code block; the closing one must match it. */
export interface Fence {
  readonly mark: string;
  readonly length: number;
}

const FENCE = /^ {0,3}(?<run>`{3,}|~{3,})(?<info>.*)$/su;
const INNER_FENCE = /^(?:[ \t>]|[-+*][ \t]|\d{1,9}[.)][ \t])*(?<run>`{3,}|~{3,})(?<info>.*)$/su;

/** Finds the fence that a line opens, at the margin or, with `inner`, within lists and quotes. */
export function parseFence({ text, isSplit }: SourceLine, inner: boolean): Fence | null {
  const { run, info } = (inner ? INNER_FENCE : FENCE).exec(text)?.groups ?? {};
  if (isSplit || run === undefined || info === undefined) return null;
  const mark = run.charAt(0);
  return mark === '`' && info.includes('`') ? null : { mark, length: run.length };
}

export function closesFence({ text, isSplit }: SourceLine, { mark, length }: Fence): boolean {
  const run = text.trim();
  return !isSplit && run.length >= length && run === mark.repeat(run.length);
}

/** The marker of a list item at the margin: its kind and, in a numbered list, its number. */
export interface ListMarker {
  readonly kind: string;
  readonly number: number | null;
  /** Whether text follows the marker on its line. */
  readonly filled: boolean;
}

const LIST_MARKER = /^ ?(?:(?<bullet>[-+*])|(?<digits>\d{1,9})(?<stop>[.)]))(?<rest>[ \t].*|)$/su;
const RULE = /^ {0,3}(?<mark>[-*_])[ \t]*(?:\k<mark>[ \t]*){2,}$/u;

export function parseListMarker({ text, isSplit }: SourceLine): ListMarker | null {
  const { bullet, digits, stop, rest } = LIST_MARKER.exec(text)?.groups ?? {};
  if (isSplit || rest === undefined || RULE.test(text)) return null;
  return {
    kind: bullet ?? stop ?? '',
    number: digits === undefined ? null : Number(digits),
    filled: rest.trim() !== '',
  };
}

export function isRule({ text, isSplit }: SourceLine): boolean {
  return !isSplit && RULE.test(text);
}

export function isHeading({ text, isSplit }: SourceLine): boolean {
  return !isSplit && /^ {0,3}#{1,6}(?:[ \t]|$)/u.test(text);
}

export function isQuote({ text, isSplit }: SourceLine): boolean {
  return !isSplit && /^ {0,3}>/u.test(text);
}

export function isFootnote({ text, isSplit }: SourceLine): boolean {
  return !isSplit && /^ {0,3}\[\^[^\]\s]{1,200}\]:/u.test(text);
}

export function isTag({ text, isSplit }: SourceLine): boolean {
  return !isSplit && /^ {0,3}<(?:!--|\/?[a-z][a-z0-9-]*(?:[\s/>]|$))/iu.test(text);
}

/** Whether a line cannot belong to the paragraph, table or quote before it. */
export function interruptsParagraph(line: SourceLine): boolean {
  const mark = parseListMarker(line);
  if (mark !== null) return mark.filled && (mark.number ?? 1) === 1;
  return parseFence(line, false) !== null || isHeading(line) || isQuote(line) || isFootnote(line);
}

/** Whether two lines are the head of a table: column names, and the same number of cells of dashes. */
export function isTableHead(names: string, dashes: string): boolean {
  if (!names.includes('|') || !/^ {0,3}[|:-][|: \t-]*$/u.test(dashes)) return false;
  const cells = splitCells(dashes);
  return (
    cells.every((cell) => /^:?-+:?$/u.test(cell.trim())) &&
    cells.length === splitCells(names).length
  );
}

/** Splits a row into the source texts of its cells. */
export function splitCells(row: string): readonly string[] {
  return row
    .trim()
    .replace(/^\|/u, '')
    .replace(/(?<!\\)\|$/u, '')
    .split(/(?<!\\)\|/u);
}

const BALANCED =
  /<(?<end>\/)?(?:details|div|table|thead|tbody|tr|ul|ol|dl|blockquote|section|article|center|p|pre|script|style|textarea|svg|form)(?=[\s/>])|<!--|-->/giu;

/** Counts by how many elements the nesting is deeper after a line of HTML. */
export function tagDepth({ text }: SourceLine): number {
  let depth = 0;
  for (const { 0: found, groups } of text.matchAll(BALANCED)) {
    depth += groups?.['end'] === '/' || found === '-->' ? -1 : 1;
  }
  return depth;
}

/** Classifies how a line opens or closes a formula block. */
export function parseMathMarker({ text, isSplit }: SourceLine): '$$' | '\\[' | null {
  if (isSplit) return null;
  if (/^ {0,3}\$\$(?!\$)/u.test(text)) return endsMath(text, '$$') !== 'middle' ? '$$' : null;
  if (/^ {0,3}\\\[/u.test(text)) return endsMath(text, '\\[') !== 'middle' ? '\\[' : null;
  return null;
}

/** Whether the formula ends on its first line: `middle` when more than a full stop follows. */
export function endsMath(text: string, mark: '$$' | '\\['): 'end' | 'middle' | 'no' {
  const inside = text.replace(mark, '');
  const close = inside.indexOf(mark === '$$' ? '$$' : '\\]');
  if (close === -1) return 'no';
  return /^\s*[.,;:]?\s*$/u.test(inside.slice(close + 2)) && inside.slice(0, close).trim() !== ''
    ? 'end'
    : 'middle';
}
