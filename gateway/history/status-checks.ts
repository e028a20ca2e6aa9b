import { type RawBuilder, sql } from 'kysely';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { HistoryFilter, StatusChecks } from '../../shared/history/history.ts';
import type { Store } from '../store/store.ts';
import { dependsOnMarks } from './filter.ts';

/*
 * Clients ask for the status of a video every few seconds. Each check is an exchange of its own, but a list shows equal checks of one video
 * and day as one row, at the place of the latest.
 */

type Times = Pick<HistoryFilter, 'since' | 'until'>;

/** Counting more takes too long: a client may check without a pause. */
const MAX_CHECKS = 10_000;

/** Whether a list with this filter shows equal checks as one row: not when the filter tells them apart. */
export function foldsChecks(filter: HistoryFilter): boolean {
  const { each = false, id, ids, run, cost, duration, projects, not } = filter;
  const own = [id, ids, run, cost, duration, projects, not?.projects];
  const isNarrow = own.some((one) => one !== undefined);
  return !each && !isNarrow && !dependsOnMarks(filter);
}

/** Values that equal checks have in common, as the index `exchange_by_check` has them. */
function keyOf(table: string): string {
  const columns = (names: string) =>
    names
      .split(' ')
      .map((name) => `${table}.${name}`)
      .join(', ');
  return `json_array(${columns('day service client_id client_name conversation user_agent method path_received')},
    ${columns('model_asked model_sent model_served streamed status error_code error_message')},
    case when ${table}.ended_by <> 'client' and ${table}.error_code is null then '' else ${table}.ended_by end, ${table}.repairs)`;
}

function isCheck(table: string): string {
  return `${table}.route = 'video-status' and ${table}.client_name is not null`;
}

/** Selects the checks of the same kind as `exchange`, within the times, as `checked`. */
function equalChecks({ since, until }: Times): RawBuilder<unknown> {
  const from = since === undefined ? sql`` : sql` and checked.started_at >= ${since}`;
  const to = until === undefined ? sql`` : sql` and checked.started_at < ${until}`;
  return sql`from exchange as checked where ${sql.raw(`${isCheck('checked')} and ${keyOf('checked')} = ${keyOf('exchange')}`)}${from}${to}`;
}

/** Tells in SQL whether an exchange is a status check that is followed by an equal one within the times. */
export function isFollowedByEqualCheck(times: Times): RawBuilder<number> {
  return sql`(${sql.raw(isCheck('exchange'))} and exists (select 1 ${equalChecks(times)}
    and (checked.started_at, checked.seq) > (exchange.started_at, exchange.seq)))`;
}

/** Counts the checks that are equal to each of these, within the times. Leaves out those without an equal one. */
export async function countEqualChecks(
  { db }: Store,
  ids: readonly ExchangeId[],
  times: Times,
): Promise<ReadonlyMap<string, StatusChecks>> {
  const { rows } = await sql<{ id: string; count: number; first: ExchangeId }>`select exchange.id,
    (select count(*) from (select 1 ${equalChecks(times)} limit ${MAX_CHECKS + 1})) as count,
    (select checked.id ${equalChecks(times)} order by checked.started_at, checked.seq limit 1) as first
    from exchange where exchange.id in (select value from json_each(${JSON.stringify(ids)}))
      and ${sql.raw(isCheck('exchange'))}`.execute(db);
  const several = rows.filter(({ count }) => count > 1);
  return new Map(
    several.map(({ id, count, first }) => {
      const orMore = count > MAX_CHECKS;
      return [id, { count: orMore ? MAX_CHECKS : count, orMore, first }];
    }),
  );
}
