import { openHistory } from '../../../gateway/history/history.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';

/** Records, erases and prunes on a database without end, until it is killed. Prints each finished step. */
const file = String(process.argv[2]);
const MAX_ROUNDS = 500;
const DAY_MS = 24 * 3_600_000;

process.once('disconnect', () => process.exit(1));
const store = await openStore(file);
const history = openHistory({
  store,
  now: Date.now,
  redact: String,
  log: () => undefined,
  getRetention: () => ({ days: 2, headersDays: 1 }),
});
const report = (): void => void process.send?.({});
history.on(report);

async function recordAll(): Promise<void> {
  for (let at = 0; at < MAX_ROUNDS * 100; at += 1) {
    const startedAt = Date.now() - (at % 2 === 0 ? 0 : 4 * DAY_MS);
    history.record(anExchange(`${process.pid}-${at}`, { startedAt }));
    if (at % 600 === 0) await history.flush();
  }
}

async function deleteAll(): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await history.prune();
    if (round % 5 === 0) await history.erase();
    report();
  }
}

await Promise.all([recordAll(), deleteAll()]);
