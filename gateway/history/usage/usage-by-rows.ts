import { type RawBuilder, sql } from 'kysely';
import { RunId } from '../../../shared/exchange/exchange.ts';
import {
  MAX_RUN_EXCHANGES,
  MAX_USAGE_RUNS,
  type UsageGroups,
  type UsageOf,
} from '../../../shared/history/usage.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { isInScope, type Store } from '../../store/store.ts';
import { startOfDay } from '../days.ts';
import { addDays } from './periods.ts';
import { MEASURED_COLUMNS, SPEED_COLUMNS, SPEED_SUMS, withBuckets } from './speed-buckets.ts';
import { NUMBERS, SUM_COLUMNS } from './sum-columns.ts';
import {
  ALL_SUMS,
  checkPeriod,
  sortGroups,
  subtractRows,
  type Sums,
  toTotals,
  type UsageQuery,
} from './usage-report.ts';

/** Exchanges in which runs are looked for at once, so that other queries do not wait, and how often. */
const STEP = 5_000;
const MAX_STEPS = MAX_RUN_EXCHANGES / STEP;

/** Returns the titles of runs, as far as they are kept. */
export type FindTitles = (runs: readonly RunId[]) => Promise<ReadonlyMap<string, string>>;

/** Returns the usage of a period by tag: there are few, so their exchanges are summed. One with two tags counts for both. */
export async function readTagGroups(store: Store, query: UsageQuery): Promise<UsageGroups> {
  const members = sql`(select exchange_mark.seq, fold_case(value) as member, min(value) as title
    from exchange_mark, json_each(exchange_mark.tags) group by 1, 2)`;
  const { rows } = await sumMembers(store, query, members);
  return sortGroups(rows.map((row) => ({ ...toTotals(row), name: row.name, run: null })));
}

/**
 * Returns the usage of the latest hundred runs of a period, among its latest 200,000 exchanges, and of all exchanges beside them.
 * @throws UserError
 */
export async function readRunGroups(
  store: Store,
  query: UsageQuery,
  findTitles: FindTitles,
): Promise<UsageGroups> {
  checkPeriod(query.period);
  const runs = await listRuns(store, query);
  const members = sql`(select seq, run as member, '' as title from exchange
    where run in (select value from json_each(${JSON.stringify(runs)})))`;
  const [{ rows, all }, titles] = await Promise.all([
    sumMembers(store, query, members),
    findTitles(runs),
  ]);
  const groups = rows.map((row) => ({
    ...toTotals(row),
    name: titles.get(row.member) ?? '',
    run: row.member,
  }));
  const rest = subtractRows(all, rows);
  return sortGroups([
    ...groups,
    ...(rest === null ? [] : [{ ...toTotals(rest), name: '', run: null }]),
  ]);
}

/** Lists the latest runs of a period: looks for them from its latest exchange backwards, a few thousand exchanges at a time. */
async function listRuns(store: Store, { scope, period }: UsageQuery): Promise<readonly RunId[]> {
  const found = new Set<string>();
  const seen = new Set<string>();
  let before = startOfDay(addDays(period.until, 1));
  for (let steps = 0; steps < MAX_STEPS && found.size < MAX_USAGE_RUNS; steps += 1) {
    const { rows } = await sql<{ run: string | null; at: number }>`
      select run, min(started_at) as at from (
        select run, started_at from exchange
        where started_at >= ${startOfDay(period.since)} and started_at < ${before}
        order by started_at desc limit ${STEP})
      group by run order by max(started_at) desc`.execute(store.db);
    if (rows.length === 0) break;
    const runs = rows.flatMap(({ run }) => (run === null || seen.has(run) ? [] : [run]));
    for (const run of runs) seen.add(run);
    for (const run of await selectRuns(store, scope, runs)) found.add(run);
    const oldest = Math.min(...rows.map(({ at }) => at));
    // So many may have begun within one millisecond.
    before = Math.min(oldest + 1, before - 1);
  }
  return [...found].slice(0, MAX_USAGE_RUNS).map((run) => RunId.parse(run));
}

/** Selects those of some runs that belong to a scope, in their order. A single request is a run only when its client names a session. */
async function selectRuns(
  store: Store,
  scope: UsageOf,
  runs: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await sql<{
    run: string;
  }>`select value as run from json_each(${JSON.stringify(runs)})
    where exists (select 1 from exchange where exchange.run = value and ${inScope(scope)})
      and (exists (select 1 from exchange where exchange.run = value and conversation is not null)
        or (select count(*) from (select 1 from exchange where exchange.run = value limit 2)) = 2)
    order by key`.execute(store.db);
  return rows.map(({ run }) => run);
}

function inScope(scope: UsageOf): RawBuilder<unknown> {
  return scope === 'services'
    ? sql`exchange.service is not ${SANDBOX_ID}`
    : sql`exchange.service = ${scope}`;
}

type MemberRow = Sums & { readonly member: string; readonly name: string };

/** Sums members, and all exchanges of the period. Both are of the same moment. */
async function sumMembers(
  store: Store,
  { scope, period }: UsageQuery,
  members: RawBuilder<unknown>,
): Promise<{ readonly rows: readonly MemberRow[]; readonly all: Sums }> {
  const measured = sql`select member, title, ${sql.raw(MEASURED_COLUMNS)}
    from ${members} as members cross join exchange on exchange.seq = members.seq
    where day between ${period.since} and ${period.until} and ${inScope(scope)}`;
  const names = sql.raw([...NUMBERS, ...SPEED_COLUMNS].join(', '));
  const { rows } = await sql<MemberRow>`
    with ${withBuckets(measured)},
    summed (member, name, ${names}) as (
      select member, min(title), ${sql.raw(SUM_COLUMNS)}, ${sql.raw(SPEED_SUMS)} from measured group by 1)
    select member, name, ${names} from summed
    union all select null, null, ${sql.raw(ALL_SUMS)} from exchange_usage
    where kind = 'route' and day between ${period.since} and ${period.until} and ${isInScope(scope)}`.execute(
    store.db,
  );
  return {
    rows: rows.filter(({ member }) => member !== null),
    all: rows.find(({ member }) => member === null) ?? {},
  };
}
