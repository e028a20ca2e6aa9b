import { dirname } from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { isFull } from '../lib/disk.ts';
import { Emitter } from '../lib/emitter.ts';
import {
  toFailure,
  type OpenOptions,
  type OpenRequest,
  type WorkerReply,
  type WorkerRequest,
  type StatementResult,
} from './worker-protocol.ts';
import { DatabaseDamagedError, StoreError, type StoreErrorCode } from './store-error.ts';

/**
 * Limits the young objects of the thread. V8 lets them take far more under load, and a thread without requests does not give it
 * back.
 */
const MEMORY: ResourceLimits = { maxYoungGenerationSizeMb: 6 };

/** The worker thread that holds the database, as used by the main thread. */
export interface DatabaseWorker {
  /**
   * Sends a request; replies come in the order of requests. Rejects with SQLite's error, as a {@link StoreError} where a
   * person can act on it.
   */
  send(request: WorkerRequest): Promise<StatementResult>;
  readonly onExternalChange: (listener: () => void) => () => void;
  /** Closes the file and ends the thread. */
  close(): Promise<void>;
}

interface PendingRequest {
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: Error) => void;
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html) that a person can act on. */
const ERROR_CODES: ReadonlyMap<number, StoreErrorCode> = new Map([
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

function formatAdvice(code: Exclude<StoreErrorCode, 'corrupt'>, file: string): string {
  switch (code) {
    case 'newer':
      return `The database ${file} was written by a newer Gatehouse. Update Gatehouse, or choose another data folder.`;
    case 'unwritable':
      return `The database ${file} cannot be opened for writing. Check that the folder exists, that it belongs to you and that its disk is writable.`;
    case 'full':
      return isFull(dirname(file))
        ? `The disk with the database ${file} is full. Free some space; no stored data is lost.`
        : `The system refuses to write more of the database ${file}, although its disk has free space: a quota may be used up. Free some space; no stored data is lost.`;
    case 'busy':
      if (isFull(dirname(file))) {
        return `The disk with the database ${file} is full, so the running Gatehouse uses the database alone until there is space. Free some space, then try again.`;
      }
      return `The database ${file} is locked by another program. Close that program, then try again.`;
    case 'interrupted':
      return `A change of the database ${file} was interrupted, and must be rolled back before it can be read. Start Gatehouse, which rolls it back.`;
    case 'closed':
      return `The database ${file} is closed.`;
  }
}

/** Creates the error of this code for this file, with its message for people. */
export function createStoreError(
  code: Exclude<StoreErrorCode, 'corrupt'>,
  file: string,
  cause?: unknown,
): StoreError {
  return new StoreError(code, formatAdvice(code, file), { cause });
}

/** Converts SQLite's error for this file to a {@link StoreError} where a person can act on it. */
export function toStoreError(error: unknown, file: string): Error {
  const { message, errcode } = toFailure(error);
  const cause = error instanceof Error ? error : new Error(message);
  const code = errcode === null ? undefined : toErrorCode(errcode, file);
  if (code === undefined) return cause;
  if (code === 'corrupt') {
    const damage = { file, finding: 'it cannot be read as a database', detail: message };
    return new DatabaseDamagedError(damage, undefined, { cause });
  }
  return createStoreError(code, file, cause);
}

/** On a full disk neither the log nor the shared memory can be created, and SQLite reports that as another error. */
function toErrorCode(errcode: number, file: string): StoreErrorCode | undefined {
  const code = ERROR_CODES.get(errcode & 0xff);
  return code === 'unwritable' && isFull(dirname(file)) ? 'full' : code;
}

/** A thread that is ready to open a database. Starting it takes a while, in which the caller can do other work. */
export interface StartedWorker {
  /** Opens a file. It must be called once only. Rejects when that fails, and then ends the thread. */
  open(this: void, file: string, options: OpenOptions): Promise<DatabaseWorker>;
  /** Ends the thread; a file that it has open is not closed. */
  stop(this: void): Promise<void>;
}

/** Starts the thread of a database. It does not keep the process alive. */
export function startWorker(): StartedWorker {
  const name = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js';
  const worker = new Worker(new URL(name, import.meta.url), { resourceLimits: MEMORY });
  worker.unref();
  const pending: PendingRequest[] = [];
  const externalChanges = new Emitter();
  const onExternalChange = externalChanges.on.bind(externalChanges);
  let ended: Error | null = null;
  let file = '';

  const nextReply = () =>
    new Promise<StatementResult>((resolve, reject) => {
      pending.push({ resolve, reject });
      // Only pending requests keep the process alive: an idle store must not.
      worker.ref();
    });
  const end = (error: Error) => {
    ended ??= error;
    for (const one of pending.splice(0)) one.reject(ended);
  };
  worker.on('message', (message: WorkerReply) => {
    if (message.kind === 'changed-outside') return externalChanges.emit();
    const one = pending.shift();
    if (pending.length === 0) worker.unref();
    if (message.kind === 'done') one?.resolve(message.result);
    else one?.reject(toStoreError(message.failure, file));
  });
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  const exited = Promise.withResolvers<void>();
  worker.on('exit', () => {
    end(createStoreError('closed', file));
    exited.resolve();
  });

  const send = async (request: OpenRequest | WorkerRequest): Promise<StatementResult> => {
    if (ended !== null) throw ended;
    const answer = nextReply();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
    worker.postMessage(request);
    return answer;
  };
  const close = async () => {
    if (ended === null) {
      const closed = send({ kind: 'close' });
      ended = createStoreError('closed', file);
      await closed;
      worker.ref();
    }
    await exited.promise;
  };
  const stop = async () => void (await worker.terminate());
  const open = async (path: string, options: OpenOptions) => {
    file = path;
    try {
      await send({ kind: 'open', file, options });
    } catch (error) {
      await stop();
      throw error;
    }
    return { send, onExternalChange, close };
  };
  return { open, stop };
}
