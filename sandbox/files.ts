import type { UploadedFile } from './uploaded-file.ts';
import { createHash, randomBytes } from 'node:crypto';

import type { PersistentList } from './persistent-list.ts';

const MAX_STORED_BYTES = 8 * 2 ** 20;
const MAX_TOTAL_BYTES = 32 * 2 ** 20;
const MAX_ADDRESSES = 10_000;

/** Gathers the bytes of a file while they arrive. */
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
    // A copy, because the slice would hold the whole network buffer.
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

/** A file under the address that it was given. */
export interface AddressedFile {
  readonly address: string;
  readonly file: UploadedFile;
  /** Good for one order only. */
  readonly once: boolean;
}

/** Files by their address. Remembers 10,000 addresses and the bytes of the newest files, 32 MiB together. */
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
    for (const one of list.entries) this.#insert(one);
  }

  /** How many have arrived since the start. */
  get uploads(): number {
    return this.#uploads;
  }

  /** Stores a file and returns its access address. */
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

  /** Whether this sandbox issued the address for an uploaded file, in this run or an earlier one, and it is still good. */
  use(address: string): boolean {
    const path = toPath(address);
    const found = this.#byPath.get(path);
    if (found?.address !== address) return false;
    if (found.once) this.#byPath.delete(path);
    return true;
  }

  #insert(one: AddressedFile): void {
    this.#byPath.set(toPath(one.address), one);
    this.#storedBytes += one.file.bytes?.length ?? 0;
  }

  #trim(): void {
    for (const [path, one] of this.#byPath) {
      if (this.#byPath.size > MAX_ADDRESSES) this.#byPath.delete(path);
      else if (this.#storedBytes <= MAX_TOTAL_BYTES) return;
      else this.#byPath.set(path, { ...one, file: { ...one.file, bytes: undefined } });
      this.#storedBytes -= one.file.bytes?.length ?? 0;
    }
  }
}

function toPath(address: string): string {
  return address.slice(address.indexOf('/files/'));
}
