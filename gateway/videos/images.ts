import { createHash, randomUUID } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { MOST_IMAGE_BYTES, type VideoImage } from '../../shared/video.ts';
import { NotFound, Refused } from '../refused.ts';
import type { Images } from './videos.ts';

interface Begun {
  readonly name: string;
  readonly bytes: number;
  readonly path: string;
}

const KINDS = [
  { head: '89504e470d0a1a0a', type: 'image/png', ending: 'png' },
  { head: 'ffd8ff', type: 'image/jpeg', ending: 'jpg' },
  { head: '474946383', type: 'image/gif', ending: 'gif' },
  { head: '52494646', type: 'image/webp', ending: 'webp' },
] as const;

/** Opens the reference images of a data folder. */
export function openImages(dataDir: string): Images {
  const folder = join(dataDir, 'videos', 'images');
  const begun = new Map<string, Begun>();
  const keepBytes = async (bytes: Buffer, name: string): Promise<VideoImage> => {
    const head = bytes.subarray(0, 8).toString('hex');
    const kind = KINDS.find((one) => head.startsWith(one.head));
    if (kind === undefined) throw new Refused('This file is no image that is known here.', 'image');
    const hash = createHash('sha256').update(bytes).digest('hex');
    await mkdir(folder, { recursive: true });
    const part = join(folder, `${randomUUID()}.part`);
    await writeFile(part, bytes, { mode: 0o600 });
    await rename(part, join(folder, `${hash}.${kind.ending}`));
    return { hash, name, type: kind.type, bytes: bytes.length };
  };
  return {
    async begin({ name, bytes }) {
      if (bytes > MOST_IMAGE_BYTES) throw new Refused('An image has at most 64 MiB.', 'image');
      await mkdir(folder, { recursive: true });
      const upload = randomUUID();
      begun.set(upload, { name, bytes, path: join(folder, `${upload}.part`) });
      return upload;
    },
    async append(upload, piece) {
      const one = begun.get(upload);
      if (one === undefined) throw new NotFound('This upload is not there any more.');
      await appendFile(one.path, piece, { mode: 0o600 });
    },
    async finish(upload) {
      const one = begun.get(upload);
      if (one === undefined) throw new NotFound('This upload is not there any more.');
      const bytes = await readFile(one.path);
      if (bytes.length !== one.bytes) throw new Refused('The image did not come whole.', 'image');
      begun.delete(upload);
      return await keepBytes(bytes, one.name);
    },
    keep: async (path) => await keepBytes(await readFile(path), basename(path)),
    async find(hash) {
      const names = await readdir(folder).catch((): string[] => []);
      const name = names.find((one) => one.startsWith(`${hash}.`));
      const kind = KINDS.find(({ ending }) => name?.endsWith(`.${ending}`) === true);
      if (name === undefined || kind === undefined) return null;
      const path = join(folder, name);
      return { path, name, type: kind.type, bytes: (await stat(path)).size };
    },
  };
}
