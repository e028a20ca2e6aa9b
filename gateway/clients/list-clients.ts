import { sql } from 'kysely';
import { type Client, ClientId, type ClientSummary } from '../../shared/client.ts';
import type { Store } from '../store/store.ts';
import { toClientKind } from './in-memory-clients.ts';

const NO_USAGE = { lastUsedAt: null, exchanges: 0, inputTokens: 0, outputTokens: 0 };

/** Lists every client with its usage, revoked ones too: the stored ones oldest first, then those in memory. */
export async function listClients(
  { db }: Store,
  inMemory: readonly Client[],
): Promise<readonly ClientSummary[]> {
  const clients = await db.selectFrom('client').selectAll().orderBy('created_at').execute();
  const sums = await db
    .selectFrom('exchange_sum')
    .select(({ fn }) => [
      'client_id',
      fn.max('last_at').as('lastUsedAt'),
      fn.sum<number>('exchanges').as('exchanges'),
      sql<number>`total(input)`.as('inputTokens'),
      sql<number>`total(output)`.as('outputTokens'),
    ])
    .groupBy('client_id')
    .execute();
  const sumsById = new Map(sums.map(({ client_id: id, ...sum }) => [id, sum]));
  return [...clients.map(toClient), ...inMemory].map((client) => ({
    ...client,
    kind: toClientKind(client.id),
    ...(sumsById.get(client.id) ?? NO_USAGE),
  }));
}

/** Converts a row to its client. */
export function toClient(row: {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
}): Client {
  return {
    id: ClientId.parse(row.id),
    name: row.name,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  };
}
