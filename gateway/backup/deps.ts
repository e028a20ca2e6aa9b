import type { Host } from '../host.ts';

/** Dependencies of copies and repairs of databases. */
export type BackupDeps = Pick<Host, 'dataDir' | 'now' | 'log' | 'command'>;
