import { NotFoundError, UserError } from '../errors.ts';

/** Files of prices that windows send in pieces. */
export interface PriceUploads {
  /** Begins a file. An earlier one may be forgotten. */
  begin(): string;
  /** @throws NotFoundError, UserError when the file gets too large */
  append(upload: string, text: string): void;
  /** Returns the text so far. @throws NotFoundError */
  text(upload: string): string;
  forget(upload: string): void;
}

/** The most bytes of a file of prices, and so the most characters. */
export const MAX_PRICE_FILE = 20 * 1024 * 1024;

/** Files at once; the oldest is forgotten for a new one. */
const MAX_UPLOADS = 2;

/** Keeps files in memory. */
export function createPriceUploads(randomBytes: (size: number) => Uint8Array): PriceUploads {
  const uploads = new Map<string, { pieces: string[]; length: number }>();
  const find = (id: string) => {
    const upload = uploads.get(id);
    if (upload === undefined) throw new NotFoundError('Choose the file again.');
    return upload;
  };
  return {
    begin() {
      const [oldest] = uploads.keys();
      if (uploads.size >= MAX_UPLOADS && oldest !== undefined) uploads.delete(oldest);
      const id = Buffer.from(randomBytes(16)).toString('hex');
      uploads.set(id, { pieces: [], length: 0 });
      return id;
    },
    append(id, text) {
      const upload = find(id);
      upload.length += text.length;
      if (upload.length > MAX_PRICE_FILE) {
        uploads.delete(id);
        throw new UserError('This file is too large: a list of prices has at most 20 MiB.');
      }
      upload.pieces.push(text);
    },
    text: (id) => find(id).pieces.join(''),
    forget: (id) => void uploads.delete(id),
  };
}
