import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { UserError } from '../errors.ts';
import { acquireExclusiveLock, type ExclusiveLock } from '../lib/exclusive-lock.ts';

const LOCK = 'connections.lock';
const RETRY_MS = 25;
/** A change takes milliseconds; a longer wait means that another process hangs. */
const TIMEOUT_MS = 10_000;

/** Runs work while no other process and no other call changes the connections of a data folder. @throws UserError */
export async function withConnectionsLock<Value>(
  dataDir: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const lock = await acquire(join(dataDir, LOCK));
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function acquire(file: string): Promise<ExclusiveLock> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const lock = await acquireExclusiveLock(file);
    if (lock !== null) return lock;
    if (performance.now() > end) {
      throw new UserError('Another process changes connections at this moment. Try again.');
    }
    await pause(RETRY_MS);
  }
}
