import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type History,
  type HistoryOptions,
  openHistory,
} from '../../../gateway/history/history.ts';
import { openStore, type Store } from '../../../gateway/store/store.ts';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';

/** The noon at which tests of the history take place: Unix time in milliseconds. */
export const NOON = new Date(2026, 10, 21, 12).getTime();

/** A history in its own temporary folder. */
export interface HistoryFolder extends AsyncDisposable {
  readonly dataDir: string;
  readonly store: Store;
  readonly history: History;
  readonly logged: readonly string[];
  /** Records exchanges without headers. */
  record(...exchanges: readonly ExchangeRecord[]): Promise<void>;
}

/** Opens a history in a new folder. `prepare` may create a database there before. */
export async function openHistoryFolder(
  options: Partial<HistoryOptions> = {},
  prepare: (file: string) => void = nothing,
): Promise<HistoryFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-history-'));
  const file = join(folder, 'gatehouse.db');
  prepare(file);
  const store = await openStore(file);
  const logged: string[] = [];
  const history = openHistory({
    store,
    now: () => NOON,
    redact: String,
    log: (_level, message) => logged.push(message),
    getRetention: () => ({ days: 90, headersDays: 7 }),
    ...options,
  });
  return {
    dataDir: folder,
    store,
    history,
    logged,
    record: async (...exchanges) => {
      for (const one of exchanges) history.record(one);
      await history.flush();
    },
    [Symbol.asyncDispose]: async () => {
      await history.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function nothing(): void {}
