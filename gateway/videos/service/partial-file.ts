import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { z } from 'zod';
import { systemCode } from '../../lib/disk.ts';
import { parseReply } from './detect-fields.ts';

/** What tells the file apart that a part is of. */
export interface PartialFileInfo {
  /** `ETag`; `null` when there is none, or a weak one. */
  readonly etag: string | null;
  /** `Last-Modified` */
  readonly lastModified: string | null;
  /** Bytes of the whole file; `null` when nobody said. */
  readonly total: number | null;
}

const Note = z.object({
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
  total: z.number().int().nullable(),
  /** Bytes that have surely reached the disk. */
  safe: z.number().int().nonnegative(),
});

const UNKNOWN: PartialFileInfo = { etag: null, lastModified: null, total: null };

/** A note always has this length: overwritten in place, it can be written on a full disk, too. */
const NOTE_BYTES = 1024;
/** More than this is not fetched twice after a power cut. */
const FLUSH_EVERY = 8 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

/** A file that is being fetched: the bytes so far, and beside it a note of what they belong to. Only what has surely reached the disk is gone on from. */
export class PartialFile implements AsyncDisposable {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #note: FileHandle;
  #of: PartialFileInfo = UNKNOWN;
  #bytes = 0;
  #safe = 0;
  #hash: Hash = createHash('sha256');

  private constructor(path: string, file: FileHandle, note: FileHandle) {
    this.#path = path;
    this.#file = file;
    this.#note = note;
  }

  /** Takes up what lies there, or begins anew. Rejects with the system's error. */
  static async open(path: string): Promise<PartialFile> {
    await using opened = new AsyncDisposableStack();
    const file = opened.use(await openOrCreate(path));
    const note = opened.use(await openOrCreate(toNotePath(path)));
    const part = new PartialFile(path, file, note);
    await part.#restore();
    opened.move();
    return part;
  }

  /** So many bytes are here. */
  get bytes(): number {
    return this.#bytes;
  }

  get of(): PartialFileInfo {
    return this.#of;
  }

  get isWhole(): boolean {
    return this.#bytes > 0 && this.#bytes === this.#of.total;
  }

  get file(): FileHandle {
    return this.#file;
  }

  /** Forgets what was fetched. */
  async restart(of: PartialFileInfo): Promise<void> {
    this.#of = of;
    this.#bytes = 0;
    this.#hash = createHash('sha256');
    await this.#file.truncate(0);
    await this.#save(0);
  }

  async write(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length;) {
      const { bytesWritten } = await this.#file.write(piece, at, null, this.#bytes);
      this.#hash.update(piece.subarray(at, at + bytesWritten));
      at += bytesWritten;
      this.#bytes += bytesWritten;
    }
    if (this.#bytes - this.#safe >= FLUSH_EVERY) await this.flush();
  }

  /** What is here survives a power cut from now on. */
  async flush(): Promise<void> {
    await this.#file.datasync();
    await this.#save(this.#bytes);
  }

  /** Nothing is to come any more: what is here is the whole file. */
  async finish(): Promise<void> {
    this.#of = { ...this.#of, total: this.#bytes };
    await this.#file.sync();
    await this.#save(this.#bytes);
    // From here on the bytes may have a second name: an older note must not cut them off.
    await this.#note.sync();
  }

  /** SHA-256 of what is here, lower-case hexadecimal. */
  sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  /** The bytes from here on, at most so many. */
  async read(from: number, most: number): Promise<Buffer> {
    const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(most), 0, most, from);
    return buffer.subarray(0, bytesRead);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#file.close(), this.#note.close()]);
  }

  /** Removes the note, and the bytes where they still lie here. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
    await rm(toNotePath(this.#path), { force: true });
  }

  async #restore(): Promise<void> {
    const { buffer, bytesRead } = await this.#note.read(Buffer.alloc(NOTE_BYTES), 0, NOTE_BYTES, 0);
    const { data: note } = Note.safeParse(parseReply(buffer.toString('utf8', 0, bytesRead)));
    const { size } = await this.#file.stat();
    if (note === undefined || note.safe > size) return await this.restart(UNKNOWN);
    this.#of = note;
    await this.#file.truncate(note.safe);
    for (let from = 0; from < note.safe;) {
      const piece = await this.read(from, Math.min(READ_BYTES, note.safe - from));
      this.#hash.update(piece);
      from += piece.length;
    }
    this.#bytes = note.safe;
    this.#safe = note.safe;
  }

  async #save(safe: number): Promise<void> {
    const { etag, lastModified, total } = this.#of;
    const text = JSON.stringify({ etag, lastModified, total, safe });
    await this.#note.write(text.padEnd(NOTE_BYTES), 0);
    this.#safe = safe;
  }
}

function toNotePath(path: string): string {
  return `${path}.json`;
}

async function openOrCreate(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return await open(path, 'wx+', 0o600);
  }
}
