import { join } from 'node:path';
import type { ConnectableProgram, UserPlace } from '../program.ts';
import { fieldsOf, layersOf } from './fields.ts';

const PROVIDER = 'openai-compatible';
const ENTRY = ['providers', PROVIDER] as const;

/** The CLI of Cline, whose file is that which `cline auth` writes. Tried with 3.0.65. */
export const cline: ConnectableProgram = {
  id: 'cline',
  name: 'Cline (CLI)',
  checked: 'tried',
  protocol: 'chat',
  commands: ['cline'],
  traces: (place) => [dataFolder(place)],
  files: (place, { v1, key, model }) => [
    {
      path: settingsPath(place),
      format: 'json',
      // Cline deletes all providers of a file in which one of them is missing. It sets the time whenever it runs.
      companions: [
        ...fieldsOf([], { version: 1 }),
        ...fieldsOf(ENTRY, { updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' }),
      ],
      fields: [
        ...fieldsOf([], { lastUsedProvider: PROVIDER }),
        ...fieldsOf([...ENTRY, 'settings'], {
          provider: PROVIDER,
          apiKey: key,
          model: model.id,
          baseUrl: v1,
        }),
      ],
    },
  ],
  layers: (place) =>
    layersOf(
      'json',
      [
        { decides: 'provider', path: ['lastUsedProvider'], ours: new RegExp(`^${PROVIDER}$`, 'u') },
        { decides: 'address', path: [...ENTRY, 'settings', 'baseUrl'] },
        { decides: 'key', path: [...ENTRY, 'settings', 'apiKey'] },
      ],
      [settingsPath(place)],
    ),
  notes: () => [
    'Start Cline again. It has one place for OpenAI-compatible services, which Gatehouse takes now.',
    'The extensions of Cline keep their own settings: enter the address and the key there under “OpenAI Compatible”.',
  ],
};

function dataFolder({ home, environment }: UserPlace): string {
  return (
    environment['CLINE_DATA_DIR'] || join(environment['CLINE_DIR'] || join(home, '.cline'), 'data')
  );
}

function settingsPath(place: UserPlace): string {
  return (
    place.environment['CLINE_PROVIDER_SETTINGS_PATH'] ||
    join(dataFolder(place), 'settings', 'providers.json')
  );
}
