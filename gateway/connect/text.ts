import { UserError } from '../errors.ts';

/** Decodes the content of a file; a byte order mark stays. @throws UserError when it is not UTF-8 */
export function toText(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new UserError(`${path} is not a text in UTF-8.`, null, { cause: error });
  }
}

/** Encodes a text as UTF-8. */
export function toBytes(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}
