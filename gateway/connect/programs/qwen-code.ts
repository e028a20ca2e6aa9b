import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigField } from '../edit/config-format.ts';
import type {
  ConnectableProgram,
  ConnectValues,
  DecidingSetting,
  KnownModel,
  SettingsLayer,
  StartPlace,
} from '../program.ts';
import { fieldsOf, layersOf, modelsOf } from './fields.ts';
import { projectFolders } from './user-folders.ts';

const KEY = 'GATEHOUSE_QWEN_KEY';
/** The output that it asks for unless it is told a limit. */
const DEFAULT_OUTPUT = 32_000;

/** Qwen Code: https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings/. Tried with 0.24.4. */
export const qwenCode: ConnectableProgram = {
  id: 'qwen-code',
  name: 'Qwen Code',
  checked: 'tried',
  protocol: 'chat',
  commands: ['qwen'],
  traces: ({ home }) => [join(home, '.qwen')],
  files: ({ home }, values) => [
    {
      path: join(home, '.qwen', 'settings.json'),
      format: 'json',
      fields: [
        ...modelsOf(values).flatMap((model) => modelFields(model, values)),
        ...fieldsOf(['env'], { [KEY]: values.key }),
        ...fieldsOf(['security', 'auth'], { selectedType: 'openai' }),
        ...fieldsOf(['model'], { name: values.model.id }),
        ...fieldsOf([], { fastModel: values.smallModel.id }),
      ],
    },
  ],
  layers,
  // A model that the settings describe is used with their address, and with the key in their variable.
  start: ({ v1, key, model }) => ({
    environment: { OPENAI_BASE_URL: v1, OPENAI_API_KEY: key, [KEY]: key },
    args: ['--auth-type', 'openai', '--model', model.id],
  }),
  notes: () => [
    'Start Qwen Code again; /model lists its models.',
    `A variable ${KEY} in the shell or in the .env of a project wins over the key in the file.`,
  ],
};

function modelFields(model: KnownModel, { v1 }: ConnectValues): readonly ConfigField[] {
  const { id, contextWindow, maxOutput, acceptsImages } = model;
  const entry = ['modelProviders', 'openai', { where: 'id', is: id }] as const;
  return [
    ...fieldsOf(entry, { name: `${id} (Gatehouse)`, baseUrl: v1, envKey: KEY }),
    ...fieldsOf([...entry, 'generationConfig'], {
      contextWindowSize: contextWindow ?? undefined,
      modalities: acceptsImages ? { image: true } : undefined,
      samplingParams:
        maxOutput === null || maxOutput >= DEFAULT_OUTPUT ? undefined : { max_tokens: maxOutput },
    }),
  ];
}

/**
 * Tried with the program on Linux, weakest first: the defaults of the system, the settings of the user, of the folder and of the system, then
 * the key of the first `.env` that is found, and that of the shell. `OPENAI_BASE_URL` does not count for a model that the settings describe.
 */
function layers(place: StartPlace, { model }: ConnectValues): readonly SettingsLayer[] {
  const { home, folder } = place;
  const system = systemFolder(place);
  const project = folder === null ? [] : [join(folder, '.qwen', 'settings.json')];
  const env = [...projectFolders(place).toReversed(), home]
    .flatMap((at) => [join(at, '.qwen', '.env'), join(at, '.env')])
    .find((path) => existsSync(path));
  const key: readonly DecidingSetting[] = [{ decides: 'key', path: [KEY] }];
  return [
    ...layersOf(
      'json',
      [
        { decides: 'provider', path: ['security', 'auth', 'selectedType'], ours: /^openai$/u },
        {
          decides: 'address',
          path: ['modelProviders', 'openai', { where: 'id', is: model.id }, 'baseUrl'],
        },
        { decides: 'key', path: ['env', KEY] },
      ],
      [
        join(system, 'system-defaults.json'),
        join(home, '.qwen', 'settings.json'),
        ...project,
        join(system, 'settings.json'),
      ],
    ),
    ...layersOf('env', key, env === undefined ? [] : [env]),
    { file: null, settings: key },
  ];
}

function systemFolder({ platform }: StartPlace): string {
  if (platform === 'win32') return String.raw`C:\ProgramData\qwen-code`;
  return platform === 'darwin' ? '/Library/Application Support/QwenCode' : '/etc/qwen-code';
}
