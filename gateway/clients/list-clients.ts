import { sql } from 'kysely';
import type { UsageScope } from '../../shared/history/history.ts';
import {
  type ClientSummary,
  CHAT_CLIENT_ID,
  VIDEOS_CLIENT_ID,
  VIDEOS_CLIENT_NAME,
} from '../../shared/client.ts';
import { isInScope, type Store } from '../store/store.ts';
import { toClient } from './client-rows.ts';
import {
  BUILT_IN_CLIENTS,
  type ClientWithHash,
  toClientKind,
  UNKNOWN_ID,
} from './in-memory-clients.ts';

const NO_USAGE = { lastUsedAt: null, exchanges: 0, inputTokens: 0, outputTokens: 0, cost: null };

interface ListOptions {
  readonly scope: UsageScope;
  /** Unix time in milliseconds. */
  readonly now: number;
  /** Whether the chat and the video queue are listed before they were used. */
  readonly unused: boolean;
}

/**
 * Lists every client with its usage in `scope`, revoked ones too: the stored ones oldest first, then those in memory, then those
 * that Gatehouse itself defines.
 */
export async function listClients(
  store: Store,
  inMemory: readonly ClientWithHash[],
  { scope, now, unused }: ListOptions,
): Promise<readonly ClientSummary[]> {
  const rows = await store.db.selectFrom('client').selectAll().orderBy('created_at').execute();
  const sums = await readSums(store, scope);
  const present = new Set(inMemory.map(({ client }) => client.id));
  const others = BUILT_IN_CLIENTS.filter(
    ({ id }) =>
      !present.has(id) &&
      (sums.has(id) || (unused && (id === CHAT_CLIENT_ID || id === VIDEOS_CLIENT_ID))),
  );
  return [
    ...rows.map((row) => toClient(row, now)),
    ...inMemory.map(({ client }) => client),
    ...others,
  ].map((client) => ({
    ...client,
    kind: toClientKind(client.id),
    stopped: false,
    ...(sums.get(client.id) ?? NO_USAGE),
  }));
}

/** Reads the usage by client. Exchanges without the id of a client are those of the video queue, or of unknown callers. */
async function readSums({ db }: Store, scope: UsageScope) {
  const counted = isInScope(scope);
  const id = sql<string>`case when client_id <> '' then client_id
    when client_name = ${VIDEOS_CLIENT_NAME} then ${VIDEOS_CLIENT_ID}
    when client_name = '' then ${UNKNOWN_ID} else '' end`;
  const sums = await db
    .selectFrom('exchange_sum')
    .select(({ fn }) => [
      id.as('id'),
      fn.max('last_at').as('lastUsedAt'),
      sql<number>`coalesce(sum(exchanges) filter (where ${counted}), 0)`.as('exchanges'),
      sql<number>`total(input) filter (where ${counted})`.as('inputTokens'),
      sql<number>`total(output) filter (where ${counted})`.as('outputTokens'),
      sql<number | null>`case when sum(cost_known) filter (where ${counted}) > 0
        then total(cost) filter (where ${counted}) end`.as('cost'),
    ])
    .groupBy(sql`1`)
    .execute();
  return new Map(sums.map(({ id: client, ...sum }) => [client, sum]));
}
