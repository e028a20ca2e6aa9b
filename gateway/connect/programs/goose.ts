import { join } from 'node:path';
import type { ConnectableProgram, SettingsLayer, UserPlace } from '../program.ts';
import { assumedContextWindow, fieldsOf, layersOf, modelsOf } from './fields.ts';
import { configHome, roamingAppData } from './user-folders.ts';

const PROVIDER = 'custom_gatehouse';

/** Goose: https://block.github.io/goose/docs/guides/config-files and `declarative_providers.rs` of its source */
export const goose: ConnectableProgram = {
  id: 'goose',
  name: 'Goose',
  checked: 'documented',
  protocol: 'chat',
  commands: ['goose'],
  traces: (place) => [folder(place)],
  files: (place, values) => [
    {
      path: join(folder(place), 'custom_providers', `${PROVIDER}.json`),
      format: 'json',
      fields: fieldsOf([], {
        name: PROVIDER,
        engine: 'openai',
        display_name: 'Gatehouse',
        description: 'Gatehouse on this machine',
        base_url: `${values.v1}/chat/completions`,
        // It keeps keys in the keychain, and headers in this file.
        requires_auth: false,
        headers: { Authorization: `Bearer ${values.key}` },
        models: modelsOf(values).map((model) => ({
          name: model.id,
          context_limit: assumedContextWindow(model),
        })),
        fast_model: values.smallModel.id,
      }),
    },
    {
      path: join(folder(place), 'config.yaml'),
      format: 'yaml',
      fields: fieldsOf([], { GOOSE_PROVIDER: PROVIDER, GOOSE_MODEL: values.model.id }),
    },
  ],
  layers,
  start: ({ root, key, model }) => ({
    environment: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: model.id,
      OPENAI_HOST: root,
      OPENAI_BASE_PATH: 'v1/chat/completions',
      OPENAI_API_KEY: key,
    },
    args: [],
  }),
  notes: () => [
    'Start Goose again; its settings list Gatehouse among the providers.',
    'The variables GOOSE_PROVIDER and GOOSE_MODEL of the shell win over config.yaml.',
  ],
};

function folder(place: UserPlace): string {
  return place.platform === 'win32'
    ? join(roamingAppData(place), 'Block', 'goose', 'config')
    : join(configHome(place), 'goose');
}

/** Its documentation has the variables of the shell over config.yaml. */
function layers(place: UserPlace): readonly SettingsLayer[] {
  const chosen = [
    { decides: 'provider', path: ['GOOSE_PROVIDER'], ours: new RegExp(`^${PROVIDER}$`, 'u') },
  ] as const;
  const provider = [
    { decides: 'address', path: ['base_url'] },
    { decides: 'key', path: ['headers', 'Authorization'] },
  ] as const;
  return [
    ...layersOf('json', provider, [join(folder(place), 'custom_providers', `${PROVIDER}.json`)]),
    ...layersOf('yaml', chosen, [join(folder(place), 'config.yaml')]),
    { file: null, settings: chosen },
  ];
}
