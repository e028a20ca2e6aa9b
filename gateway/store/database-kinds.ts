import { CHAT_MIGRATIONS, MIGRATIONS } from './migrate.ts';
import type { Migrations } from './schema.ts';

/** One of the two databases of a data folder. */
export interface DatabaseKind {
  readonly name: DatabaseName;
  /**
   * Set in the header of the file (https://www.sqlite.org/fileformat2.html#application_id), so that another file is
   * recognised.
   */
  readonly applicationId: number;
  readonly migrations: Migrations;
  /** Whether deleted data is overwritten. */
  readonly secureDelete: boolean;
}

/** Name of a database; its file is `NAME.db`. */
export type DatabaseName = 'gatehouse' | 'chat';

export const DATABASE_KINDS: Readonly<Record<DatabaseName, DatabaseKind>> = {
  gatehouse: {
    name: 'gatehouse',
    // "Gate" in ASCII.
    applicationId: 0x47617465,
    migrations: MIGRATIONS,
    secureDelete: false,
  },
  chat: {
    name: 'chat',
    // "Gcha" in ASCII.
    applicationId: 0x47636861,
    migrations: CHAT_MIGRATIONS,
    secureDelete: true,
  },
};
