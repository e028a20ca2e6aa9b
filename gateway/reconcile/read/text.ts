import { createReadStream } from 'node:fs';
import { UserError } from '../../errors.ts';
import { systemCode } from '../../lib/disk.ts';

const PIECE = 64 * 1024;

/** The most characters of one row of a file, so that a file without line ends does not fill the memory. */
export const MAX_ROW = 64 * 1024;

/** Yields the text of a file in pieces. @throws UserError when it cannot be read, or is not text in UTF-8 */
export async function* readText(file: string): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stream = createReadStream(file, { highWaterMark: PIECE });
  try {
    for await (const bytes of stream) {
      // The type of a piece depends on an encoding that is not set.
      if (Buffer.isBuffer(bytes)) yield checkText(decoder.decode(bytes, { stream: true }));
    }
    yield decoder.decode();
  } catch (error) {
    throw toReadError(error, file);
  }
}

function checkText(text: string): string {
  if (text.includes('\0')) throw new UserError(NOT_TEXT);
  return text;
}

const NOT_TEXT = 'This file is not text in UTF-8. An export is a CSV or JSON file.';

function toReadError(error: unknown, file: string): unknown {
  if (error instanceof TypeError) return new UserError(NOT_TEXT, null, { cause: error });
  const code = systemCode(error);
  if (code === null) return error;
  const reason = error instanceof Error ? error.message : code;
  return new UserError(`${file} cannot be read: ${reason}`, null, { cause: error });
}
