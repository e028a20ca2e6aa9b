import { type Kysely, sql } from 'kysely';
import type { Cost } from '../../../shared/money/cost.ts';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import {
  NO_RECOST_PROGRESS,
  type RecostedModel,
  type RecostProgress,
} from '../../../shared/money/recost.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type { Store, Tables } from '../../store/store.ts';
import { type ExchangeRow, fromRow } from '../row.ts';
import { addStoredToUsage, subtractFromUsage } from '../usage/usage-rollup.ts';

export interface RecostQuery {
  /** Exchanges that started at this time or later, in Unix milliseconds. */
  readonly since: number;
  /** Returns what an exchange costs by the present prices; `null` when there is nothing to pay. */
  readonly costOf: (exchange: ExchangeRecord) => Cost | null;
  /** Whether only to say what would change. */
  readonly dryRun: boolean;
  /** Ends it after the batch in progress. What was changed stays changed. */
  readonly signal: AbortSignal;
}

/** Exchanges in one transaction: other writers wait for some milliseconds at most. */
const BATCH = 250;
/** Models that are listed in the end. */
const MAX_MODELS = 100;

/** Rows whose cost can be computed again. Versions before did not store how long an ordered video is. */
export const RECOSTED = sql<boolean>`(attempts > 0 and service is not ${SANDBOX_ID}
  and (route in ('chat', 'responses', 'messages') or route = 'video-submit' and video is not null))`;

/**
 * Computes the costs of exchanges with services again, oldest first, and changes the rows and the totals together, a small batch at a
 * time. Yields the progress after each batch, and in the end once more.
 */
export async function* recost(
  { db }: Store,
  query: RecostQuery,
): AsyncGenerator<RecostProgress, void, void> {
  let progress: RecostProgress = NO_RECOST_PROGRESS;
  const models = new Map<string, RecostedModel>();
  let last = await findStart(db, query.since);
  while (!query.signal.aborted) {
    const from = last;
    const batch = query.dryRun
      ? await recostBatch(db, from, query)
      : await db.transaction().execute(async (trx) => await recostBatch(trx, from, query));
    if (batch === null) {
      yield { ...progress, ...listModels(models), ended: true };
      return;
    }
    ({ last } = batch);
    for (const one of batch.changes) addToModel(models, one);
    progress = {
      ...progress,
      checked: progress.checked + batch.checked,
      changed: progress.changed + batch.changes.length,
      before: progress.before + batch.before,
      after: progress.after + batch.after,
    };
    yield progress;
  }
}

function addToModel(models: Map<string, RecostedModel>, { row, cost }: Change): void {
  const model = row.model_sent ?? row.model_asked ?? row.model_served ?? '';
  const known = models.get(model) ?? { model, exchanges: 0, before: null, after: null };
  models.set(model, {
    model,
    exchanges: known.exchanges + 1,
    before: addKnown(known.before, row.cost),
    after: addKnown(known.after, cost?.amount ?? null),
  });
}

function addKnown(sum: number | null, amount: number | null): number | null {
  return amount === null ? sum : (sum ?? 0) + amount;
}

function changeOf({ before, after }: RecostedModel): number {
  return Math.abs((after ?? 0) - (before ?? 0));
}

/** Sorts models by how much their total changes, and leaves out those at the end of a long list. */
function listModels(
  models: ReadonlyMap<string, RecostedModel>,
): Pick<RecostProgress, 'models' | 'moreModels'> {
  const sorted = [...models.values()].toSorted(
    (one, other) => changeOf(other) - changeOf(one) || other.exchanges - one.exchanges,
  );
  return {
    models: sorted.slice(0, MAX_MODELS),
    moreModels: Math.max(0, sorted.length - MAX_MODELS),
  };
}

/** Returns the number before that of the first row of this time, so that earlier rows are not read. */
async function findStart(db: Kysely<Tables>, since: number): Promise<number> {
  const first = await db
    .selectFrom('exchange')
    .where('started_at', '>=', since)
    .select(({ fn }) => fn.min('seq').as('seq'))
    .executeTakeFirst();
  return (first?.seq ?? 1) - 1;
}

interface Change {
  readonly row: ExchangeRow;
  readonly cost: Cost | null;
}

