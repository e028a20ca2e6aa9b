import { formatDay } from '../../../shared/format.ts';

/** The parts of the name of a finished video. */
export interface VideoNameParts {
  readonly prompt: string | null;
  readonly id: string;
  /** Unix time in milliseconds. */
  readonly at: number;
}

/** With date, id and extension the name stays below the limit of all file systems. */
const MAX_PROMPT_BYTES = 100;
const MAX_INSPECTED = 400;

/** Control and format characters, line ends, and characters that Windows allows in no name. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/**
 * Returns a file name without extension that every system allows, such as `2026-11-21 A red fox runs in snow a1b2c3`: the local date, the
 * prompt truncated at a word, and the beginning of the id.
 */
export function videoName({ prompt, id, at }: VideoNameParts): string {
  const words = (prompt ?? '')
    .slice(0, MAX_INSPECTED)
    .normalize('NFC')
    .replaceAll(UNSAFE, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const head = id.replaceAll(/[^a-z\d]/giu, '').slice(0, 6);
  return [formatDay(at), shorten(words) || 'video', head].filter(Boolean).join(' ');
}

/** Truncates a text at a word, or inside of one where there is no space nearby. */
function shorten(text: string): string {
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
