import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { appendFile, open, rm } from 'node:fs/promises';
import { fileTypeFromBlob } from 'file-type';
import { UserError } from '../errors.ts';

/** A complete image. */
export interface ReceivedImage {
  readonly hash: string;
  /** Media type, detected from the content. */
  readonly type: string;
  readonly ending: string;
  readonly bytes: number;
}

/** Types that a service may accept as a reference image; the spec (section 8) lists none. The content decides the type. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/apng', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
  ['image/avif', 'avif'],
  ['image/heic', 'heic'],
  ['image/heif', 'heic'],
  ['image/bmp', 'bmp'],
  ['image/tiff', 'tiff'],
]);

/** A file that arrives in chunks. */
export class IncomingImage {
  readonly #path: string;
  readonly #expected: number;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  /** `expected`: its length in bytes. The first chunk creates the file at `path`. */
  constructor(path: string, expected: number) {
    this.#path = path;
    this.#expected = expected;
  }

  get path(): string {
    return this.#path;
  }

  /** @throws UserError when it is larger than announced. */
  async append(chunk: Uint8Array): Promise<void> {
    if (this.#bytes + chunk.length > this.#expected) {
      throw new UserError('The image is larger than announced. Choose it again.', 'image');
    }
    await appendFile(this.#path, chunk, { mode: 0o600 });
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  /** @throws UserError when it is incomplete, or not an image. */
  async finish(): Promise<ReceivedImage> {
    if (this.#bytes !== this.#expected || this.#bytes === 0) {
      throw new UserError('The image arrived incomplete. Choose it again.', 'image');
    }
    // Passes a blob, not the path: for a path the package imports another one at run time, which the built program does not
    // contain.
    const found = await fileTypeFromBlob(await openAsBlob(this.#path));
    const ending = EXTENSIONS.get(found?.mime ?? '');
    if (found === undefined || ending === undefined) throw notAnImageError(found?.mime);
    await using file = await open(this.#path, 'r+');
    await file.sync();
    return { hash: this.#hash.digest('hex'), type: found.mime, ending, bytes: this.#bytes };
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

function notAnImageError(type: string | undefined): UserError {
  const is = type === undefined ? 'This is not an image' : `This is ${type}`;
  const message = `${is}. Choose a PNG, JPEG, WebP, GIF, AVIF, HEIC, BMP or TIFF.`;
  return new UserError(message, 'image');
}
