import { type FSWatcher, watch } from 'node:fs';
import type { WriteConnection } from './connection.ts';

const CHECK_INTERVAL_MS = 500;
/** Number of checks after the last write to the log: a change becomes visible after its log is on the disk, which may take seconds. */
const CHECKS_AFTER_WRITE = 10;

/**
 * Calls `notify` within about a second after another connection commits, by SQLite's data version, which our own writes never change.
 * Each commit writes to the log of the database, and the system reports that, so nothing runs while nobody writes. Where the system
 * reports nothing, it checks regularly. Returns the function that stops it.
 */
export function watchExternalChanges(connection: WriteConnection, notify: () => void): () => void {
  let seen = connection.readDataVersion();
  let timer: NodeJS.Timeout | null = null;
  let watcher: FSWatcher | null = null;
  let checksLeft = 0;
  const stopWatcher = () => {
    watcher?.close();
    watcher = null;
  };
  const schedule = () => {
    timer ??= setTimeout(check, CHECK_INTERVAL_MS).unref();
  };
  const onEvent = (event: string) => {
    checksLeft = CHECKS_AFTER_WRITE;
    // The log was removed or replaced.
    if (event === 'rename') stopWatcher();
    schedule();
  };
  const onError = () => {
    stopWatcher();
    schedule();
  };
  const check = () => {
    timer = null;
    connection.shareOnceThereIsRoom();
    watcher ??= watchLog(connection, onEvent, onError);
    const version = connection.readDataVersion();
    if (version !== null && version !== seen) {
      seen = version;
      notify();
    }
    checksLeft -= 1;
    if (watcher === null || checksLeft > 0) schedule();
  };
  check();
  return () => {
    if (timer !== null) clearTimeout(timer);
    stopWatcher();
  };
}

/** Watches the log; `null` where its writes are not reported: on Windows, in exclusive access, and when the system refuses. */
function watchLog(
  { file, isAlone }: WriteConnection,
  onEvent: (event: string) => void,
  onError: () => void,
): FSWatcher | null {
  // Windows reports a write when the file is closed or flushed.
  if (isAlone || process.platform === 'win32') return null;
  try {
    return watch(`${file}-wal`, { persistent: false }, onEvent).on('error', onError);
  } catch {
    return null;
  }
}
