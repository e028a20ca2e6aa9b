import { VIDEOS_CLIENT_ID } from '../../shared/client.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type { UsageScope } from '../../shared/history/history.ts';
import type { Statement, Store } from '../store/store.ts';
import { QUARTER_MS } from './period.ts';
import type { Use } from './timeline.ts';

const ADD = `insert into spend (scope, client_id, quarter, money, tokens, requests) values (?, ?, ?, ?, ?, ?)
  on conflict do update set money = money + excluded.money, tokens = tokens + excluded.tokens, requests = requests + excluded.requests`;

/** Returns the statement that adds exchanges to what their clients have used. Must be written together with them. */
export function spendStatement(exchanges: readonly ExchangeRecord[]): Statement {
  const sums = new Map<string, [string, string, number, number, number, number]>();
  for (const { service, clientId, startedAt, usage, cost, times } of exchanges) {
    if (cost === null) continue;
    const client = clientId ?? VIDEOS_CLIENT_ID;
    const scope = service === SANDBOX_ID ? 'sandbox' : 'services';
    const quarter = Math.floor(startedAt / QUARTER_MS);
    const key = `${scope}\n${client}\n${quarter}`;
    const sum = sums.get(key) ?? [scope, client, quarter, 0, 0, 0];
    sum[3] += cost.amount ?? 0;
    sum[4] += (usage.input ?? 0) + (usage.output ?? 0);
    sum[5] += times;
    sums.set(key, sum);
  }
  return { sql: ADD, rows: [...sums.values()] };
}

/** What a client has used in a quarter of an hour. */
interface StoredUse {
  readonly scope: UsageScope;
  readonly clientId: string;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly use: Use;
}

/**
 * Reads what was used from a Unix time in milliseconds on, also what a clock that was ahead has recorded for later. A quarter counts at
 * its end, so that no rolling limit forgets it early.
 */
export async function readSpend({ db }: Store, since: number): Promise<StoredUse[]> {
  const rows = await db
    .selectFrom('spend')
    .selectAll()
    .where('quarter', '>=', Math.floor(since / QUARTER_MS))
    .execute();
  return rows.map(({ scope, client_id: clientId, quarter, money, tokens, requests }) => ({
    scope: scope === 'sandbox' ? 'sandbox' : 'services',
    clientId,
    at: (quarter + 1) * QUARTER_MS - 1,
    use: { money, tokens, requests },
  }));
}
