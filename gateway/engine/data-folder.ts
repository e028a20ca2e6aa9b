import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from '../../shared/settings.ts';
import type { Store } from '../store/store.ts';

/** What lies in the data folder, by name. Files that go while we look are left out. */
export async function lookIntoDataFolder(path: string, { db }: Store): Promise<DataFolder> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const files = await Promise.all(
    names.toSorted().map(async (name) => {
      const found = await stat(join(path, name)).catch(() => null);
      return found === null ? [] : [{ name, bytes: found.size }];
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
