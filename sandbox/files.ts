import { createHash, randomBytes } from 'node:crypto';
import { type Answer, jsonAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { invalid } from './errors.ts';
import type { Shelf } from './shelf.ts';

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
  readonly #shelf: Shelf<AddressedFile>;
  readonly #byPath = new Map<string, AddressedFile>();
  #kept = 0;
  #uploads = 0;

  /** `origin` is the media origin, without a trailing slash. */
  constructor(origin: string, shelf: Shelf<AddressedFile>) {
    this.#origin = origin;
    this.#shelf = shelf;
    for (const one of shelf.entries) this.#put(one);
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
    this.#put({ address, file, once });
    this.#trim();
    this.#shelf.keep(this.#byPath.values());
    return address;
  }

  find(path: string): UploadedFile | undefined {
    return this.#byPath.get(path)?.file;
  }

  /** Whether this sandbox issued the address for an uploaded file, in this run or an earlier one, and it is still good. */
  use(address: string): boolean {
    const path = pathOf(address);
    const found = this.#byPath.get(path);
    if (found?.address !== address) return false;
    if (found.once) this.#byPath.delete(path);
    return true;
  }

  #put(one: AddressedFile): void {
    this.#byPath.set(pathOf(one.address), one);
    this.#kept += one.file.bytes?.length ?? 0;
  }

  #trim(): void {
    for (const [path, one] of this.#byPath) {
      if (this.#byPath.size > ADDRESSES) this.#byPath.delete(path);
      else if (this.#kept <= ALL_KEPT_BYTES) return;
      else this.#byPath.set(path, { ...one, file: { ...one.file, bytes: undefined } });
      this.#kept -= one.file.bytes?.length ?? 0;
    }
  }
}

function pathOf(address: string): string {
  return address.slice(address.indexOf('/files/'));
}

/** POST /v1/files (spec section 4.5). */
export function answerUpload({ upload, account, fields, scenario }: Call): Answer {
  if (!upload) throw invalid('The form has no part named "file".');
  const address = account.files.add(upload, scenario.fileOnce === true);
  return jsonAnswer({
    object: 'file',
    ...(scenario.addresses !== 'none' && { [fields.fileUrl]: address }),
    ...(scenario.addresses === 'twins' && { copy: `${address}?link=copy` }),
    ...(scenario.addresses === 'several' && { preview: `${address}?preview` }),
    bytes: upload.size,
    filename: upload.name,
    sha256: upload.sha256,
    created_at: Math.floor(Date.now() / 1000),
  });
}
