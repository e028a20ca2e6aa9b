import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isFull } from '../disk.ts';
import { failureOf, type Opening, type Reply, type Request, type Result } from './messages.ts';
import { DatabaseDamaged, StoreError, type StoreErrorCode } from './store-error.ts';

/** The worker thread that holds the database, seen from the main thread. */
export interface Thread {
  /** Replies come in the order of asking. Rejects with what SQLite said, as a {@link StoreError} where a person can act on it. */
  ask(request: Request): Promise<Result>;
  readonly onOutsideChange: (listener: () => void) => () => void;
  /** Closes the file and ends the thread. */
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html) that a person can do something about. */
const PLANNED: ReadonlyMap<number, StoreErrorCode> = new Map([
  [3, 'unwritable'],
  [5, 'busy'],
  [6, 'busy'],
  [8, 'unwritable'],
  [10, 'unwritable'],
  [11, 'corrupt'],
  [13, 'full'],
  [14, 'unwritable'],
  [23, 'unwritable'],
  [26, 'corrupt'],
]);

function advice(code: Exclude<StoreErrorCode, 'corrupt'>, file: string): string {
  switch (code) {
    case 'newer':
      return `The database ${file} was written by a newer Gatehouse. Update Gatehouse, or choose another data folder.`;
    case 'unwritable':
      return `The database ${file} cannot be opened for writing. Check that the folder exists, that it belongs to you and that its disk is writable.`;
    case 'full':
      return isFull(dirname(file))
        ? `The disk with the database ${file} is full. Free some space; nothing that was written is lost.`
        : `The system keeps no more of the database ${file}, although its disk has room: a quota may be used up. Free some space; nothing that was written is lost.`;
    case 'busy':
      if (isFull(dirname(file))) {
        return `The disk with the database ${file} is full, so the Gatehouse that runs keeps the database for itself until there is room. Free some space, then try again.`;
      }
      return `The database ${file} is held by another program. Close that program, then try again.`;
    case 'interrupted':
      return `A change of the database ${file} was interrupted, and it cannot be read before that is rolled back. Start Gatehouse: it does that first.`;
    case 'closed':
      return `The database ${file} is closed.`;
  }
}

/** The planned error for this file, with the sentence for a person. */
export function storeError(
  code: Exclude<StoreErrorCode, 'corrupt'>,
  file: string,
  cause?: unknown,
): StoreError {
  return new StoreError(code, advice(code, file), { cause });
}

/** What SQLite said of this file, as a {@link StoreError} where a person can act on it. */
export function errorOf(said: unknown, file: string): Error {
  const { message, errcode } = failureOf(said);
  const cause = said instanceof Error ? said : new Error(message);
  const code = errcode === null ? undefined : codeOf(errcode, file);
  if (code === undefined) return cause;
  if (code === 'corrupt') {
    const damage = { file, finding: 'it cannot be read as a database', detail: message };
    return new DatabaseDamaged(damage, undefined, { cause });
  }
  return storeError(code, file, cause);
}

/** Neither the log nor the memory that processes share can be made on a full disk, which SQLite does not tell as one. */
function codeOf(errcode: number, file: string): StoreErrorCode | undefined {
  const code = PLANNED.get(errcode & 0xff);
  return code === 'unwritable' && isFull(dirname(file)) ? 'full' : code;
}

function startWorker(file: string, how: Opening): Worker {
  const name = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js';
  return new Worker(new URL(name, import.meta.url), { workerData: { file, ...how } });
}

/** Starts the thread and opens the file in it. Rejects when the file cannot be opened. */
export async function startThread(file: string, how: Opening): Promise<Thread> {
  const worker = startWorker(file, how);
  const waiting: Waiting[] = [];
  const listeners = new Set<() => void>();
  let ended: Error | null = null;

  const reply = () =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ resolve, reject });
      // Only open questions keep the process alive: an idle store must not.
      worker.ref();
    });
  const end = (error: Error) => {
    ended ??= error;
    for (const one of waiting.splice(0)) one.reject(ended);
  };
  worker.on('message', (message: Reply) => {
    if (message.kind === 'changed-outside') {
      for (const listener of listeners) listener();
      return;
    }
    const one = waiting.shift();
    if (waiting.length === 0) worker.unref();
    if (message.kind === 'done') one?.resolve(message.result);
    else one?.reject(errorOf(message.failure, file));
  });
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      end(storeError('closed', file));
      resolve();
    });
  });

  const ask = async (request: Request) => {
    if (ended !== null) throw ended;
    const answer = reply();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
    worker.postMessage(request);
    return answer;
  };
  const close = async () => {
    if (ended === null) {
      const closed = ask({ kind: 'close' });
      ended = storeError('closed', file);
      await closed;
      worker.ref();
    }
    await exited;
  };
  const onOutsideChange = (listener: () => void) => {
    const entry = () => listener();
    listeners.add(entry);
    return () => void listeners.delete(entry);
  };

  try {
    await reply();
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return { ask, onOutsideChange, close };
}
