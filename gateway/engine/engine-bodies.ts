import { join } from 'node:path';
import { Bodies } from '../bodies/bodies.ts';
import type { History } from '../history/history.ts';
import type { Runaways } from '../runaway/runaway.ts';
import type { KeyRing } from '../upstreams/key-ring.ts';
import type { Repositories } from '../repositories.ts';

const DAY_MS = 86_400_000;
const MIB = 2 ** 20;

export interface EngineBodiesOptions {
  readonly ring: Pick<KeyRing, 'secrets'>;
  readonly history: Pick<History, 'findExisting' | 'listPinned' | 'setSteps'>;
  readonly repositories: Repositories;
  readonly runaways: Pick<Runaways, 'take'>;
}

/** Opens the bodies of a data folder. Their database is opened with the first body. */
export function openBodies({ ring, history, repositories, runaways }: EngineBodiesOptions): Bodies {
  const { host, settings, clients, clock } = repositories;
  return new Bodies({
    file: join(host.dataDir, 'bodies.db'),
    log: host.log,
    secrets: () => ({ serviceKeys: ring.secrets(), localKeys: clients.secrets() }),
    isKept: (client) => {
      const { keepBodiesDays } = settings.current();
      const own = client === null ? undefined : clients.keepBodies().get(client);
      return (own ?? keepBodiesDays) > 0;
    },
    limits: () => {
      const { keepBodiesDays, keepDays, bodiesMiB } = settings.current();
      const own = [...clients.keepBodies()];
      if (keepBodiesDays === 0 && own.every(([, days]) => days === 0)) return null;
      const now = clock.now();
      const toLimit = (days: number) => ({
        before: now - Math.min(days, keepDays) * DAY_MS,
        none: days === 0,
      });
      return {
        ...toLimit(keepBodiesDays),
        bytes: bodiesMiB * MIB,
        clients: own.map(([client, days]) => ({ client, ...toLimit(days) })),
      };
    },
    findKnown: (ids) => history.findExisting(ids),
    findPinned: () => history.listPinned(),
    onSteps: (steps) => runaways.take(steps),
    onRecognised: (steps) => history.setSteps(steps),
  });
}
