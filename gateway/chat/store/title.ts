import type { UserMessage } from '../../../shared/chat/chat.ts';

const MAX_LENGTH = 60;
/** Number of characters of a line that are considered. */
const MAX_LINE_LENGTH = 500;
/** Markdown at the beginning of a line that is not part of its text. */
const LEADING = /^(?:\s|>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s)|\|)+/u;
const FENCE = /^\s*(?:`{3,}|~{3,})/u;
/** A line that only separates. */
const DIVIDER = /^[\s|:=*_~-]*$/u;

/** Creates a title from a message: its first line with text, without Markdown, cut at a word; otherwise the name of a file. */
export function createTitle({ text, files }: UserMessage): string {
  const line = findFirstLine(text) ?? files[0]?.name ?? text;
  return truncate(line.replaceAll(/\s+/gu, ' ').trim());
}

function findFirstLine(text: string): string | null {
  for (const line of text.split(/\r\n?|\n/u)) {
    if (FENCE.test(line) || DIVIDER.test(line)) continue;
    const words = stripMarkdown(line.slice(0, MAX_LINE_LENGTH));
    if (words !== '') return words;
  }
  return null;
}

function stripMarkdown(line: string): string {
  return line
    .replace(LEADING, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replaceAll(/(`+|\*{1,3}|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}]))/gu, '')
    .trim();
}

function truncate(line: string): string {
  if (line.length <= MAX_LENGTH) return line;
  // Does not split a surrogate pair.
  const shortened = line.slice(0, MAX_LENGTH - 1).replace(/[\uD800-\uDBFF]$/u, '');
  const cut = line[shortened.length] === ' ' ? shortened.length : shortened.lastIndexOf(' ');
  const title = cut > MAX_LENGTH / 3 ? shortened.slice(0, cut) : shortened;
  return `${title.replace(/[\s,;:.–—-]+$/u, '')}…`;
}
