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
import { type KeptImage, MOST_IMAGE_BYTES } from '../../shared/image.ts';
import { type DiskFile, DiskProblem, inFolder, syncFolder, systemCode } from '../disk.ts';
import type { Host } from '../host.ts';
import { makeInTurn } from '../in-turn.ts';
import { NotFound, Refused } from '../refused.ts';
import { IncomingImage } from './incoming-image.ts';

/** The images of a folder, each kept once under its content hash. */
export interface Images {
  /** @throws Refused when it is too large. */
  begin(file: { readonly name: string; readonly bytes: number }): Promise<string>;
  /** @throws Refused, NotFound */
  append(upload: string, piece: Uint8Array): Promise<void>;
  /** @throws Refused when it is not whole or is no image; NotFound */
  finish(upload: string): Promise<KeptImage>;
  /** Keeps an image that lies on this disk. @throws Refused */
  keep(path: string): Promise<KeptImage>;
  find(hash: string): Promise<DiskFile | null>;
  /** Removes those that were last chosen a week ago or earlier and are not among these hashes. */
  removeUnused(used: ReadonlySet<string>): Promise<void>;
  /** Removes all of them, and what is on its way in. */
  removeAll(): Promise<void>;
  /** Nothing happens when it is not there. */
  remove(hash: string): Promise<void>;
}

/** What lies beside an image. */
const Note = z.object({ name: z.string(), type: z.string(), ending: z.string() });

/** One that is on its way in. */
interface Upload {
  readonly name: string;
  readonly image: IncomingImage;
  readonly inTurn: ReturnType<typeof makeInTurn>;
  /** Unix time in milliseconds of the latest piece. */
  touchedAt: number;
}

/** An upload that says nothing for so long was left. */
const LEFT_MS = 60 * 60 * 1000;
/** A form that is open somewhere may still name an image. */
const UNUSED_MS = 7 * 24 * 60 * 60 * 1000;
const MOST_AT_ONCE = 16;
const INCOMING = '.part';
/** Of an image, or of the note beside it. */
const KEPT = /^([0-9a-f]{64})\.[a-z]+$/u;

