import type { Said } from '../../shared/chat.ts';

const MOST = 60;
/** What is looked at of a line. */
const MOST_OF_LINE = 500;
/** What stands at the beginning of a line of Markdown and is not of its words. */
const LEADING = /^(?:\s|>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s)|\|)+/u;
const FENCE = /^\s*(?:`{3,}|~{3,})/u;
/** A line that only divides. */
const RULE = /^[\s|:=*_~-]*$/u;

/** A title made of what was said: its first line that says something, without the signs of Markdown, cut at a word; else the name of a file. */
export function titleOf({ text, files }: Said): string {
  const line = firstLine(text) ?? files[0]?.name ?? text;
  return shorten(line.replaceAll(/\s+/gu, ' ').trim());
}

function firstLine(text: string): string | null {
  for (const line of text.split(/\r\n?|\n/u)) {
    if (FENCE.test(line) || RULE.test(line)) continue;
    const words = wordsOf(line.slice(0, MOST_OF_LINE));
    if (words !== '') return words;
  }
  return null;
}

function wordsOf(line: string): string {
  return line
    .replace(LEADING, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replaceAll(/(`+|\*{1,3}|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}]))/gu, '')
    .trim();
}

function shorten(line: string): string {
  if (line.length <= MOST) return line;
  // Of whole characters; the last of them may be cut through otherwise.
  const room = line.slice(0, MOST - 1).replace(/[\uD800-\uDBFF]$/u, '');
  const cut = line[room.length] === ' ' ? room.length : room.lastIndexOf(' ');
  const kept = cut > MOST / 3 ? room.slice(0, cut) : room;
  return `${kept.replace(/[\s,;:.–—-]+$/u, '')}…`;
}
