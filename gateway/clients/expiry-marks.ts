import type { Client } from '../../shared/client.ts';
import type { Log } from '../host.ts';
import type { ClientRow, ClientRows } from './client-rows.ts';

export interface ExpiryMarksOptions {
  readonly rows: ClientRows;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Records that keys were found expired, so that they stay so when the clock is set back. Failures are logged. */
export class ExpiryMarks {
  readonly #options: ExpiryMarksOptions;
  /** Ids of clients that are being marked. */
  readonly #marking = new Set<string>();

  constructor(options: ExpiryMarksOptions) {
    this.#options = options;
  }

  /** Marks a client. Returns whether this call did. */
  async mark(client: Client, at: number): Promise<boolean> {
    if (this.#marking.has(client.id)) return false;
    this.#marking.add(client.id);
    try {
      await this.#options.rows.markExpired(client, at);
      return true;
    } catch (error) {
      const reason = String(error);
      const message = `It could not be stored that the key of "${client.name}" has expired.`;
      this.#options.log('warn', message, { reason });
      return false;
    } finally {
      this.#marking.delete(client.id);
    }
  }

  /** Marks the clients that expired unnoticed. `rows` are those of the clients, in the same order. */
  async markDue(rows: readonly ClientRow[], clients: readonly Client[]): Promise<void> {
    for (const [at, client] of clients.entries()) {
      if (!client.expired || rows[at]?.expired_at !== null) continue;
      await this.mark(client, this.#options.now());
    }
  }
}
