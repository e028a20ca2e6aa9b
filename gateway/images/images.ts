import { Mutex } from 'async-mutex';
import {
  type FileHandle,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type StoredImage, MAX_IMAGE_BYTES } from '../../shared/image.ts';
import { type DiskFile, DiskError, withFolder, fsyncFolder, systemCode } from '../lib/disk.ts';
import type { Host } from '../host.ts';
import { NotFoundError, UserError } from '../errors.ts';
import { IncomingImage } from './incoming-image.ts';

/** The images of a folder, each stored once under its content hash. */
export interface Images {
  /** @throws UserError when it is too large. */
  begin(file: { readonly name: string; readonly bytes: number }): Promise<string>;
  /** @throws UserError, NotFoundError */
  append(upload: string, chunk: Uint8Array): Promise<void>;
  /** @throws UserError when it is not whole or is no image; NotFoundError */
  finish(upload: string): Promise<StoredImage>;
  /** Imports an image file from this disk. @throws UserError */
  importFile(path: string): Promise<StoredImage>;
  find(hash: string): Promise<DiskFile | null>;
  /** Removes images that were last chosen a week ago or earlier and whose hash is not in `used`. */
  removeUnused(used: ReadonlySet<string>): Promise<void>;
  /** Removes all images, including unfinished uploads. */
  removeAll(): Promise<void>;
  /** Removes an image; does nothing when it is absent. */
  remove(hash: string): Promise<void>;
}

/** Metadata stored beside an image. */
const Note = z.object({ name: z.string(), type: z.string(), ending: z.string() });

/** An unfinished upload. */
interface Upload {
  readonly name: string;
  readonly image: IncomingImage;
  readonly mutex: Mutex;
  /** Unix time in milliseconds of the latest chunk. */
  touchedAt: number;
}

/** An upload without chunks for this long is abandoned. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;
/** An image stays this long after its last use, because an open form may still refer to it. */
const UNUSED_AFTER_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_AT_ONCE = 16;
const INCOMING = '.part';
/** File name of an image, or of the note beside it. */
const STORED_NAME = /^([0-9a-f]{64})\.[a-z]+$/u;

export interface ImagesOptions {
  /** Folder that contains nothing else. It is created with the first image. */
  readonly folder: string;
  readonly host: Pick<Host, 'now' | 'randomBytes'>;
}

/** Opens the images of a folder. */
export function openImages(options: ImagesOptions): Images {
  return new ImageFolder(options);
}

class ImageFolder implements Images {
  readonly #folder: string;
  readonly #host: Pick<Host, 'now' | 'randomBytes'>;
  readonly #uploads = new Map<string, Upload>();

  constructor({ folder, host }: ImagesOptions) {
    this.#folder = folder;
    this.#host = host;
  }

  async begin({ name, bytes }: { readonly name: string; readonly bytes: number }): Promise<string> {
    checkSize(bytes);
    await this.#withDiskErrors(async () => await this.#removeAbandoned());
    if (this.#uploads.size >= MAX_AT_ONCE) {
      throw new UserError(
        `${MAX_AT_ONCE} images are already being uploaded. Wait for them.`,
        'image',
      );
    }
    const { id, image } = this.#createIncoming(bytes);
    const touchedAt = this.#host.now();
    this.#uploads.set(id, { name, image, mutex: new Mutex(), touchedAt });
    return id;
  }

  async append(upload: string, chunk: Uint8Array): Promise<void> {
    const { image, mutex } = this.#touchUpload(upload);
    await mutex.runExclusive(async () => {
      // The previous chunk may have failed.
      this.#touchUpload(upload);
      await this.#runOrRemove(upload, image, async () => await image.append(chunk));
    });
  }

