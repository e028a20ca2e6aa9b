import type { Block } from './block-list.ts';
import { splitCells } from './source-lines.ts';

/** Completes the last block of a growing text, so that half-written Markdown does not flash as raw markers. */
export function closeIncompleteMarkdown({ kind, text }: Pick<Block, 'kind' | 'text'>): string {
  if (kind === 'code' || kind === 'math' || kind === 'indented') return text;
  if (kind === 'table') return text.endsWith('\\') ? text.slice(0, -1) : text;
  const head = completeTableHead(text);
  if (head !== null) return head;
  const end = removeHalfMarks(text);
  const last = end.lastIndexOf('\n\n') + 1;
  if (isInFence(end)) return end;
  return end.slice(0, last) + closeMarks(end.slice(last));
}

/** Shows the first line of a table as a table at once. */
function completeTableHead(text: string): string | null {
  const [names, dashes, more] = text.split('\n');
  if (names === undefined || more !== undefined || !/^ {0,3}\|.*\|[ \t]*$/u.test(names))
    return null;
  if (dashes !== undefined && !/^[|: \t-]*$/u.test(dashes)) return null;
  return `${names}\n|${'---|'.repeat(splitCells(names).length)}`;
}

/** Removes an ending that may still change its meaning: a list marker, a heading's underline, a tag, a link, an entity. */
function removeHalfMarks(text: string): string {
  return text
    .replace(/(?:^|\n)[ \t>]*(?:[-+*=]+|\d{1,9}[.)]?|#{1,6}|`{1,2}|~{1,2}|\$)?[ \t]*$/u, '')
    .replace(/<\/?[a-z!-][^<>\n]{0,200}$|&#?\w{0,30}$|<\/?$/iu, '')
    .replace(/!?\[(?<words>[^[\]\n]{0,300})\]\([^()\s]{0,2000}$/u, linkText)
    .replace(/!\[[^[\]\n]{0,300}\]?$/u, '')
    .replace(/\[(?<words>[^[\]^\n]{0,300})$/u, '$<words>')
    .replace(/\\$/u, '');
}

function linkText(found: string, words: string): string {
  return found.startsWith('!') ? '' : words;
}

function isInFence(text: string): boolean {
  return (text.match(/^[ \t>]*(?:```|~~~)/gmu)?.length ?? 0) % 2 === 1;
}

const MARKS = /\\[\s\S]|(?<code>`+)|(?<mark>\*\*\*|\*\*|\*|~~|__)/gu;

/** Closes the markers that a paragraph has opened; a marker without text after it is removed. */
function closeMarks(text: string): string {
  const open: string[] = [];
  let code: string | null = null;
  for (const { groups, index } of text.matchAll(MARKS)) {
    const ticks = groups?.['code'];
    const mark = groups?.['mark'];
    if (ticks !== undefined) code = code === null ? ticks : code === ticks ? null : code;
    else if (code === null && mark !== undefined)
      toggle(open, mark, text.charAt(index + mark.length));
  }
  if (code !== null) return closeMark(text, code, open);
  return open.toReversed().reduce((sofar, mark) => closeMark(sofar, mark, []), text);
}

function toggle(open: string[], mark: string, next: string): void {
  if (open.at(-1) === mark) open.pop();
  else if (mark !== '*' || !/^\s/u.test(next)) open.push(mark);
}

function closeMark(text: string, mark: string, around: readonly string[]): string {
  const tail = around.toReversed().join('');
  if (text.endsWith(mark)) return text.slice(0, -mark.length) + tail;
  const trimmed = text.trimEnd();
  // Half of a closing marker: `**bold*`.
  const half = mark.length === 2 && trimmed.endsWith(mark.charAt(0)) ? mark.charAt(0) : mark;
  return trimmed + half + tail;
}
