import { type ChatFile, MAX_MESSAGE_LENGTH } from '../../../shared/chat/chat.ts';
import { formatBytes, formatCount } from '../../../shared/format.ts';

/** A text file that is sent in full with a message. */
export type TextFile = Extract<ChatFile, { kind: 'text' }>;

const MAX_NAME_LENGTH = 255;
/** Maximum number of UTF-8 bytes for one UTF-16 unit. */
const MAX_BYTES = 3 * MAX_MESSAGE_LENGTH;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads a text file, or returns the reason why it is refused. */
export async function readTextFile(
  file: File,
): Promise<TextFile | { readonly kind: 'refused'; readonly why: string }> {
  const { name, size } = file;
  if (size > MAX_BYTES) {
    return refuseFile(
      `The file is ${formatBytes(size)}; a message with its files has at most ${formatCount(MAX_MESSAGE_LENGTH)} characters.`,
    );
  }
  const text = decodeText(new Uint8Array(await file.arrayBuffer()));
  if (text === null) {
    return refuseFile('This is neither an image nor a text file in UTF-8.');
  }
  if (text.trim() === '') return refuseFile('The file is empty.');
  return { kind: 'text', name: name.slice(-MAX_NAME_LENGTH) || 'file', text };
}

function refuseFile(why: string) {
  return { kind: 'refused', why } as const;
}

/** Decodes UTF-8; `null` when the bytes are not valid, or contain characters that no text has. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    const text = decoder.decode(bytes);
    // Control characters that occur in programs and images. Texts contain only line ends, tabs, form feeds and the escapes of
    // terminal colours.
    // oxlint-disable-next-line no-control-regex -- it is about them
    return /[\u0000-\u0006\u000e-\u001a\u007f]/u.test(text) ? null : text;
  } catch {
    return null;
  }
}
