/** One line of a text, or a piece of one that is too long to be looked at whole. */
export interface Line {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Where the next one begins. */
  readonly next: number;
  /** Whether it goes on with the piece before it, so that it cannot begin or end anything. */
  readonly torn: boolean;
}

/** No line of more characters is looked at in one go. */
const MOST = 8000;

/** The line that begins at a place, without its end. `null`: the text ends there. */
export function lineAt(text: string, from: number, torn: boolean): Line | null {
  if (from >= text.length) return null;
  const end = text.indexOf('\n', from);
  const to = end === -1 ? text.length : end;
  if (to - from > MOST) {
    const cut = tearAt(text, from);
    return { text: text.slice(from, cut), from, to: cut, next: cut, torn };
  }
  const next = end === -1 ? text.length : end + 1;
  return { text: text.slice(from, to).replace(/\r$/u, ''), from, to, next, torn };
}

/** Between words where there are any, and never within a character. */
function tearAt(text: string, from: number): number {
  const space = text.lastIndexOf(' ', from + MOST - 1);
  if (space > from + MOST / 2) return space + 1;
  const last = text.charCodeAt(from + MOST - 1);
  return from + MOST - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
}

/** How far a line is set in, a tab being four spaces. */
export function indentOf({ text }: Line): number {
  return /^[ \t]*/u.exec(text)?.[0].replaceAll('\t', '    ').length ?? 0;
}

export function isBlank({ text }: Line): boolean {
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
export function fenceOf({ text, torn }: Line, inner: boolean): Fence | null {
  const { run, info } = (inner ? INNER_FENCE : FENCE).exec(text)?.groups ?? {};
  if (torn || run === undefined || info === undefined) return null;
  const mark = run.charAt(0);
  return mark === '`' && info.includes('`') ? null : { mark, length: run.length };
}

export function closes({ text, torn }: Line, { mark, length }: Fence): boolean {
  const run = text.trim();
  return !torn && run.length >= length && run === mark.repeat(run.length);
}

/** The mark of a list's item at the margin: its kind and, of a numbered one, its number. */
export interface Mark {
  readonly kind: string;
  readonly number: number | null;
  /** Whether anything follows it in its line. */
  readonly filled: boolean;
}

const MARK = /^ ?(?:(?<bullet>[-+*])|(?<digits>\d{1,9})(?<stop>[.)]))(?<rest>[ \t].*|)$/su;
const RULE = /^ {0,3}(?<mark>[-*_])[ \t]*(?:\k<mark>[ \t]*){2,}$/u;

export function markOf({ text, torn }: Line): Mark | null {
  const { bullet, digits, stop, rest } = MARK.exec(text)?.groups ?? {};
  if (torn || rest === undefined || RULE.test(text)) return null;
  return {
    kind: bullet ?? stop ?? '',
    number: digits === undefined ? null : Number(digits),
    filled: rest.trim() !== '',
  };
}

export function isRule({ text, torn }: Line): boolean {
  return !torn && RULE.test(text);
}

export function isHeading({ text, torn }: Line): boolean {
  return !torn && /^ {0,3}#{1,6}(?:[ \t]|$)/u.test(text);
}

export function isQuote({ text, torn }: Line): boolean {
  return !torn && /^ {0,3}>/u.test(text);
}

export function isNote({ text, torn }: Line): boolean {
  return !torn && /^ {0,3}\[\^[^\]\s]{1,200}\]:/u.test(text);
}

export function isTag({ text, torn }: Line): boolean {
  return !torn && /^ {0,3}<(?:!--|\/?[a-z][a-z0-9-]*(?:[\s/>]|$))/iu.test(text);
}

/** Whether a line cannot belong to the paragraph, table or quote before it. */
export function interrupts(line: Line): boolean {
  const mark = markOf(line);
  if (mark !== null) return mark.filled && (mark.number ?? 1) === 1;
  return fenceOf(line, false) !== null || isHeading(line) || isQuote(line) || isNote(line);
}

/** Whether two lines are the head of a table: names of columns, and as many rows of dashes. */
export function isTableHead(names: string, dashes: string): boolean {
  if (!names.includes('|') || !/^ {0,3}[|:-][|: \t-]*$/u.test(dashes)) return false;
  const cells = cellsOf(dashes);
  return (
    cells.every((cell) => /^:?-+:?$/u.test(cell.trim())) && cells.length === cellsOf(names).length
  );
}

/** The cells of a row, as they are written. */
export function cellsOf(row: string): readonly string[] {
  return row
    .trim()
    .replace(/^\|/u, '')
    .replace(/(?<!\\)\|$/u, '')
    .split(/(?<!\\)\|/u);
}

const BALANCED =
  /<(?<end>\/)?(?:details|div|table|thead|tbody|tr|ul|ol|dl|blockquote|section|article|center|p|pre|script|style|textarea|svg|form)(?=[\s/>])|<!--|-->/giu;

/** By how many elements a line of HTML is deeper at its end. */
export function depthOf({ text }: Line): number {
  let depth = 0;
  for (const { 0: found, groups } of text.matchAll(BALANCED)) {
    depth += groups?.['end'] === '/' || found === '-->' ? -1 : 1;
  }
  return depth;
}

/** How a line opens or closes a formula that stands by itself. */
export function mathOf({ text, torn }: Line): '$$' | '\\[' | null {
  if (torn) return null;
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