/** Handles the exchanges after the row `last`; `null` when there is none. */
async function recostBatch(db: Kysely<Tables>, last: number, query: RecostQuery) {
  const rows = await db
    .selectFrom('exchange')
    .selectAll()
    .where('seq', '>', last)
    .where('started_at', '>=', query.since)
    .where(RECOSTED)
    // Without both, the service did nothing for it.
    .where(sql<boolean>`(cost_source is not null or usage_source <> 'unknown')`)
    .orderBy('seq')
    .limit(BATCH)
    .execute();
  const end = rows.at(-1);
  if (end === undefined) return null;
  const changes: Change[] = [];
  let before = 0;
  let after = 0;
  for (const row of rows) {
    const cost = query.costOf(fromRow(row));
    before += row.cost ?? 0;
    after += cost?.amount ?? 0;
    const isSame =
      row.cost === (cost?.amount ?? null) && row.cost_source === (cost?.source ?? null);
    if (!isSame) changes.push({ row, cost });
  }
  if (!query.dryRun && changes.length > 0) await change(db, changes);
  return { last: end.seq, checked: rows.length, changes, before, after };
}

/** Changes rows and the totals that count them. Must run in the transaction in which the rows were read. */
async function change(trx: Kysely<Tables>, changes: readonly Change[]): Promise<void> {
  const costs = changes.map(({ row: { seq }, cost }) => [
    seq,
    cost?.amount ?? null,
    cost?.source ?? null,
    cost?.priceId ?? null,
  ]);
  const seqs = sql<number>`(select value from json_each(${JSON.stringify(changes.map(({ row }) => row.seq))}))`;
  await subtractFromUsage(trx, seqs);
  await sql`update exchange set cost = new.cost, cost_source = new.source, price_id = new.price
    from (select value ->> 0 as seq, value ->> 1 as cost, value ->> 2 as source, value ->> 3 as price
      from json_each(${JSON.stringify(costs)})) as new
    where exchange.seq = new.seq`.execute(trx);
  await addStoredToUsage(trx, seqs);
  await sql`update exchange_sum set cost = exchange_sum.cost + new.cost, cost_known = exchange_sum.cost_known + new.known,
      cost_estimated = exchange_sum.cost_estimated + new.estimated, unpriced = exchange_sum.unpriced + new.unpriced
    from (select value ->> 0 as day, value ->> 1 as service, value ->> 2 as client_id, value ->> 3 as client_name, value ->> 4 as model,
        value ->> 5 as cost, value ->> 6 as known, value ->> 7 as estimated, value ->> 8 as unpriced
      from json_each(${JSON.stringify(sumChanges(changes))})) as new
    where exchange_sum.day = new.day and exchange_sum.service = new.service and exchange_sum.client_id = new.client_id
      and exchange_sum.client_name = new.client_name and exchange_sum.model = new.model`.execute(
    trx,
  );
}

/** Returns, for each total, its key and by how much its numbers change. */
function sumChanges(changes: readonly Change[]): readonly (string | number)[][] {
  const sums = new Map<string, (string | number)[]>();
  for (const { row, cost } of changes) {
    const key = [
      row.day,
      row.service ?? '',
      row.client_id ?? '',
      row.client_name ?? '',
      row.model_sent ?? row.model_asked ?? '',
    ];
    const old = toCounts(row.cost, row.cost_source, row.times);
    const added = toCounts(cost?.amount ?? null, cost?.source ?? null, row.times);
    const known = sums.get(JSON.stringify(key))?.slice(key.length) ?? [0, 0, 0, 0];
    const sum = known.map(
      (value, index) => Number(value) + (added[index] ?? 0) - (old[index] ?? 0),
    );
    sums.set(JSON.stringify(key), [...key, ...sum]);
  }
  return [...sums.values()];
}

/** Returns what a row adds to `cost`, `cost_known`, `cost_estimated` and `unpriced` of its total. */
function toCounts(
  amount: number | null,
  source: Cost['source'] | null,
  times: number,
): readonly number[] {
  return [
    amount ?? 0,
    amount === null ? 0 : times,
    source === 'estimated' ? times : 0,
    source !== null && amount === null ? times : 0,
  ];
}
