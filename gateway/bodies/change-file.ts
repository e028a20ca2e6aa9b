import { existsSync } from 'node:fs';
import type { Bodies } from './bodies.ts';
import { BodyDatabase } from './body-database.ts';

/** Changes to the database of the bodies while no Gatehouse runs. */
export type BodiesFile = Pick<Bodies, 'listSteps' | 'pin' | 'delete'>;

/** Returns the changes to a file; without the file there are no bodies. All reject with SQLite's error. */
export function createBodiesFile(file: string): BodiesFile {
  const withDatabase = async <Done>(
    work: (database: BodyDatabase) => Done,
    none: Done,
  ): Promise<Done> => {
    if (!existsSync(file)) return none;
    const database = new BodyDatabase(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    listSteps: (id) => withDatabase((database) => database.listSteps(id), []),
    pin: (ids, pinned) => withDatabase((database) => database.pin(ids, pinned), undefined),
    delete: (ids) => withDatabase((database) => database.delete(ids), undefined),
  };
}
