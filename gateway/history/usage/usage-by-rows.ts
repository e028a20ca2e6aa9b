import { type RawBuilder, sql } from 'kysely';
import { RunId } from '../../../shared/exchange/exchange.ts';
import type { UsageScope } from '../../../shared/history/history.ts';
import type { UsageGroup, UsageGroups } from '../../../shared/history/usage.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type { Store } from '../../store/store.ts';
import { startOfDay } from '../days.ts';
import { addDays } from './periods.ts';
import { MEASURED_COLUMNS, SPEED_COLUMNS, SPEED_SUMS, withBuckets } from './speed-buckets.ts';
import { NUMBERS, SUM_COLUMNS } from './sum-columns.ts';
import { checkPeriod, sortGroups, toTotals, type UsageQuery } from './usage-report.ts';

/** Runs whose usage is summed: the latest of a period. */
const MAX_RUNS = 100;
/** The latest exchanges of a period, which most often have so many runs. */
const MAX_LATEST = 10_000;

/** Returns the titles of runs, as far as they are kept. */
export type FindTitles = (runs: readonly RunId[]) => Promise<ReadonlyMap<string, string>>;

/** Returns the usage of a period by tag: there are few, so their exchanges are summed. One with two tags counts for both. */
export async function readTagGroups(store: Store, query: UsageQuery): Promise<UsageGroups> {
  const members = sql`(select exchange_mark.seq, fold_case(value) as member, min(value) as title
    from exchange_mark, json_each(exchange_mark.tags) group by 1, 2)`;
  const groups = await sumMembers(store, query, members);
  return sortGroups(groups.map((group) => ({ ...group, run: null })));
}

/** Returns the usage of the latest hundred runs of a period. @throws UserError */
export async function readRunGroups(
  store: Store,
  query: UsageQuery,
  findTitles: FindTitles,
): Promise<UsageGroups> {
  checkPeriod(query.period);
  const runs = await listRuns(store, query);
  const members = sql`(select seq, run as member, '' as title from exchange
    where run in (select value from json_each(${JSON.stringify(runs)})))`;
  const [groups, titles] = await Promise.all([sumMembers(store, query, members), findTitles(runs)]);
  return sortGroups(groups.map((group) => ({ ...group, name: titles.get(group.run ?? '') ?? '' })));
}

/** Lists the latest runs of a period. */
async function listRuns(store: Store, query: UsageQuery): Promise<readonly RunId[]> {
  const from = startOfDay(query.period.since);
  const end = startOfDay(addDays(query.period.until, 1));
  const ofLatest = sql`select run, max(started_at) as at from (
      select run, started_at from exchange where started_at >= ${from} and started_at < ${end}
      order by started_at desc limit ${MAX_LATEST})
    where run is not null group by run`;
  const latest = await selectRuns(store, query.scope, ofLatest);
  if (latest.length === MAX_RUNS) return latest;
  // Where runs are few, going from one to the next in the index reads one entry of each, and not one of each exchange.
  const ofAll = sql`with recursive each (run) as (
      select min(run) from exchange where run is not null
      union all
      select (select min(run) from exchange where exchange.run > each.run) from each where run is not null)
    select run, (select max(started_at) from exchange
      where exchange.run = each.run and exchange.started_at < ${end}) as at
    from each where run is not null and at >= ${from}`;
  return await selectRuns(store, query.scope, ofAll);
}

/** Selects the latest of these runs. A single request is one only when its client names a session. */
async function selectRuns(
  store: Store,
  scope: UsageScope,
  runs: RawBuilder<unknown>,
): Promise<readonly RunId[]> {
  const { rows } = await sql<{ run: string }>`with found as materialized (${runs} order by at desc)
    select run from found
    where exists (select 1 from exchange where exchange.run = found.run and ${inScope(scope)})
      and (exists (select 1 from exchange where exchange.run = found.run and conversation is not null)
        or (select count(*) from (select 1 from exchange where exchange.run = found.run limit 2)) = 2)
    order by at desc limit ${MAX_RUNS}`.execute(store.db);
  return rows.map(({ run }) => RunId.parse(run));
}

function inScope(scope: UsageScope): RawBuilder<unknown> {
  return scope === 'sandbox'
    ? sql`exchange.service = ${SANDBOX_ID}`
    : sql`exchange.service is not ${SANDBOX_ID}`;
}

async function sumMembers(
  store: Store,
  { scope, period }: UsageQuery,
  members: RawBuilder<unknown>,
): Promise<UsageGroup[]> {
  const rows = sql`select member, title, ${sql.raw(MEASURED_COLUMNS)}
    from ${members} as members cross join exchange on exchange.seq = members.seq
    where day between ${period.since} and ${period.until} and ${inScope(scope)}`;
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
