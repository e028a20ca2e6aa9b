import type { Status } from './status.ts';

/** The reason why requests are not answered; `running`: there is none. */
export type ServiceState =
  | 'paused'
  | 'keyless'
  | 'key-refused'
  | 'unreachable'
  | 'limited'
  | 'running';

/** Returns the most important of several reasons. */
export function toServiceState({
  paused,
  key,
  keyRefusedAt,
  reach,
  limitedAt,
}: Status): ServiceState {
  if (paused) return 'paused';
  if (key.name === 'missing' || key.name === 'locked' || key.name === 'unavailable') {
    return 'keyless';
  }
  if (keyRefusedAt !== null) return 'key-refused';
  if (reach.state === 'unreachable') return 'unreachable';
  return limitedAt === null ? 'running' : 'limited';
}
