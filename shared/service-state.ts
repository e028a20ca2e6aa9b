import type { Status } from './status.ts';

/** What keeps requests from being answered; `running`: nothing does. */
export type ServiceState =
  | 'paused'
  | 'keyless'
  | 'key-refused'
  | 'unreachable'
  | 'limited'
  | 'running';

/** Of several things that stand in the way, the one that a person has to see to first. */
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
