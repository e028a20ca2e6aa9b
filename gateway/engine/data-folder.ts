import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from '../../shared/settings.ts';
import type { Store } from '../store/store.ts';

/** Lists the data folder by name, each folder as one entry. Files that are deleted meanwhile are left out. */
export async function inspectDataFolder(path: string, { db }: Store): Promise<DataFolder> {
  const entries = await readdir(path, { withFileTypes: true });
  const files = await Promise.all(
    entries
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(async (entry) => {
        const { name } = entry;
        if (entry.isDirectory()) {
          return [{ name: `${name}/`, bytes: await folderBytes(join(path, name)) }];
        }
        const bytes = entry.isFile() ? await fileBytes(join(path, name)) : null;
        return bytes === null ? [] : [{ name, bytes }];
      }),
  );
  const { exchanges, oldestAt } = await db
    .selectFrom('exchange')
    .select(({ fn }) => [
      fn.countAll<number>().as('exchanges'),
      fn.min<number | null>('started_at').as('oldestAt'),
    ])
    .executeTakeFirstOrThrow();
  return { path, files: files.flat(), exchanges, oldestAt };
}

async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => await fileBytes(join(parentPath, name))),
  );
  return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
}

async function fileBytes(file: string): Promise<number | null> {
  return (await stat(file).catch(() => null))?.size ?? null;
}
