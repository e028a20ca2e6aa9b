import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { ConfigValue } from '../edit/config-format.ts';
import type {
  ConnectableProgram,
  ConnectValues,
  DecidingSetting,
  KnownModel,
  SettingsLayer,
  StartPlace,
  UserPlace,
} from '../program.ts';
import { fieldsOf, layersOf, modelsOf } from './fields.ts';
import { configHome, projectFolders } from './user-folders.ts';

/** opencode: https://opencode.ai/docs/config and https://opencode.ai/docs/providers. Tried with 1.18.33. */
export const opencode: ConnectableProgram = {
  id: 'opencode',
  name: 'opencode',
  checked: 'tried',
  protocol: 'chat',
  commands: ['opencode'],
  traces: (place) => [folder(place)],
  files: (place, values) => [
    {
      path: settingsPath(place),
      format: 'json',
      fields: [
        ...fieldsOf([], general(values)),
        ...fieldsOf(['provider', 'gatehouse'], provider()),
        ...fieldsOf(['provider', 'gatehouse', 'options'], options(values)),
        ...fieldsOf(['provider', 'gatehouse', 'models'], models(values)),
      ],
    },
  ],
  layers,
  start: (values) => ({
    environment: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        ...general(values),
        provider: {
          gatehouse: { ...provider(), options: options(values), models: models(values) },
        },
      }),
    },
    args: [],
  }),
  notes: () => [
    'Start opencode again.',
    'A model in the opencode.json of a project wins over these settings.',
  ],
};

function folder(place: UserPlace): string {
  return join(configHome(place), 'opencode');
}

/** It reads both files, and the one with comments wins. */
function settingsPath(place: UserPlace): string {
  const withComments = join(folder(place), 'opencode.jsonc');
  return existsSync(withComments) ? withComments : join(folder(place), 'opencode.json');
}

/**
 * Tried with the program on Linux, weakest first: the key of a sign-in, the files of the user, that of OPENCODE_CONFIG, those of the project
 * from its root inwards, the `.opencode` folders from inside outwards with that of the home folder last, OPENCODE_CONFIG_DIR,
 * OPENCODE_CONFIG_CONTENT, those of the organisation.
 */
function layers(place: StartPlace): readonly SettingsLayer[] {
  const { home, environment, platform } = place;
  const data = environment['XDG_DATA_HOME'] || join(home, '.local', 'share');
  const managed = platform === 'darwin' ? '/Library/Application Support/opencode' : '/etc/opencode';
  const named = (name: string) => [environment[name] ?? ''].filter((path) => isAbsolute(path));
  const project = projectFolders(place);
  const inside = [...new Set([...project.toReversed(), home])].map((at) => join(at, '.opencode'));
  const gatehouse = ['provider', 'gatehouse', 'options'];
  const settings: readonly DecidingSetting[] = [
    { decides: 'provider', path: ['model'], ours: /^gatehouse\//u },
    { decides: 'address', path: [...gatehouse, 'baseURL'] },
    { decides: 'key', path: [...gatehouse, 'apiKey'] },
  ];
  const signIn: DecidingSetting = { decides: 'key', path: ['gatehouse', 'key'] };
  return [
    ...layersOf('json', [signIn], [join(data, 'opencode', 'auth.json')]),
    ...layersOf('json', settings, [
      join(folder(place), 'config.json'),
      ...bothFiles(folder(place)),
      ...named('OPENCODE_CONFIG'),
      ...project.flatMap(bothFiles),
      ...[...inside, ...named('OPENCODE_CONFIG_DIR')].flatMap(bothFiles),
    ]),
    { file: null, variable: 'OPENCODE_CONFIG_CONTENT', settings },
    ...layersOf('json', settings, platform === 'win32' ? [] : bothFiles(managed)),
  ];
}

function bothFiles(at: string): readonly string[] {
  return [join(at, 'opencode.json'), join(at, 'opencode.jsonc')];
}

function general({ model, smallModel }: ConnectValues) {
  return { model: `gatehouse/${model.id}`, small_model: `gatehouse/${smallModel.id}` };
}

function provider() {
  return { npm: '@ai-sdk/openai-compatible', name: 'Gatehouse' };
}

function options({ v1, key }: ConnectValues) {
  return { baseURL: v1, apiKey: key };
}

function models(values: ConnectValues): Record<string, ConfigValue> {
  return Object.fromEntries(modelsOf(values).map((model) => [model.id, describe(model)]));
}

/** It refuses a limit with one of the two numbers. */
function describe({ id, contextWindow, maxOutput, acceptsImages }: KnownModel): ConfigValue {
  return {
    name: id,
    ...(contextWindow === null || maxOutput === null
      ? {}
      : { limit: { context: contextWindow, output: maxOutput } }),
    ...(acceptsImages ? { modalities: { input: ['text', 'image'], output: ['text'] } } : {}),
  };
}
