import type { ProgramState } from '../../../shared/connect/connection.ts';

type ConnectedFile = NonNullable<ProgramState['connection']>['files'][number];

/** The states of a file of a connection, in words. */
export const FILE_STATES: Readonly<Record<ConnectedFile['state'], string>> = {
  'as-written': 'as Gatehouse wrote it',
  changed: 'changed since',
  gone: 'gone',
};

/** Describes the files of a connection by the worst of their states. */
export function describeFiles(files: readonly ConnectedFile[]): string {
  const states = new Set(files.map(({ state }) => state));
  if (states.has('gone')) return 'its settings are gone';
  return states.has('changed')
    ? 'its settings were changed since'
    : 'its settings are as Gatehouse wrote them';
}
