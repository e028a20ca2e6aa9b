import { type RawBuilder, sql } from 'kysely';
import type { UsageGroup, UsageGroups } from '../../../shared/history/usage.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type { Store } from '../../store/store.ts';
import { MEASURED_COLUMNS, SPEED_COLUMNS, SPEED_SUMS, withBuckets } from './speed-buckets.ts';
import { NUMBERS, SUM_COLUMNS } from './sum-columns.ts';
import { sortGroups, toTotals, type UsageQuery } from './usage-report.ts';

/** A run and its exchanges. */
export interface RunMembers {
  readonly id: string;
  readonly title: string;
  readonly exchanges: readonly string[];
}

/** Returns the usage of a period by tag: there are few, so their exchanges are summed. One with two tags counts for both. */
export async function readTagGroups(store: Store, query: UsageQuery): Promise<UsageGroups> {
  const members = sql`(select exchange_mark.seq, fold_case(value) as member, min(value) as title
    from exchange_mark, json_each(exchange_mark.tags) group by 1, 2)`;
  const groups = await sumMembers(store, query, members);
  return sortGroups(groups.map((group) => ({ ...group, run: null })));
}

/** Returns the usage of these runs within a period. */
export async function readRunGroups(
  store: Store,
  query: UsageQuery,
  runs: readonly RunMembers[],
): Promise<UsageGroups> {
  const listed = JSON.stringify(
    runs.flatMap(({ id, exchanges }) => exchanges.map((exchange) => [id, exchange])),
  );
  const members = sql`(select exchange.seq, value ->> 0 as member, '' as title
    from json_each(${listed}) cross join exchange on exchange.id = value ->> 1)`;
  const groups = await sumMembers(store, query, members);
  const titles = new Map(runs.map(({ id, title }) => [id, title]));
  return sortGroups(groups.map((group) => ({ ...group, name: titles.get(group.run ?? '') ?? '' })));
}

async function sumMembers(
  store: Store,
  { scope, period }: UsageQuery,
  members: RawBuilder<unknown>,
): Promise<UsageGroup[]> {
  const inScope =
    scope === 'sandbox'
      ? sql`exchange.service = ${SANDBOX_ID}`
      : sql`exchange.service is not ${SANDBOX_ID}`;
  const rows = sql`select member, title, ${sql.raw(MEASURED_COLUMNS)}
    from ${members} as members cross join exchange on exchange.seq = members.seq
    where day between ${period.since} and ${period.until} and ${inScope}`;
  const summed = await sql<Record<string, unknown>>`
    with ${withBuckets(rows)},
    summed (member, name, ${sql.raw([...NUMBERS, ...SPEED_COLUMNS].join(', '))}) as (
      select member, min(title), ${sql.raw(SUM_COLUMNS)}, ${sql.raw(SPEED_SUMS)} from measured group by 1)
    select * from summed`.execute(store.db);
  return summed.rows.map((row) => ({
    ...toTotals(row),
    name: String(row['name']),
    run: String(row['member']),
  }));
}
