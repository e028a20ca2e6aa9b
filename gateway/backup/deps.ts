import type { Host } from '../host.ts';

/** What copies and repairs of databases need from their surroundings. */
export type BackupDeps = Pick<Host, 'dataDir' | 'now' | 'log' | 'command'>;
