/** What the name of a finished video is made of. */
export interface VideoNameParts {
  readonly prompt: string | null;
  readonly id: string;
  /** Unix time in milliseconds. */
  readonly at: number;
}

/** With the date, the id and an ending it stays below what the narrowest file systems take. */
const MAX_PROMPT_BYTES = 100;
const MAX_INSPECTED = 400;

/** Control and format characters, line ends, and what Windows takes in no name. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/**
 * A file name without ending, such as `2026-11-21 A red fox runs in snow a1b2c3`, that every system takes: the date here, the
 * prompt shortened at a word, and the beginning of the id, by which the job is found.
 */
export function videoName({ prompt, id, at }: VideoNameParts): string {
  const words = (prompt ?? '')
    .slice(0, MAX_INSPECTED)
    .normalize('NFC')
    .replaceAll(UNSAFE, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const head = id.replaceAll(/[^a-z\d]/giu, '').slice(0, 6);
  return [dateOf(at), shortened(words) || 'video', head].filter(Boolean).join(' ');
}

function dateOf(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** At a word, or inside of one where there is no space nearby. */
function shortened(text: string): string {
  if (Buffer.byteLength(text) <= MAX_PROMPT_BYTES) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    if (Buffer.byteLength(cut + segment) > MAX_PROMPT_BYTES) break;
    cut += segment;
  }
  const space = cut.lastIndexOf(' ');
  const atWord = text[cut.length] === ' ' || space < cut.length / 2 ? cut : cut.slice(0, space);
  return atWord.trim();
}
