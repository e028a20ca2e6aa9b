import { join } from 'node:path';
import type {
  ConnectableProgram,
  ConnectValues,
  DecidingSetting,
  SettingsLayer,
  UserPlace,
} from '../program.ts';
import { describeSessions } from './codex-sessions.ts';
import { fieldsOf, layersOf } from './fields.ts';
import { listFiles } from './user-folders.ts';

const KEY = 'GATEHOUSE_CODEX_KEY';

/** Codex: https://developers.openai.com/codex/config-reference. Tried with 0.169.0. A file of a project cannot set a provider. */
export const codex: ConnectableProgram = {
  id: 'codex',
  name: 'Codex',
  checked: 'tried',
  protocol: 'responses',
  commands: ['codex'],
  traces: (place) => [folder(place)],
  files: (place, values) => [
    {
      path: join(folder(place), 'config.toml'),
      format: 'toml',
      fields: [
        ...fieldsOf([], general(values)),
        ...fieldsOf(['model_providers', 'gatehouse'], {
          ...provider(values),
          experimental_bearer_token: values.key,
        }),
      ],
    },
  ],
  layers,
  start: (values) => ({
    environment: { [KEY]: values.key },
    args: toArguments({
      ...general(values),
      ...prefixed('model_providers.gatehouse.', { ...provider(values), env_key: KEY }),
    }),
  }),
  notes: () => [
    'Start Codex again: it reads the file only when it starts.',
    'An env_key in [model_providers.gatehouse] wins over the key in the file: delete such a line.',
    'A profile that you choose with --profile wins over these settings.',
    'Codex resumes a session only with the provider that it was made with. After undoing, this continues those that are made from now on: gatehouse run -- codex resume',
  ],
  undoNotes: async (place) => await describeSessions(folder(place)),
};

function folder({ home, environment }: UserPlace): string {
  return environment['CODEX_HOME'] || join(home, '.codex');
}

/**
 * Tried with the program on Linux: the file of the organisation wins, then that of a profile that is chosen, those of the user and of the
 * system. Files of a project set no provider; `OPENAI_BASE_URL` and the key in `auth.json` count for its own provider only.
 */
function layers(place: UserPlace): readonly SettingsLayer[] {
  const [system, managed] =
    place.platform === 'win32'
      ? [[], join(folder(place), 'managed_config.toml')]
      : [['/etc/codex/config.toml'], '/etc/codex/managed_config.toml'];
  const gatehouse = ['model_providers', 'gatehouse'];
  const settings: readonly DecidingSetting[] = [
    { decides: 'provider', path: ['model_provider'], ours: /^gatehouse$/u },
    { decides: 'address', path: [...gatehouse, 'base_url'] },
    { decides: 'key', path: [...gatehouse, 'env_key'], isVariable: true },
    { decides: 'key', path: [...gatehouse, 'experimental_bearer_token'] },
  ];
  return [
    ...layersOf('toml', settings, [...system, join(folder(place), 'config.toml')]),
    // `--profile NAME` reads NAME.config.toml.
    ...layersOf('toml', settings, listFiles(folder(place), '.config.toml')).map((layer) => ({
      ...layer,
      isChosen: true,
    })),
    ...layersOf('toml', settings, [managed]),
  ];
}

function general({ model }: ConnectValues) {
  return {
    model: model.id,
    model_provider: 'gatehouse',
    ...(model.contextWindow === null ? {} : { model_context_window: model.contextWindow }),
  };
}

/** Without WebSockets: it tries them for seven seconds where they are not answered. */
function provider({ v1 }: ConnectValues) {
  return { name: 'Gatehouse', base_url: v1, wire_api: 'responses', supports_websockets: false };
}

type Settings = Readonly<Record<string, string | number | boolean>>;

function prefixed(prefix: string, settings: Settings): Settings {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [prefix + name, value]),
  );
}

/** The values are TOML, in which strings may be quoted as in JSON. */
function toArguments(settings: Settings): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => [
    '-c',
    `${name}=${JSON.stringify(value)}`,
  ]);
}
