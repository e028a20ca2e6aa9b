import { tryParseJson } from '../../lib/json-object.ts';
import type { Store } from '../../store/store.ts';
import { UsageColumns } from '../../../shared/reconcile/usage-columns.ts';
import { findAbsent } from '../check-columns.ts';
import type { ExportSample } from '../read-sample.ts';

/**
 * Returns the columns that a person has assigned for the export of a service; `null` when nobody has, they are damaged, or this export
 * lacks one of them.
 */
export async function readColumns(
  { db }: Store,
  service: string,
  sample: Pick<ExportSample, 'columns'>,
): Promise<UsageColumns | null> {
  const row = await db
    .selectFrom('usage_columns')
    .select('columns')
    .where('service', '=', service)
    .executeTakeFirst();
  const { data } = UsageColumns.safeParse(tryParseJson(row?.columns ?? ''));
  return data !== undefined && findAbsent(data, sample) === null ? data : null;
}

/** Remembers the columns of the export of a service. */
export async function saveColumns(
  store: Store,
  service: string,
  columns: UsageColumns,
): Promise<void> {
  const sql = `insert into usage_columns (service, columns) values (?, ?)
    on conflict (service) do update set columns = excluded.columns`;
  await store.write([{ sql, rows: [[service, JSON.stringify(columns)]] }]);
}
