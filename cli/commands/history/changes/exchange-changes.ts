import { join } from 'node:path';
import { createBodiesFile } from '../../../../gateway/bodies/change-file.ts';
import {
  createExchangeChanges,
  type ExchangeChanges,
  type ExchangeChangesDeps,
} from '../../../../gateway/engine/exchanges/exchange-changes.ts';
import { acquireLock } from '../../../../host/lock/instance-lock.ts';
import type { CommandContext } from '../../../command-context.ts';
import { type RunningEngine, withEngine } from '../../../engine-client.ts';
import { type CommandRepositories, withHistory } from '../../../with-repositories.ts';

export interface ChangesSource {
  readonly repositories: CommandRepositories;
  /** The data folder as it was given. */
  readonly data: string | undefined;
}

/** Changes stored exchanges: in the Gatehouse that runs on the data folder, or here when none runs. None can start meanwhile. */
export async function withExchangeChanges<Value>(
  context: CommandContext,
  { repositories, data }: ChangesSource,
  work: (changes: ExchangeChanges) => Promise<Value>,
): Promise<Value> {
  const { dataDir } = repositories.host;
  const lock = await acquireLock(dataDir);
  if (!('release' in lock)) {
    return await withEngine(context, data, async ({ calls }) => await work(toChanges(calls)));
  }
  try {
    return await withHistory(repositories, async (history) => {
      const bodies = createBodiesFile(join(dataDir, 'bodies.db'));
      const { log } = repositories.host;
      return await work(createExchangeChanges({ history, bodies, log, ...NO_ENGINE }));
    });
  } finally {
    lock.release();
  }
}

/** The part of a running Gatehouse while none runs: it has no exchanges in flight, and no window. */
const NO_ENGINE: Pick<ExchangeChangesDeps, 'running' | 'onChange'> = {
  running: {
    isRunning: () => false,
    listRunningOf: () => Promise.resolve([]),
    whenEnded: () => Promise.resolve(),
  },
  onChange: () => undefined,
};

function toChanges({ history }: RunningEngine['calls']): ExchangeChanges {
  return {
    markExchange: (id, change) => history.mark({ id, change }),
    pinRun: (id, pinned) => history.pinRun({ id, pinned }),
    deleteExchange: async (id) => {
      await history.delete({ id });
    },
    deleteRun: (id) => history.deleteRun({ id }),
  };
}
