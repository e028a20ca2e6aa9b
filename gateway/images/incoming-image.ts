import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { appendFile, open, rm } from 'node:fs/promises';
import { fileTypeFromBlob } from 'file-type';
import { UserError } from '../errors.ts';

/** An image that has come whole. */
export interface ReceivedImage {
  readonly hash: string;
  /** Media type, by its content. */
  readonly type: string;
  readonly ending: string;
  readonly bytes: number;
}

/** What a service may take as a reference image: it shows no list (spec section 8). By what the content says it is. */
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

/** A file that comes piece by piece. */
export class IncomingImage {
  readonly #path: string;
  readonly #expected: number;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  /** `expected`: its length. The file at `path` is made by the first piece. */
  constructor(path: string, expected: number) {
    this.#path = path;
    this.#expected = expected;
  }

  get path(): string {
    return this.#path;
  }

  /** @throws Refused when more comes than was said. */
  async append(chunk: Uint8Array): Promise<void> {
    if (this.#bytes + chunk.length > this.#expected) {
      throw new UserError('The image is larger than it was said to be. Choose it again.', 'image');
    }
    await appendFile(this.#path, chunk, { mode: 0o600 });
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  /** @throws Refused when it is not whole, or is no image. */
  async finish(): Promise<ReceivedImage> {
    if (this.#bytes !== this.#expected || this.#bytes === 0) {
      throw new UserError('The image did not come whole. Choose it again.', 'image');
    }
    // Not by its path: for that, the package looks for another one at run time, which the built program does not have.
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
  const is = type === undefined ? 'This is no image' : `This is ${type}`;
  const sentence = `${is}. Choose a PNG, JPEG, WebP, GIF, AVIF, HEIC, BMP or TIFF.`;
  return new UserError(sentence, 'image');
}
