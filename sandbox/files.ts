import { createHash, randomBytes } from 'node:crypto';
import { type Answer, jsonAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { invalid } from './errors.ts';

/** A file that arrived whole. */
export interface UploadedFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  /** The bytes; absent when the file is larger than 8 MiB, which is counted and hashed but not kept. */
  readonly bytes: Buffer | undefined;
}

const KEPT_BYTES = 8 * 2 ** 20;
const ALL_KEPT_BYTES = 32 * 2 ** 20;
const ADDRESSES = 10_000;

/** Gathers the bytes of a file while they arrive. */
export class FileIntake {
  readonly #hash = createHash('sha256');
  #kept: Buffer[] | undefined = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  take(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#size += bytes.length;
    if (this.#size > KEPT_BYTES) this.#kept = undefined;
    // A copy, because the slice would hold the whole network buffer.
    else this.#kept?.push(Buffer.from(bytes));
  }

  finish(name: string, type: string): UploadedFile {
    return {
      name,
      type,
      size: this.#size,
      sha256: this.#hash.digest('hex'),
      bytes: this.#kept && Buffer.concat(this.#kept),
    };
  }
}

/** Files by their address. Remembers 10,000 addresses and the bytes of the newest files, 32 MiB together. */
export class StoredFiles {
  readonly #origin: string;
  readonly #byPath = new Map<string, UploadedFile>();
  #kept = 0;

  /** `origin` is the media origin, without a trailing slash. */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Stores a file and returns its access address. */
  add(file: UploadedFile): string {
    const path = `/files/${randomBytes(12).toString('hex')}/${encodeURIComponent(file.name)}`;
    this.#byPath.set(path, file);
    this.#kept += file.bytes?.length ?? 0;
    this.#trim();
    return this.#origin + path;
  }

  find(path: string): UploadedFile | undefined {
    return this.#byPath.get(path);
  }

  /** Whether this sandbox issued the address for an uploaded file. */
  issued(address: string): boolean {
    return address.startsWith(this.#origin) && this.#byPath.has(address.slice(this.#origin.length));
  }

  #trim(): void {
    for (const [path, file] of this.#byPath) {
      if (this.#byPath.size > ADDRESSES) this.#byPath.delete(path);
      else if (this.#kept <= ALL_KEPT_BYTES) return;
      else this.#byPath.set(path, { ...file, bytes: undefined });
      this.#kept -= file.bytes?.length ?? 0;
    }
  }
}

/** POST /v1/files (spec section 4.5). */
export function answerUpload({ upload, account, fields }: Call): Answer {
  if (!upload) throw invalid('The form has no part named "file".');
  const address = account.files.add(upload);
  return jsonAnswer({
    object: 'file',
    [fields.fileUrl]: address,
    bytes: upload.size,
    filename: upload.name,
    sha256: upload.sha256,
    created_at: Math.floor(Date.now() / 1000),
  });
}
