import { sql } from 'kysely';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { UsageSource } from '../../../shared/exchange/usage.ts';
import type { Store } from '../../store/store.ts';
import { listHeaders } from '../header-snapshots.ts';

/** The usage of one exchange that a service was asked for. */
export interface UsageOfExchange {
  readonly id: ExchangeId;
  /** Unix time in milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly modelSent: string | null;
  readonly modelServed: string | null;
  readonly input: number | null;
  readonly output: number | null;
  readonly source: UsageSource;
  /** Millionths of the currency; `null` when it is not known. */
  readonly cost: number | null;
  /** The values of the headers of the service's answer; empty unless they were asked for and are kept. */
  readonly answered: readonly string[];
}

export interface UsageRowQuery {
  /** The id of the service. */
  readonly service: string;
  /** The times between which exchanges started, in Unix milliseconds; `until` is excluded. */
  readonly since: number;
  readonly until: number;
  readonly headers: boolean;
}

const BATCH = 500;

/** Yields the exchanges of a period that had usage or a cost, oldest first, in batches of which one is in memory. */
export async function* readUsageRows(
  store: Store,
  { service, since, until, headers }: UsageRowQuery,
): AsyncGenerator<readonly UsageOfExchange[], void, void> {
  let [time, seq] = [since, 0];
  for (;;) {
    const rows = await store.db
      .selectFrom('exchange')
      .select(['seq', 'id', 'started_at', 'duration_ms', 'model_asked', 'model_sent'])
      .select(['model_served', 'usage_input', 'usage_output', 'usage_source', 'cost'])
      .where('service', '=', service)
      .where('attempts', '>', 0)
      .where('started_at', '<', until)
      .where(sql<boolean>`(started_at, seq) > (${time}, ${seq})`)
      .where(sql<boolean>`coalesce(cost_source, usage_input, usage_output) is not null`)
      .orderBy('started_at')
      .orderBy('seq')
      .limit(BATCH)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    [time, seq] = [last.started_at, last.seq];
    const ids = rows.map(({ id }) => ExchangeId.parse(id));
    const byId = headers ? await listHeaders(store, ids) : null;
    yield rows.map((row, place) => ({
      id: ids[place] ?? ExchangeId.parse(row.id),
      startedAt: row.started_at,
      endedAt: row.started_at + row.duration_ms,
      modelSent: row.model_sent ?? row.model_asked,
      modelServed: row.model_served,
      input: row.usage_input,
      output: row.usage_output,
      source: row.usage_source,
      cost: row.cost,
      answered: byId?.get(row.id)?.answered?.map(([, value]) => value) ?? [],
    }));
  }
}
