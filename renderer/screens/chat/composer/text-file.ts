import { type ChatFile, MAX_MESSAGE_LENGTH } from '../../../../shared/chat.ts';
import { formatBytes, formatCount } from '../../../../shared/format.ts';

/** A text file that goes with a message, whole. */
export type TextFile = Extract<ChatFile, { kind: 'text' }>;

const MAX_NAME_LENGTH = 255;
/** So many bytes at most make one UTF-16 unit. */
const MAX_BYTES = 3 * MAX_MESSAGE_LENGTH;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads a text file. Says why when it is not taken. */
export async function readTextFile(
  file: File,
): Promise<TextFile | { readonly kind: 'refused'; readonly why: string }> {
  const { name, size } = file;
  if (size > MAX_BYTES) {
    return refuseFile(
      `It has ${formatBytes(size)}, and a message with its files has at most ${formatCount(MAX_MESSAGE_LENGTH)} characters.`,
    );
  }
  const text = decodeText(new Uint8Array(await file.arrayBuffer()));
  if (text === null) {
    return refuseFile(
      'It is neither an image nor plain text. Attach pictures, or text files in UTF-8.',
    );
  }
  if (text.trim() === '') return refuseFile('There is nothing in it.');
  return { kind: 'text', name: name.slice(-MAX_NAME_LENGTH) || 'file', text };
}

function refuseFile(why: string) {
  return { kind: 'refused', why } as const;
}

/** The text that UTF-8 bytes stand for; `null` when they stand for none, or for characters that no text holds. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    const text = decoder.decode(bytes);
    // What programs and pictures are full of. Line ends, tabs, page breaks and colours of a terminal are in texts.
    // oxlint-disable-next-line no-control-regex -- it is about them
    return /[\u0000-\u0006\u000e-\u001a\u007f]/u.test(text) ? null : text;
  } catch {
    return null;
  }
}
