import { Worker } from 'node:worker_threads';
import { UserError } from '../../errors.ts';
import type { History } from '../../history/history.ts';
import type { JobResults, ReconcileJob, RowBatch, ThreadMessage } from './protocol.ts';

/** Memory of the thread in MiB. Half a million rows take about half of it. */
const MEMORY_MIB = 1_024;

/** Runs a job in a thread of its own, so that a large file stops nothing else. An abort ends it. @throws UserError, StoreError */
export async function runJob<Kind extends keyof JobResults>(
  job: ReconcileJob & { readonly kind: Kind },
  history: Pick<History, 'usageRows'>,
  signal: AbortSignal,
): Promise<JobResults[Kind]> {
  signal.throwIfAborted();
  const name = import.meta.url.endsWith('.ts') ? './worker.ts' : './reconcile-worker.js';
  const worker = new Worker(new URL(name, import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<JobResults[keyof JobResults]>();
  const rows = new RowSource(history);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
  const send = (batch: RowBatch) => worker.postMessage(batch);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  worker.on('message', (message: ThreadMessage) => {
    switch (message.kind) {
      case 'read':
        return rows.open(message.query);
      case 'next':
        return void rows.next().then(send, reject);
      case 'done':
        return resolve(message.result);
      case 'refused':
        return reject(new UserError(message.message));
      case 'failed':
        return reject(new Error(message.reason));
    }
  });
  worker.on('error', (error) => reject(toMemoryError(error)));
  worker.on('exit', () => reject(new Error('The thread that compares an export has ended.')));
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: the thread answers as `JobResults` says
    return (await promise) as JobResults[Kind];
  } finally {
    signal.removeEventListener('abort', abort);
    await worker.terminate();
    await rows.close();
  }
}

/** Reads the exchanges that a thread asks for. */
class RowSource {
  readonly #history: Pick<History, 'usageRows'>;
  #rows: ReturnType<History['usageRows']> | null = null;

  constructor(history: Pick<History, 'usageRows'>) {
    this.#history = history;
  }

  open(query: Parameters<History['usageRows']>[0]): void {
    this.#rows = this.#history.usageRows(query);
  }

  async next(): Promise<RowBatch> {
    const { value } = (await this.#rows?.next()) ?? {};
    return value ?? null;
  }

  async close(): Promise<void> {
    await this.#rows?.return();
  }
}

function toMemoryError(error: unknown): unknown {
  const { code }: { readonly code?: unknown } = Object(error);
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  return new UserError('This file needs too much memory. Compare a shorter period.', null, {
    cause: error,
  });
}