  async finish(upload: string): Promise<StoredImage> {
    const { name, image, mutex } = this.#touchUpload(upload);
    return await mutex.runExclusive(async () => {
      this.#touchUpload(upload);
      return await this.#runOrRemove(upload, image, async () => {
        const stored = await this.#publish(image, name);
        this.#uploads.delete(upload);
        return stored;
      });
    });
  }

  async importFile(path: string): Promise<StoredImage> {
    await using file = await openForReading(path);
    const { size } = await file.stat();
    checkSize(size);
    const { id, image } = this.#createIncoming(size);
    return await this.#runOrRemove(id, image, async () => {
      for await (const chunk of file.createReadStream({ autoClose: false })) {
        await image.append(chunk);
      }
      return await this.#publish(image, path);
    }).catch((error: unknown) => {
      // The message names the file, because several may be imported.
      if (!(error instanceof UserError)) throw error;
      throw new UserError(`${path}: ${error.message}`, error.field, { cause: error });
    });
  }

  async find(hash: string): Promise<DiskFile | null> {
    try {
      const note = Note.parse(JSON.parse(await readFile(this.#notePath(hash), 'utf8')));
      const path = join(this.#folder, `${hash}.${note.ending}`);
      const { size } = await stat(path);
      return { path, name: note.name, type: note.type, bytes: size };
    } catch (error) {
      // An incomplete note counts as absent.
      if (error instanceof z.ZodError || error instanceof SyntaxError) return null;
      if (systemCode(error) === 'ENOENT') return null;
      throw error;
    }
  }

  async remove(hash: string): Promise<void> {
    const found = await this.find(hash);
    await rm(this.#notePath(hash), { force: true });
    if (found !== null) await rm(found.path, { force: true });
  }

  async removeAll(): Promise<void> {
    this.#uploads.clear();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async removeUnused(used: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    const unused = names.filter((name) => {
      const [, hash] = STORED_NAME.exec(name) ?? [];
      return hash !== undefined && !used.has(hash);
    });
    // Notes are removed first: an image without a note counts as absent.
    for (const name of unused.toSorted((one, other) => +isNote(other) - +isNote(one))) {
      await this.#removeIfOlder(name, UNUSED_AFTER_MS);
    }
  }

  #createIncoming(bytes: number): { readonly id: string; readonly image: IncomingImage } {
    const id = Buffer.from(this.#host.randomBytes(16)).toString('hex');
    return { id, image: new IncomingImage(join(this.#folder, id + INCOMING), bytes) };
  }

  #touchUpload(upload: string): Upload {
    const found = this.#uploads.get(upload);
    if (found === undefined) {
      throw new NotFoundError('The upload of this image no longer exists. Choose it again.');
    }
    found.touchedAt = this.#host.now();
    return found;
  }

  /** A failed upload has to start again; it cannot be continued. */
  async #runOrRemove<Value>(
    id: string,
    image: IncomingImage,
    work: () => Promise<Value>,
  ): Promise<Value> {
    try {
      return await this.#withDiskErrors(work);
    } catch (error) {
      this.#uploads.delete(id);
      await image.remove();
      throw error;
    }
  }

  /** The note is written last: an image without a note counts as absent. */
  async #publish(image: IncomingImage, name: string): Promise<StoredImage> {
    const { hash, type, ending, bytes } = await image.finish();
    const called = name.split(/[\\/]/u).at(-1)?.slice(0, 255) || `image.${ending}`;
    await rename(image.path, join(this.#folder, `${hash}.${ending}`));
    const note = `${image.path}.json`;
    await writeFile(note, JSON.stringify({ name: called, type, ending }), { mode: 0o600 });
    await rename(note, this.#notePath(hash));
    await fsyncFolder(this.#folder);
    return { hash, name: called, type, bytes };
  }

  #notePath(hash: string): string {
    return join(this.#folder, `${hash}.json`);
  }

  /** @throws UserError with a message for people when the disk fails. */
  async #withDiskErrors<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await withFolder(this.#folder, work);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      throw new UserError(`The image could not be saved. ${error.message}`, 'image', {
        cause: error,
      });
    }
  }

  /** Removes uploads that were abandoned, here or by a process that ended. */
  async #removeAbandoned(): Promise<void> {
    const leftBefore = this.#host.now() - ABANDONED_AFTER_MS;
    for (const [id, { touchedAt }] of this.#uploads) {
      if (touchedAt < leftBefore) this.#uploads.delete(id);
    }
    for (const name of await readdir(this.#folder)) {
      const [id = ''] = name.split(INCOMING);
      if (!name.includes(INCOMING) || this.#uploads.has(id)) continue;
      await this.#removeIfOlder(name, ABANDONED_AFTER_MS);
    }
  }

  /** Removes a file that was not written to for this long. */
  async #removeIfOlder(name: string, ms: number): Promise<void> {
    const path = join(this.#folder, name);
    const found = await stat(path).catch(() => null);
    if (found === null || found.mtimeMs >= this.#host.now() - ms) return;
    await rm(path, { force: true });
  }
}

function isNote(name: string): boolean {
  return name.endsWith('.json');
}

function checkSize(bytes: number): void {
  if (bytes === 0) throw new UserError('The file is empty.', 'image');
  if (bytes > MAX_IMAGE_BYTES) throw new UserError('An image has at most 64 MiB.', 'image');
}

/** @throws UserError */
async function openForReading(path: string): Promise<FileHandle> {
  try {
    // Opening a pipe would wait until something writes to it.
    if (!(await stat(path)).isFile()) throw new UserError(`${path} is not a file.`, 'image');
    return await open(path, 'r');
  } catch (error) {
    const code = systemCode(error);
    if (code === null) throw error;
    throw new UserError(formatUnreadable(path, code), 'image', { cause: error });
  }
}

function formatUnreadable(path: string, code: string): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `The file ${path} does not exist.`;
    case 'EACCES':
    case 'EPERM':
      return `The file ${path} cannot be read: you lack permission.`;
    default:
      return `The file ${path} cannot be read (${code}).`;
  }
}
