import { sql } from 'kysely';
import type { Client } from '../../shared/client.ts';
import type { Store } from '../store/store.ts';
import { toClient } from './client-rows.ts';
import { findMatchingKey, parseHash } from './local-key.ts';

/** A local key that worked once: its client was revoked or got a new key, or its time has ended. */
export interface RetiredKey {
  readonly client: Client;
  /** Unix time in milliseconds at which it became invalid. */
  readonly at: number;
  /** `revoked` when its client was revoked, whatever came before. */
  readonly cause: 'revoked' | 'replaced' | 'ended';
}

/** Maximum of keys that are recognised, latest first. Each is compared with each wrong key. */
const MAX_KEYS = 1_000;

/** The local keys that do not work any more, to tell the program that sends one which key it was. They give no access. */
export class RetiredKeys {
  #keys: readonly RetiredKey[] = [];
  #hashes: readonly Buffer[] = [];

  /** Finds the retired key that is among the candidates: in memory, in constant time. */
  find(candidates: readonly string[]): RetiredKey | null {
    const found = findMatchingKey(candidates, this.#hashes);
    return found === null ? null : (this.#keys[found.hash] ?? null);
  }

  /** Reads them from the database. */
  async reload({ db }: Store, now: number): Promise<void> {
    const rows = await db
      .selectFrom('client')
      .selectAll()
      .select([
        'client.key_hash as hash',
        'client.revoked_at as retired_at',
        sql<'replaced' | 'ended'>`'replaced'`.as('cause'),
      ])
      .where('revoked_at', 'is not', null)
      .unionAll(
        db
          .selectFrom('client')
          .innerJoin('replaced_key', 'replaced_key.client_id', 'client.id')
          .selectAll('client')
          .select([
            'replaced_key.key_hash as hash',
            sql<number | null>`coalesce(revoked_at, replaced_at)`.as('retired_at'),
            sql<'replaced' | 'ended'>`'replaced'`.as('cause'),
          ]),
      )
      .unionAll(
        db
          .selectFrom('client')
          .innerJoin('temporary_key', 'temporary_key.client_id', 'client.id')
          .selectAll('client')
          .select([
            'temporary_key.key_hash as hash',
            sql<number | null>`coalesce(revoked_at, ended_at)`.as('retired_at'),
            sql<'replaced' | 'ended'>`'ended'`.as('cause'),
          ])
          .where((where) =>
            where.or([where('revoked_at', 'is not', null), where('ended_at', 'is not', null)]),
          ),
      )
      .orderBy('retired_at', 'desc')
      .limit(MAX_KEYS)
      .execute();
    const known = rows.flatMap(({ hash, retired_at: at, cause, ...row }) => {
      const parsed = parseHash(hash);
      if (parsed === null || at === null) return [];
      const key: RetiredKey = {
        client: toClient(row, now),
        at,
        cause: row.revoked_at === null ? cause : 'revoked',
      };
      return [{ hash: parsed, key }];
    });
    this.#keys = known.map(({ key }) => key);
    this.#hashes = known.map(({ hash }) => hash);
  }
}
