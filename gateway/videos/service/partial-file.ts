import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { z } from 'zod';
import { systemCode } from '../../lib/disk.ts';
import { parseReply } from './detect-fields.ts';

/** The validators of the file that a partial file belongs to. */
export interface PartialFileInfo {
  /** The `ETag`; `null` for none, and for a weak one. */
  readonly etag: string | null;
  /** The `Last-Modified` date; `null` for none. */
  readonly lastModified: string | null;
  /** Size of the whole file in bytes; `null` when it is not known. */
  readonly total: number | null;
}

const Note = z.object({
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
  total: z.number().int().nullable(),
  /** Number of bytes that are durably on the disk. */
  safe: z.number().int().nonnegative(),
});

const UNKNOWN: PartialFileInfo = { etag: null, lastModified: null, total: null };

/** The note always has this length, so that it can be overwritten in place on a full disk. */
const NOTE_BYTES = 1024;
/** At most so many bytes are downloaded twice after a power cut. */
const FLUSH_EVERY = 8 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

/** A partial download: its bytes, and a note beside them of the file that they belong to. It resumes from bytes that are durably on the disk. */
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

  /** Opens an existing partial file, or a new one. Rejects with the system's error. */
  static async open(path: string): Promise<PartialFile> {
    await using opened = new AsyncDisposableStack();
    const file = opened.use(await openOrCreate(path));
    const note = opened.use(await openOrCreate(toNotePath(path)));
    const part = new PartialFile(path, file, note);
    await part.#restore();
    opened.move();
    return part;
  }

  /** Number of bytes so far. */
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

  /** Deletes the bytes so far. */
  async restart(of: PartialFileInfo): Promise<void> {
    this.#of = of;
    this.#bytes = 0;
    this.#hash = createHash('sha256');
    await this.#file.truncate(0);
    await this.#save(0);
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      const { bytesWritten } = await this.#file.write(chunk, at, null, this.#bytes);
      this.#hash.update(chunk.subarray(at, at + bytesWritten));
      at += bytesWritten;
      this.#bytes += bytesWritten;
    }
    if (this.#bytes - this.#safe >= FLUSH_EVERY) await this.flush();
  }

  /** Makes the bytes so far durable. */
  async flush(): Promise<void> {
    await this.#file.datasync();
    await this.#save(this.#bytes);
  }

  /** Closes the file when all bytes are there. */
  async finish(): Promise<void> {
    this.#of = { ...this.#of, total: this.#bytes };
    await this.#file.sync();
    await this.#save(this.#bytes);
    // The bytes may get a second name now, so an older note must not truncate them.
    await this.#note.sync();
  }

  /** Computes the SHA-256 of the bytes, in lower-case hexadecimal. */
  sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Reads up to `length` bytes from a position. */
  async read(from: number, maxBytes: number): Promise<Buffer> {
    const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(maxBytes), 0, maxBytes, from);
    return buffer.subarray(0, bytesRead);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#file.close(), this.#note.close()]);
  }

  /** Deletes the note, and the bytes unless they were moved. */
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
      const chunk = await this.read(from, Math.min(READ_BYTES, note.safe - from));
      this.#hash.update(chunk);
      from += chunk.length;
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
