import { spawnSync } from 'node:child_process';

/**
 * Arguments that run a command in its own pid namespace, as in a container: its pid means nothing to other processes, and it sees none
 * of theirs. The command is killed together with this process.
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

/** Returns whether such a namespace can be created here. */
export const CAN_UNSHARE =
  process.platform === 'linux' &&
  spawnSync(UNSHARE[0] ?? '', [...UNSHARE.slice(1), 'true']).status === 0;
