import { createHash, randomBytes } from 'node:crypto';

import type { PersistentList } from './persistent-list.ts';

const MAX_STORED_BYTES = 8 * 2 ** 20;
const MAX_TOTAL_BYTES = 32 * 2 ** 20;
const MAX_ADDRESSES = 10_000;

/** Collects the bytes of a file while they arrive. */
export class FileReceiver {
  readonly #hash = createHash('sha256');
  #chunks: Buffer[] | undefined = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#size += bytes.length;
    if (this.#size > MAX_STORED_BYTES) this.#chunks = undefined;
    // A copy, because the slice would keep the whole network buffer in memory.
    else this.#chunks?.push(Buffer.from(bytes));
  }

  finish(name: string, type: string): UploadedFile {
    return {
      name,
      type,
      size: this.#size,
      sha256: this.#hash.digest('hex'),
      bytes: this.#chunks && Buffer.concat(this.#chunks),
    };
  }
}

/** An uploaded file and its URL. */
export interface AddressedFile {
  readonly address: string;
  readonly file: UploadedFile;
  /** Whether the URL is valid for one order only. */
  readonly once: boolean;
}

/** Stores files by URL: at most 10,000 URLs, and the bytes of the newest files up to 32 MiB in all. */
export class StoredFiles {
  readonly #origin: string;
  readonly #list: PersistentList<AddressedFile>;
  readonly #byPath = new Map<string, AddressedFile>();
  #storedBytes = 0;
  #uploads = 0;

  /** `origin` is the media origin, without a trailing slash. */
  constructor(origin: string, list: PersistentList<AddressedFile>) {
    this.#origin = origin;
    this.#list = list;
    for (const entry of list.entries) this.#insert(entry);
  }

  /** Number of files uploaded since the start. */
  get uploads(): number {
    return this.#uploads;
  }

  /** Stores a file and returns its URL. */
  add(file: UploadedFile, once: boolean): string {
    this.#uploads += 1;
    const path = `/files/${randomBytes(12).toString('hex')}/${encodeURIComponent(file.name)}`;
    const address = this.#origin + path;
    this.#insert({ address, file, once });
    this.#trim();
    this.#list.save(this.#byPath.values());
    return address;
  }

  find(path: string): UploadedFile | undefined {
    return this.#byPath.get(path)?.file;
  }

  /** Whether this is the URL of an uploaded file, from this run or an earlier one, that is still valid. Invalidates a URL for one order. */
  use(address: string): boolean {
    const path = toPath(address);
    const found = this.#byPath.get(path);
    if (found?.address !== address) return false;
    if (found.once) this.#byPath.delete(path);
    return true;
  }

  #insert(entry: AddressedFile): void {
    this.#byPath.set(toPath(entry.address), entry);
    this.#storedBytes += entry.file.bytes?.length ?? 0;
  }

  #trim(): void {
    for (const [path, entry] of this.#byPath) {
      if (this.#byPath.size > MAX_ADDRESSES) this.#byPath.delete(path);
      else if (this.#storedBytes <= MAX_TOTAL_BYTES) return;
      else this.#byPath.set(path, { ...entry, file: { ...entry.file, bytes: undefined } });
      this.#storedBytes -= entry.file.bytes?.length ?? 0;
    }
  }
}

function toPath(address: string): string {
  return address.slice(address.indexOf('/files/'));
}

/** A completely uploaded file. */
export interface UploadedFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  /** The bytes; absent for a file of more than 8 MiB, which is counted and hashed but not stored. */
  readonly bytes: Buffer | undefined;
}
