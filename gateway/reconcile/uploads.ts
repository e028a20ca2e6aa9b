import { Mutex } from 'async-mutex';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_USAGE_EXPORT } from '../../shared/reconcile/reconcile-contract.ts';
import { NotFoundError, UserError } from '../errors.ts';
import type { Host } from '../host.ts';
import { DiskError, withFolder } from '../lib/disk.ts';

/** A file that a window sends in chunks. */
interface Upload {
  readonly path: string;
  readonly bytes: number;
  readonly mutex: Mutex;
  received: number;
  /** Unix time in milliseconds of its latest use. */
  usedAt: number;
  /** Calls that read it now. */
  readers: number;
}

/** Files at once; the one that was used the longest ago is forgotten for a new one. */
const MAX_UPLOADS = 4;
/** A file that was not used for this long is forgotten. */
const EXPIRES_AFTER_MS = 3_600_000;
const CHECK_MS = 600_000;

/** Keeps the usage exports that windows send as files of one folder, which has nothing else. */
export class ExportUploads {
  readonly #folder: string;
  readonly #host: Pick<Host, 'now' | 'randomBytes'>;
  readonly #uploads = new Map<string, Upload>();
  /** Removes files of a process that was killed. */
  readonly #emptied: Promise<void>;
  /** Runs while there are files. */
  #checks: NodeJS.Timeout | null = null;

  constructor(folder: string, host: Pick<Host, 'now' | 'randomBytes'>) {
    this.#folder = folder;
    this.#host = host;
    this.#emptied = removeFolder(folder);
  }

  /** Begins a file of so many bytes. @throws UserError when others are being read */
  async begin(bytes: number): Promise<string> {
    if (bytes > MAX_USAGE_EXPORT) throw new UserError('A usage export has at most 64 MiB.');
    await this.#emptied;
    await this.#forgetExpired();
    await this.#makeRoom();
    this.#checks ??= setInterval(() => void this.#forgetExpired(), CHECK_MS).unref();
    const id = Buffer.from(this.#host.randomBytes(16)).toString('hex');
    this.#uploads.set(id, {
      path: join(this.#folder, id),
      bytes,
      mutex: new Mutex(),
      received: 0,
      usedAt: this.#host.now(),
      readers: 0,
    });
    return id;
  }

  /** @throws NotFoundError; UserError when the file is larger than announced, or cannot be saved */
  async append(id: string, chunk: Uint8Array): Promise<void> {
    const { mutex } = this.#use(id);
    await mutex.runExclusive(async () => {
      // The chunk before may have failed.
      const upload = this.#use(id);
      try {
        if (upload.received + chunk.length > upload.bytes) {
          throw new UserError('The file is larger than announced. Choose it again.');
        }
        await this.#save(upload, chunk);
      } catch (error) {
        await this.forget(id);
        throw error;
      }
    });
  }

  /** Calls a function with the path of a file, which stays until then. @throws NotFoundError, UserError when it is incomplete */
  async read<Value>(id: string, work: (file: string) => Promise<Value>): Promise<Value> {
    const upload = this.#use(id);
    if (upload.received !== upload.bytes) {
      throw new UserError('The file arrived incomplete. Choose it again.');
    }
    upload.readers += 1;
    try {
      return await work(upload.path);
    } finally {
      upload.readers -= 1;
      upload.usedAt = this.#host.now();
      if (this.#uploads.get(id) !== upload) await removeFile(upload);
    }
  }

  /** Removes a file; one that is being read is removed afterwards. */
  async forget(id: string): Promise<void> {
    const upload = this.#uploads.get(id);
    this.#uploads.delete(id);
    if (upload !== undefined && upload.readers === 0) await removeFile(upload);
  }

  async close(): Promise<void> {
    if (this.#checks !== null) clearInterval(this.#checks);
    this.#uploads.clear();
    await this.#emptied;
    await removeFolder(this.#folder);
  }

  #use(id: string): Upload {
    const upload = this.#uploads.get(id);
    if (upload === undefined) throw new NotFoundError('Choose the file again.');
    upload.usedAt = this.#host.now();
    return upload;
  }

  async #save(upload: Upload, chunk: Uint8Array): Promise<void> {
    try {
      await withFolder(this.#folder, () => appendFile(upload.path, chunk, { mode: 0o600 }));
      upload.received += chunk.length;
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      throw new UserError(`The file could not be saved. ${error.message}`, null, { cause: error });
    }
  }

  async #forgetExpired(): Promise<void> {
    const expired = this.#host.now() - EXPIRES_AFTER_MS;
    for (const [id, { usedAt }] of this.#listIdle()) {
      if (usedAt < expired) await this.forget(id);
    }
  }

  async #makeRoom(): Promise<void> {
    const [oldest] = this.#listIdle();
    if (this.#uploads.size < MAX_UPLOADS) return;
    if (oldest === undefined) {
      throw new UserError(`${MAX_UPLOADS} exports are being compared. Wait for one of them.`);
    }
    await this.forget(oldest[0]);
  }

  /** Lists files that nobody reads, the one that was used the longest ago first. */
  #listIdle(): (readonly [id: string, upload: Upload])[] {
    return [...this.#uploads]
      .filter(([, { readers }]) => readers === 0)
      .toSorted(([, one], [, other]) => one.usedAt - other.usedAt);
  }
}

/** A file that cannot be removed now is removed with the folder. */
async function removeFile({ path }: Upload): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}

/** A folder that cannot be removed now is removed with the next start. */
async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
