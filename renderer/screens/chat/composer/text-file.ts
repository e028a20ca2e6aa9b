import { type ChatFile, MOST_SAID } from '../../../../shared/chat.ts';
import { bytesText, countText } from '../../../parts/figures.ts';

/** A text file that goes with a message, whole. */
export type TextFile = Extract<ChatFile, { kind: 'text' }>;

const LONGEST_NAME = 255;
/** So many bytes at most make one UTF-16 unit. */
const MOST_BYTES = 3 * MOST_SAID;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads a text file. Says why when it is not taken. */
export async function readTextFile(
  file: File,
): Promise<TextFile | { readonly kind: 'refused'; readonly why: string }> {
  const { name, size } = file;
  if (size > MOST_BYTES) {
    return refused(
      `It has ${bytesText(size)}, and a message with its files has at most ${countText(MOST_SAID)} characters.`,
    );
  }
  const text = textIn(new Uint8Array(await file.arrayBuffer()));
  if (text === null) {
    return refused(
      'It is neither an image nor plain text. Attach pictures, or text files in UTF-8.',
    );
  }
  if (text.trim() === '') return refused('There is nothing in it.');
  return { kind: 'text', name: name.slice(-LONGEST_NAME) || 'file', text };
}

function refused(why: string) {
  return { kind: 'refused', why } as const;
}

/** The text that UTF-8 bytes stand for; `null` when they stand for none, or for characters that no text holds. */
export function textIn(bytes: Uint8Array): string | null {
  try {
    const text = decoder.decode(bytes);
    // What programs and pictures are full of. Line ends, tabs, page breaks and colours of a terminal are in texts.
    // oxlint-disable-next-line no-control-regex -- it is about them
    return /[\u0000-\u0006\u000e-\u001a\u007f]/u.test(text) ? null : text;
  } catch {
    return null;
  }
}
