import { spawnSync } from 'node:child_process';

/**
 * Put before a command, it runs in a pid namespace of its own, as in a container: its pid says nothing to others, and it sees none of
 * theirs. It is killed together with this.
 */
export const UNSHARE: readonly string[] = [
  'unshare',
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--mount-proc',
  '--kill-child',
];

/** Whether such a namespace can be made here. */
export const CAN_UNSHARE =
  process.platform === 'linux' &&
  spawnSync(UNSHARE[0] ?? '', [...UNSHARE.slice(1), 'true']).status === 0;
