import { Mutex } from 'async-mutex';
import type { Aliases } from '../aliases/aliases.ts';

/**
 * Creates the function that uses a profile of aliases (`null`: none), and before it the upstream that the profile names. When the
 * upstream cannot be used, nothing changes. Calls wait for each other, so that the upstream in use is that of the profile in use.
 */
export function createProfileSwitch(
  aliases: Aliases,
  useUpstream: (id: string) => Promise<void>,
): (name: string | null) => Promise<void> {
  const mutex = new Mutex();
  return (name) =>
    mutex.runExclusive(async () => {
      const upstreamId = name === null ? null : aliases.findProfile(name).upstreamId;
      if (upstreamId !== null) await useUpstream(upstreamId);
      await aliases.use(name);
    });
}
