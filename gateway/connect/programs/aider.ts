import { join } from 'node:path';
import type { ConnectableProgram, SettingsLayer, StartPlace } from '../program.ts';
import { fieldsOf, layersOf } from './fields.ts';
import { projectFolders } from './user-folders.ts';

/** Aider: https://aider.chat/docs/config/aider_conf.html and https://aider.chat/docs/llms/openai-compat.html */
export const aider: ConnectableProgram = {
  id: 'aider',
  name: 'Aider',
  checked: 'documented',
  protocol: 'chat',
  commands: ['aider'],
  traces: ({ home }) => [join(home, '.aider.conf.yml'), join(home, '.aider')],
  files: ({ home }, { v1, key, model, smallModel }) => [
    {
      path: join(home, '.aider.conf.yml'),
      format: 'yaml',
      fields: fieldsOf([], {
        // The prefix is Aider’s word for the protocol; it is no part of the model’s name.
        model: `openai/${model.id}`,
        'weak-model': `openai/${smallModel.id}`,
        'openai-api-base': v1,
        'openai-api-key': key,
      }),
    },
  ],
  layers,
  // These win over its files.
  start: ({ v1, key, model, smallModel }) => ({
    environment: {
      AIDER_MODEL: `openai/${model.id}`,
      AIDER_WEAK_MODEL: `openai/${smallModel.id}`,
      AIDER_OPENAI_API_BASE: v1,
      AIDER_OPENAI_API_KEY: key,
    },
    args: [],
  }),
  notes: () => [
    'Start Aider again.',
    'An .aider.conf.yml or .env in a repository wins over this file, and so do variables that begin with AIDER_.',
  ],
};

/**
 * Its documentation of both files has this order: those of the home folder, of the repository, of the folder that it is started in. A variable
 * that begins with AIDER_ wins over .aider.conf.yml, and a .env file over the shell. OPENAI_API_BASE counts only where
 * none of them has an address.
 */
function layers(place: StartPlace): readonly SettingsLayer[] {
  const [repository, ...inner] = projectFolders(place);
  const folders = [place.home, ...[repository, inner.at(-1)].filter((one) => one !== undefined)];
  const prefixed = {
    address: 'AIDER_OPENAI_API_BASE',
    key: 'AIDER_OPENAI_API_KEY',
    model: 'AIDER_MODEL',
  };
  const named = { address: 'openai-api-base', key: 'openai-api-key', model: 'model' };
  const settingsOf = ({ address, key, model }: typeof named) =>
    [
      { decides: 'provider', path: [model], ours: /^openai\//u },
      { decides: 'address', path: [address] },
      { decides: 'key', path: [key] },
    ] as const;
  const weak = [
    { decides: 'address', path: ['OPENAI_API_BASE'] },
    { decides: 'key', path: ['OPENAI_API_KEY'] },
  ] as const;
  const at = (name: string) => folders.map((one) => join(one, name));
  return [
    { file: null, settings: weak },
    ...layersOf('yaml', settingsOf(named), at('.aider.conf.yml')),
    { file: null, settings: settingsOf(prefixed) },
    ...layersOf('env', settingsOf(prefixed), at('.env')),
  ];
}
