import { type Kysely, sql } from 'kysely';
import type { Migration as KyselyMigration } from 'kysely/migration';
import { initial } from './migrations/0001-ground.ts';
import { details } from './migrations/0002-details.ts';
import { connecting } from './migrations/0003-connecting.ts';
import { window } from './migrations/0004-window.ts';
import { videos } from './migrations/0005-videos.ts';
import { orderBoot, orderIdentity, orderUptime } from './migrations/0006-order-identity.ts';
import { historyBounds } from './migrations/0007-history-bounds.ts';
import { exchangeService } from './migrations/0010-exchange-service.ts';
import { clientExpiry } from './migrations/0011-client-expiry.ts';
import { statusChecks } from './migrations/0012-status-checks.ts';
import { replacedKeys } from './migrations/0013-replaced-keys.ts';
import { clientBodies } from './migrations/0015-client-bodies.ts';
import { answersWithoutTokens } from './migrations/0014-answers-without-tokens.ts';
import { savedFilters } from './migrations/0016-saved-filters.ts';
import { exchangeMarks } from './migrations/0017-exchange-marks.ts';
import { money, reportedPartsAndVideos } from './migrations/0018-money.ts';
import { usageHours } from './migrations/0019-usage-hours.ts';
import { limitExceptions } from './migrations/0020-limit-exceptions.ts';
import { usageColumns } from './migrations/0021-usage-columns.ts';
import {
  clientsOfPrograms,
  clientsWithoutOwnKey,
  endedTemporaryKeys,
  projectsOfTemporaryKeys,
  temporaryKeys,
} from './migrations/0022-temporary-keys.ts';
import { modelAliases } from './migrations/0023-model-aliases.ts';
import {
  cacheWritesForAnHour,
  exchangeTools,
  refusedByLimits,
  runs,
  sessionsAndProjects,
} from './migrations/0027-runs.ts';
import { failedWithoutAnswer } from './migrations/0026-failed-without-answer.ts';
import { cacheReasons } from './migrations/0035-cache-reasons.ts';
import { conversations } from './chat-migrations/0001-conversations.ts';
import type { Migration, Migrations } from './schema.ts';

/** Migrations of `gatehouse.db`. */
export const MIGRATIONS: Migrations = {
  '0001-ground': initial,
  '0002-details': details,
  '0003-connecting': connecting,
  '0004-window': window,
  '0005-videos': videos,
  '0006-order-identity': orderIdentity,
  '0007-history-bounds': historyBounds,
  '0008-order-uptime': orderUptime,
  '0009-order-boot': orderBoot,
  '0010-exchange-service': exchangeService,
  '0011-client-expiry': clientExpiry,
  '0012-status-checks': statusChecks,
  '0013-replaced-keys': replacedKeys,
  '0014-answers-without-tokens': answersWithoutTokens,
  '0015-client-bodies': clientBodies,
  '0016-saved-filters': savedFilters,
  '0017-exchange-marks': exchangeMarks,
  '0018-money': money,
  '0019-usage-hours': usageHours,
  '0020-limit-exceptions': limitExceptions,
  '0021-usage-columns': usageColumns,
  '0022-temporary-keys': temporaryKeys,
  '0023-model-aliases': modelAliases,
  '0024-ended-temporary-keys': endedTemporaryKeys,
  '0025-clients-without-own-key': clientsWithoutOwnKey,
  '0026-failed-without-answer': failedWithoutAnswer,
  '0027-runs': runs,
  '0028-sessions-and-projects': sessionsAndProjects,
  '0029-projects-of-temporary-keys': projectsOfTemporaryKeys,
  '0030-reported-parts-and-videos': reportedPartsAndVideos,
  '0031-cache-writes-for-an-hour': cacheWritesForAnHour,
  '0032-clients-of-programs': clientsOfPrograms,
  '0033-refused-by-limits': refusedByLimits,
  '0034-exchange-tools': exchangeTools,
  '0035-cache-reasons': cacheReasons,
};

export const CHAT_MIGRATIONS: Migrations = { '0001-conversations': conversations };

function toKyselyMigration({ statements, fill }: Migration): KyselyMigration {
  return {
    up: async (db: Kysely<never>) => {
      const run = async (statement: string) =>
        (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows;
      for (const statement of statements()) await run(statement);
      await fill?.(run);
    },
  };
}

async function migrateUp<Tables>(db: Kysely<Tables>, migrations: Migrations): Promise<void> {
  // Most starts have nothing to migrate.
  const { Migrator } = await import('kysely/migration');
  const known = Object.fromEntries(
    Object.entries(migrations).map(([name, migration]) => [name, toKyselyMigration(migration)]),
  );
  const migrator = new Migrator({ db, provider: { getMigrations: async () => known } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Runs the missing migrations, all or none. Safe while another process does the same. */
export async function migrate<Tables>(db: Kysely<Tables>, migrations: Migrations): Promise<void> {
  await db.transaction().execute(async (trx) => await migrateUp(trx, migrations));
}
