import { homedir } from 'node:os';
import type { UserPlace } from '../gateway/connect/connect.ts';

/** Returns the account of the person who runs this process, by its environment. */
export function findUserPlace(environment: NodeJS.ProcessEnv): UserPlace {
  const home = environment['HOME'] || environment['USERPROFILE'] || homedir();
  return { home, environment, platform: process.platform };
}
