import { join } from 'node:path';
import { type History, openHistory } from '../../gateway/history/history.ts';
import { openStore } from '../../gateway/store/store.ts';
import { generateExchanges, takeNext } from './generate-exchanges.ts';

/** Capacity of the history's write queue, in exchanges. */
const MAX_UNWRITTEN = 5_000;

/** Opens the history of a data folder with a fixed clock: `now` is Unix time in milliseconds. */
export async function openHistoryFolder(
  folder: string,
  now: number,
): Promise<{ readonly history: History; close(this: void): Promise<void> }> {
  const store = await openStore(join(folder, 'gatehouse.db'));
  const history = openHistory({
    store,
    now: () => now,
    redact: String,
    log: throwOnLog,
    getRetention: ignoreWrite,
  });
  return {
    history,
    close: async () => {
      await history.close();
      await store.close();
    },
  };
}

function ignoreWrite() {
  return { days: 365, headersDays: 7 };
}

function throwOnLog(_level: string, message: string): void {
  throw new Error(message);
}

/** Writes generated exchanges of 90 days. Resolves to the CPU time of all threads, in microseconds. */
export async function fillHistory(
  history: History,
  { count, end }: { readonly count: number; readonly end: number },
): Promise<number> {
  const made = generateExchanges(count, end);
  let cpuTime = 0;
  for (let done = 0; done < count; done += MAX_UNWRITTEN) {
    const batch = takeNext(made, MAX_UNWRITTEN);
    const before = process.cpuUsage();
    for (const exchange of batch) history.record(exchange);
    // One batch after the other, because the queue is limited.
    await history.flush();
    const { user, system } = process.cpuUsage(before);
    cpuTime += user + system;
  }
  const written = await history.count({}, count + 1);
  if (written !== count) throw new Error(`Of ${count} exchanges ${written} were written.`);
  return cpuTime;
}
