import type { Limit } from '../../shared/money/limit.ts';
import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';

/** Exceptions for one request that were used: they end at once here, and then in the database. */
export class UsedExceptions {
  readonly #store: Store;
  readonly #log: Log;
  /** The latest that was used, by limit. */
  readonly #used = new Map<string, number>();

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Ends the exceptions of these limits. */
  use(limits: readonly Limit[]): void {
    for (const { id, allowedOnceAt } of limits) {
      if (allowedOnceAt !== null) this.#used.set(id, allowedOnceAt);
    }
    const sql =
      'update spend_limit set allowed_once_at = null where id = ? and allowed_once_at = ?';
    const rows = limits.map(({ id, allowedOnceAt }) => [id, allowedOnceAt]);
    this.#store.write([{ sql, rows }]).catch((error: unknown) => {
      const reason = String(error);
      this.#log('warn', 'A used exception from a limit could not be saved.', { reason });
    });
  }

  /** Returns a limit without an exception that was used: a reload may still read it a moment later. */
  without(limit: Limit): Limit {
    const isUsed = limit.allowedOnceAt !== null && this.#used.get(limit.id) === limit.allowedOnceAt;
    return isUsed ? { ...limit, allowedOnceAt: null } : limit;
  }

  /** Forgets a limit that was removed. */
  forget(id: string): void {
    this.#used.delete(id);
  }
}
