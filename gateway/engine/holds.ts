import { Problem } from '../../shared/problem.ts';
import { Holds } from '../holds/holds.ts';
import type { Emitter } from '../lib/emitter.ts';
import type { Repositories } from '../repositories.ts';
import type { ChangedTopic } from './live-event-broadcaster.ts';
import type { PauseState } from './pause-state.ts';

/** Opens what lets requests wait for a person. They end with a pause, and those of a client when its key is revoked. */
export function openHolds(
  { host: { now, log }, clients }: Pick<Repositories, 'host' | 'clients'>,
  { pause, changes }: { readonly pause: PauseState; readonly changes: Emitter<ChangedTopic> },
  closing: AsyncDisposableStack,
): Holds {
  const holds = new Holds(now);
  const forgetRevoked = async (): Promise<void> => {
    const { next, held } = holds.list();
    if (next.length + held.length === 0) return;
    // A client that is added meanwhile may not be in the list that is read.
    const known = new Set<string>([...next, ...held].map(({ clientId }) => clientId));
    const all = await clients.list('services', true);
    const active = new Set(all.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id));
    holds.forget((id) => known.has(id) && !active.has(id), revokedProblem);
  };
  closing.defer(holds.on(() => changes.emit('holds')));
  closing.defer(
    clients.on(() => {
      forgetRevoked().catch((error: unknown) =>
        log('warn', `Clients could not be read for the requests that wait: ${String(error)}`),
      );
    }),
  );
  closing.defer(
    changes.on((topic) => {
      if (topic === 'status' && pause.paused) holds.refuseAll(pause.problem);
    }),
  );
  return holds;
}

function revokedProblem(): Problem {
  return new Problem(
    'invalid_local_key',
    'The local key of this client was revoked while its request waited for a person. Nothing was sent.',
  );
}
