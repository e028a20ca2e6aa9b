import { join } from 'node:path';
import type { ConnectableProgram, UserPlace } from '../program.ts';
import { fieldsOf, modelsOf } from './fields.ts';
import { configHome } from './user-folders.ts';

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
  notes: () => [
    'Start Crush again. A model that was chosen in Crush before stays chosen: choose that of Gatehouse in its list of models.',
    'Settings in a crushrc win over those in crush.json.',
  ],
};

function folder(place: UserPlace): string {
  return place.environment['CRUSH_GLOBAL_CONFIG'] || join(configHome(place), 'crush');
}
