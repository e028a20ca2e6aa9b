import { join } from 'node:path';
import type { ConnectableProgram, SettingsLayer, StartPlace, UserPlace } from '../program.ts';
import { fieldsOf, layersOf, modelsOf } from './fields.ts';
import { configHome, projectFolders } from './user-folders.ts';

const PROVIDER = ['providers', 'gatehouse'] as const;

/** Crush: https://github.com/charmbracelet/crush, README.md and schema.json */
export const crush: ConnectableProgram = {
  id: 'crush',
  name: 'Crush',
  checked: 'documented',
  protocol: 'chat',
  commands: ['crush'],
  traces: (place) => [folder(place)],
  files: (place, values) => [
    {
      path: join(folder(place), 'crush.json'),
      format: 'json',
      fields: [
        ...fieldsOf(PROVIDER, {
          name: 'Gatehouse',
          type: 'openai-compat',
          base_url: values.v1,
          api_key: values.key,
        }),
        ...modelsOf(values).flatMap(({ id, contextWindow, maxOutput, acceptsImages }) =>
          fieldsOf([...PROVIDER, 'models', { where: 'id', is: id }], {
            name: id,
            context_window: contextWindow ?? undefined,
            default_max_tokens: maxOutput ?? undefined,
            supports_attachments: acceptsImages,
          }),
        ),
        ...fieldsOf(['models', 'large'], { provider: 'gatehouse', model: values.model.id }),
        ...fieldsOf(['models', 'small'], { provider: 'gatehouse', model: values.smallModel.id }),
      ],
    },
  ],
  layers,
  notes: () => [
    'Start Crush again. A model that was chosen in Crush before stays chosen: choose that of Gatehouse in its list of models.',
    'Settings in a crushrc win over those in crush.json.',
  ],
};

function folder(place: UserPlace): string {
  return place.environment['CRUSH_GLOBAL_CONFIG'] || join(configHome(place), 'crush');
}

/** Its README has this order: the file of the user, what was chosen in Crush, the files of the project. A crushrc, which is a script, is not read. */
function layers(place: StartPlace): readonly SettingsLayer[] {
  const { home, environment, platform } = place;
  const data = environment['XDG_DATA_HOME'] || join(home, '.local', 'share');
  const chosen = environment['CRUSH_GLOBAL_DATA'] || join(data, 'crush');
  return layersOf(
    'json',
    [
      { decides: 'provider', path: ['models', 'large', 'provider'], ours: /^gatehouse$/u },
      { decides: 'address', path: [...PROVIDER, 'base_url'] },
      { decides: 'key', path: [...PROVIDER, 'api_key'] },
    ],
    [
      join(folder(place), 'crush.json'),
      ...(platform === 'win32' ? [] : [join(chosen, 'crush.json')]),
      ...projectFolders(place).flatMap((at) => [join(at, 'crush.json'), join(at, '.crush.json')]),
    ],
  );
}