export interface ImagesOptions {
  /** Nothing else is in it. It is made when the first image comes. */
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
    await this.#onDisk(async () => await this.#tidy());
    if (this.#uploads.size >= MOST_AT_ONCE) {
      throw new Refused(`${MOST_AT_ONCE} images are on their way already. Wait for them.`, 'image');
    }
    const { id, image } = this.#incoming(bytes);
    const touchedAt = this.#host.now();
    this.#uploads.set(id, { name, image, inTurn: makeInTurn(), touchedAt });
    return id;
  }

  async append(upload: string, piece: Uint8Array): Promise<void> {
    const { image, inTurn } = this.#touch(upload);
    await inTurn(async () => {
      // The piece before may have gone wrong.
      this.#touch(upload);
      await this.#orRemove(upload, image, async () => await image.append(piece));
    });
  }

  async finish(upload: string): Promise<KeptImage> {
    const { name, image, inTurn } = this.#touch(upload);
    return await inTurn(async () => {
      this.#touch(upload);
      return await this.#orRemove(upload, image, async () => {
        const kept = await this.#name(image, name);
        this.#uploads.delete(upload);
        return kept;
      });
    });
  }

  async keep(path: string): Promise<KeptImage> {
    await using file = await openToRead(path);
    const { size } = await file.stat();
    checkSize(size);
    const { id, image } = this.#incoming(size);
    return await this.#orRemove(id, image, async () => {
      for await (const piece of file.createReadStream({ autoClose: false })) {
        await image.append(piece);
      }
      return await this.#name(image, path);
    }).catch((error: unknown) => {
      // Of several files it is said which one.
      if (!(error instanceof Refused)) throw error;
      throw new Refused(`${path}: ${error.message}`, error.field, { cause: error });
    });
  }

  async find(hash: string): Promise<DiskFile | null> {
    try {
      const note = Note.parse(JSON.parse(await readFile(this.#noteOf(hash), 'utf8')));
      const path = join(this.#folder, `${hash}.${note.ending}`);
      const { size } = await stat(path);
      return { path, name: note.name, type: note.type, bytes: size };
    } catch (error) {
      // A note that was not written whole is none.
      if (error instanceof z.ZodError || error instanceof SyntaxError) return null;
      if (systemCode(error) === 'ENOENT') return null;
      throw error;
    }
  }

  async remove(hash: string): Promise<void> {
    const found = await this.find(hash);
    await rm(this.#noteOf(hash), { force: true });
    if (found !== null) await rm(found.path, { force: true });
  }

  async removeAll(): Promise<void> {
    this.#uploads.clear();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async removeUnused(used: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    const unused = names.filter((name) => {
      const [, hash] = KEPT.exec(name) ?? [];
      return hash !== undefined && !used.has(hash);
    });
    // Notes first: an image without one is not there.
    for (const name of unused.toSorted((one, other) => +isNote(other) - +isNote(one))) {
      await this.#removeIfLeft(name, UNUSED_MS);
    }
  }

  #incoming(bytes: number): { readonly id: string; readonly image: IncomingImage } {
    const id = Buffer.from(this.#host.randomBytes(16)).toString('hex');
    return { id, image: new IncomingImage(join(this.#folder, id + INCOMING), bytes) };
  }

  #touch(upload: string): Upload {
    const found = this.#uploads.get(upload);
    if (found === undefined) {
      throw new NotFound('The upload of this image is not there any more. Choose it again.');
    }
    found.touchedAt = this.#host.now();
    return found;
  }

  /** What went wrong once is begun anew, not gone on with. */
  async #orRemove<Value>(
    id: string,
    image: IncomingImage,
    work: () => Promise<Value>,
  ): Promise<Value> {
    try {
      return await this.#onDisk(work);
    } catch (error) {
      this.#uploads.delete(id);
      await image.remove();
      throw error;
    }
  }

  /** The note comes last: an image without one is not there. */
  async #name(image: IncomingImage, name: string): Promise<KeptImage> {
    const { hash, type, ending, bytes } = await image.finish();
    const called = name.split(/[\\/]/u).at(-1)?.slice(0, 255) || `image.${ending}`;
    await rename(image.path, join(this.#folder, `${hash}.${ending}`));
    const note = `${image.path}.json`;
    await writeFile(note, JSON.stringify({ name: called, type, ending }), { mode: 0o600 });
    await rename(note, this.#noteOf(hash));
    await syncFolder(this.#folder);
    return { hash, name: called, type, bytes };
  }

  #noteOf(hash: string): string {
    return join(this.#folder, `${hash}.json`);
  }

  /** @throws Refused in words for people when the disk does not do it. */
  async #onDisk<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await inFolder(this.#folder, work);
    } catch (error) {
      if (!(error instanceof DiskProblem)) throw error;
      throw new Refused(`The image could not be kept. ${error.message}`, 'image', { cause: error });
    }
  }

  /** Removes what nobody goes on with, here or in a process that is gone. */
  async #tidy(): Promise<void> {
    const leftBefore = this.#host.now() - LEFT_MS;
    for (const [id, { touchedAt }] of this.#uploads) {
      if (touchedAt < leftBefore) this.#uploads.delete(id);
    }
    for (const name of await readdir(this.#folder)) {
      const [id = ''] = name.split(INCOMING);
      if (!name.includes(INCOMING) || this.#uploads.has(id)) continue;
      await this.#removeIfLeft(name, LEFT_MS);
    }
  }

  /** Removes a file that nobody wrote to for so long. */
  async #removeIfLeft(name: string, ms: number): Promise<void> {
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
  if (bytes === 0) throw new Refused('The file is empty.', 'image');
  if (bytes > MOST_IMAGE_BYTES) throw new Refused('An image has at most 64 MiB.', 'image');
}

/** @throws Refused */
async function openToRead(path: string): Promise<FileHandle> {
  try {
    // Opening a pipe would wait for whoever writes to it.
    if (!(await stat(path)).isFile()) throw new Refused(`${path} is no file.`, 'image');
    return await open(path, 'r');
  } catch (error) {
    const code = systemCode(error);
    if (code === null) throw error;
    throw new Refused(unreadableWords(path, code), 'image', { cause: error });
  }
}

function unreadableWords(path: string, code: string): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `The file ${path} does not exist.`;
    case 'EACCES':
    case 'EPERM':
      return `The file ${path} may not be read by you.`;
    default:
      return `The file ${path} cannot be read (${code}).`;
  }
}
