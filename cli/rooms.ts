import { openRooms } from '../gateway/gateway.ts';
import type { Rooms as OpenRooms } from '../gateway/gateway.ts';
import { openHistory } from '../gateway/history/history.ts';
import type { History } from '../gateway/history/history.ts';
import { openDataDir } from '../hosting/data-folder.ts';
import { openHost } from './host.ts';
import type { GuardedHost } from '../hosting/host.ts';
import type { Shell } from './shell.ts';

/** What a one-shot command works with; a gateway may be running on the same data folder. */
export interface Rooms extends OpenRooms {
  readonly host: GuardedHost;
}

/** Opens the data folder for the time of `work`. @throws CommandFailed, StoreError */
export async function withRooms(
  shell: Shell,
  dataFlag: string | undefined,
  work: (rooms: Rooms) => Promise<void>,
): Promise<void> {
  const dataDir = await openDataDir(dataFlag, shell.environment);
  const host = openHost(shell, { dataDir, logLevel: 'warn' });
  const rooms = await openRooms({ host });
  rooms.store.guard.add(() => host.serviceKeys(), '<service key>');
  try {
    await work({ ...rooms, host });
  } finally {
    await rooms.close();
  }
}

/** The history for the time of `look`. */
export async function lookIntoHistory<Value>(
  { store, host }: Rooms,
  look: (history: History) => Promise<Value>,
): Promise<Value> {
  const history = openHistory({
    store,
    now: host.now,
    redact: (text) => text,
    log: host.log,
    keep: null,
  });
  try {
    return await look(history);
  } finally {
    await history.close();
  }
}
