import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { byteRange } from '../gateway/byte-range.ts';

/** A file of this disk under an address of the page. */
export interface OfferedFile {
  readonly address: string;
  readonly path: string;
  readonly name: string;
  readonly type: string;
}

/** More than any window shows; the oldest go first. */
const MOST_FILES = 20_000;

/** The files that the engine has offered to the page. */
export class MediaFiles {
  readonly #files = new Map<string, OfferedFile>();

  add(file: OfferedFile): void {
    this.#files.set(file.address, file);
    const [oldest] = this.#files.keys();
    if (this.#files.size > MOST_FILES && oldest !== undefined) this.#files.delete(oldest);
  }

  /** Answers a GET of such an address, whole or the range that was asked for. */
  async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const file = this.#files.get(pathname);
    const found = file === undefined ? null : await stat(file.path).catch(() => null);
    if (file === undefined || found === null || !found.isFile()) {
      return new Response(null, { status: 404 });
    }
    const { size } = found;
    const range = byteRange(request.headers.get('range') ?? undefined, size);
    const headers = new Headers({ 'content-type': file.type, 'accept-ranges': 'bytes' });
    if (range === 'none') {
      headers.set('content-range', `bytes */${size}`);
      return new Response(null, { status: 416, headers });
    }
    const { first, last } = range === 'all' ? { first: 0, last: size - 1 } : range;
    headers.set('content-length', String(last - first + 1));
    if (range !== 'all') headers.set('content-range', `bytes ${first}-${last}/${size}`);
    const bytes = (await openAsBlob(file.path)).slice(first, last + 1);
    return new Response(bytes, { status: range === 'all' ? 200 : 206, headers });
  }
}
