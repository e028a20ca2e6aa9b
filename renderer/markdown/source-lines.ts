/** One line of a text, or a piece of one that is too long to be looked at whole. */
export interface SourceLine {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Where the next one begins. */
  readonly next: number;
  /** Whether it goes on with the piece before it, so that it cannot begin or end anything. */
  readonly isSplit: boolean;
}

/** No line of more characters is looked at in one go. */
const MAX_LENGTH = 8000;

/** The line that begins at a place, without its end. `null`: the text ends there. */
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

/** Between words where there are any, and never within a character. */
function splitAt(text: string, from: number): number {
  const space = text.lastIndexOf(' ', from + MAX_LENGTH - 1);
  if (space > from + MAX_LENGTH / 2) return space + 1;
  const last = text.charCodeAt(from + MAX_LENGTH - 1);
  return from + MAX_LENGTH - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
}

/** How far a line is set in, a tab being four spaces. */
export function indentWidth({ text }: SourceLine): number {
  return /^[ \t]*/u.exec(text)?.[0].replaceAll('\t', '    ').length ?? 0;
}

export function isBlank({ text }: SourceLine): boolean {
  return !/[^ \t\r]/u.test(text);
}

/** What opens a code block, and must be met to close it. */
export interface Fence {
  readonly mark: string;
  readonly length: number;
}

const FENCE = /^ {0,3}(?<run>`{3,}|~{3,})(?<info>.*)$/su;
const INNER_FENCE = /^(?:[ \t>]|[-+*][ \t]|\d{1,9}[.)][ \t])*(?<run>`{3,}|~{3,})(?<info>.*)$/su;

/** The fence that a line opens, at the margin or, `inner`, within lists and quotes. */
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

/** The mark of a list's item at the margin: its kind and, of a numbered one, its number. */
export interface ListMarker {
  readonly kind: string;
  readonly number: number | null;
  /** Whether anything follows it in its line. */
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

/** Whether two lines are the head of a table: names of columns, and as many rows of dashes. */
export function isTableHead(names: string, dashes: string): boolean {
  if (!names.includes('|') || !/^ {0,3}[|:-][|: \t-]*$/u.test(dashes)) return false;
  const cells = splitCells(dashes);
  return (
    cells.every((cell) => /^:?-+:?$/u.test(cell.trim())) &&
    cells.length === splitCells(names).length
  );
}

/** The cells of a row, as they are written. */
export function splitCells(row: string): readonly string[] {
  return row
    .trim()
    .replace(/^\|/u, '')
    .replace(/(?<!\\)\|$/u, '')
    .split(/(?<!\\)\|/u);
}

const BALANCED =
  /<(?<end>\/)?(?:details|div|table|thead|tbody|tr|ul|ol|dl|blockquote|section|article|center|p|pre|script|style|textarea|svg|form)(?=[\s/>])|<!--|-->/giu;

/** By how many elements a line of HTML is deeper at its end. */
export function tagDepth({ text }: SourceLine): number {
  let depth = 0;
  for (const { 0: found, groups } of text.matchAll(BALANCED)) {
    depth += groups?.['end'] === '/' || found === '-->' ? -1 : 1;
  }
  return depth;
}

/** How a line opens or closes a formula that stands by itself. */
export function parseMathMarker({ text, isSplit }: SourceLine): '$$' | '\\[' | null {
  if (isSplit) return null;
  if (/^ {0,3}\$\$(?!\$)/u.test(text)) return endsMath(text, '$$') !== 'middle' ? '$$' : null;
  if (/^ {0,3}\\\[/u.test(text)) return endsMath(text, '\\[') !== 'middle' ? '\\[' : null;
  return null;
}

/** Whether the formula ends with its first line: `middle` when more than a stop follows. */
export function endsMath(text: string, mark: '$$' | '\\['): 'end' | 'middle' | 'no' {
  const inside = text.replace(mark, '');
  const close = inside.indexOf(mark === '$$' ? '$$' : '\\]');
  if (close === -1) return 'no';
  return /^\s*[.,;:]?\s*$/u.test(inside.slice(close + 2)) && inside.slice(0, close).trim() !== ''
    ? 'end'
    : 'middle';
}
