import type { Migration } from 'kysely/migration';
import { CHAT_MIGRATIONS, MIGRATIONS } from './migrate.ts';

/** One of the two databases of a data folder. */
export interface DatabaseKind {
  readonly name: DatabaseName;
  /** Set in the header of the file (https://www.sqlite.org/fileformat2.html#application_id), so that no other file is taken for it. */
  readonly applicationId: number;
  readonly migrations: Readonly<Record<string, Migration>>;
  /** What is deleted is overwritten. */
  readonly secureDelete: boolean;
}

/** Their files are called the same, with `.db` behind. */
export type DatabaseName = 'gatehouse' | 'chat';

export const DATABASE_KINDS: Readonly<Record<DatabaseName, DatabaseKind>> = {
  gatehouse: {
    name: 'gatehouse',
    // "Gate"
    applicationId: 0x47617465,
    migrations: MIGRATIONS,
    secureDelete: false,
  },
  chat: {
    name: 'chat',
    // "Gchat", as far as four bytes go
    applicationId: 0x47636861,
    migrations: CHAT_MIGRATIONS,
    secureDelete: true,
  },
};
