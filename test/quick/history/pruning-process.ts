import { openHistory } from '../../../gateway/history/history.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';

/** Records and prunes on a database, until it gets a message. Sends one when there is something to work with. */
const file = String(process.argv[2]);
const DAY_MS = 24 * 3_600_000;
const READY = 2_000;

process.once('disconnect', () => process.exit(1));
const store = await openStore(file);
const history = openHistory({
  store,
  now: Date.now,
  redact: String,
  log: () => undefined,
  getRetention: () => ({ days: 2, headersDays: 1, bytes: 3 * 2 ** 20 }),
});
const stopping = new AbortController();
process.once('message', () => stopping.abort());

/** Records a few thousand exchanges, half of them too old, and prunes, until it is stopped. */
async function run(): Promise<void> {
  for (let at = 0; !stopping.signal.aborted; at += 1) {
    const startedAt = Date.now() - (at % 2 === 0 ? 0 : 4 * DAY_MS);
    history.record(anExchange(`${process.pid}-${at}`, { startedAt }));
    if (at % 100 === 0) await history.flush();
    if (at === READY) process.send?.('ready');
    if (at % 500 === 0) await history.prune();
  }
}

await run();
await history.prune();
await history.close();
await store.close();
process.disconnect();
