import { join } from 'node:path';
import type { ConnectableProgram } from '../program.ts';
import { assumedContextWindow, fieldsOf, modelsOf } from './fields.ts';

const PROVIDER = ['providers', { where: 'id', is: 'gatehouse' }] as const;

/** Raycast: its template of providers.yaml, as https://www.raycast.com/ernest0n/raycast-ai-custom-providers describes it */
export const raycast: ConnectableProgram = {
  id: 'raycast',
  name: 'Raycast',
  checked: 'documented',
  protocol: 'chat',
  commands: [],
  traces: ({ home, platform }) => [
    join(home, '.config', 'raycast'),
    ...(platform === 'darwin' ? ['/Applications/Raycast.app'] : []),
  ],
  files: ({ home }, values) => [
    {
      // It does not read XDG_CONFIG_HOME.
      path: join(home, '.config', 'raycast', 'ai', 'providers.yaml'),
      format: 'yaml',
      fields: [
        ...fieldsOf(PROVIDER, { name: 'Gatehouse', base_url: values.v1 }),
        ...fieldsOf([...PROVIDER, 'api_keys'], { gatehouse: values.key }),
        ...modelsOf(values).flatMap((model) =>
          fieldsOf([...PROVIDER, 'models', { where: 'id', is: model.id }], {
            name: model.id,
            provider: 'gatehouse',
            context: assumedContextWindow(model),
            abilities: {
              vision: { supported: model.acceptsImages },
              tools: { supported: true },
            },
          }),
        ),
      ],
    },
  ],
  notes: () => [
    'Choose the model in Raycast AI. Its settings, under AI, show whether custom providers are allowed.',
  ],
};
