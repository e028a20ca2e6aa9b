import { once } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../../errors.ts';
import type { History } from '../../history/history.ts';
import { readSample } from '../read-sample.ts';
import { checkColumns } from '../check-columns.ts';
import { reconcile } from '../compare-export.ts';
import type { JobResults, ReconcileJob, RowBatch, ThreadMessage } from './protocol.ts';

/** Gives the exchanges that the main thread reads, one batch at a time. */
function createHistory(port: MessagePort): Pick<History, 'usageRows'> {
  const tell = (message: ThreadMessage) => port.postMessage(message);
  return {
    async *usageRows(query) {
      tell({ kind: 'read', query });
      for (;;) {
        const reply = once(port, 'message');
        tell({ kind: 'next' });
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: the main thread made it
        const [batch] = (await reply) as [RowBatch];
        if (batch === null) return;
        yield batch;
      }
    },
  };
}

async function run(job: ReconcileJob, port: MessagePort): Promise<JobResults[keyof JobResults]> {
  if (job.kind === 'sample') return await readSample(job.file);
  const { file, columns } = job.query;
  checkColumns(columns, await readSample(file));
  return await reconcile(createHistory(port), job.query);
}

async function answer(job: ReconcileJob, port: MessagePort): Promise<ThreadMessage> {
  try {
    return { kind: 'done', result: await run(job, port) };
  } catch (error) {
    if (error instanceof UserError) return { kind: 'refused', message: error.message };
    return { kind: 'failed', reason: error instanceof Error ? String(error.stack) : String(error) };
  }
}

/** Does the one job of this thread. */
async function serve(port: MessagePort): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: the main thread made it
  port.postMessage(await answer(workerData as ReconcileJob, port));
}

if (parentPort !== null) void serve(parentPort);
