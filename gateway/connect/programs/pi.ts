import { join } from 'node:path';
import type { ConnectableProgram, SettingsLayer, StartPlace, UserPlace } from '../program.ts';
import { fieldsOf, layersOf, modelsOf } from './fields.ts';

const PROVIDER = ['providers', 'gatehouse'] as const;

/** pi: https://github.com/earendil-works/pi, docs/models.md and docs/settings.md. Tried with 1.3.0. */
export const pi: ConnectableProgram = {
  id: 'pi',
  name: 'pi',
  checked: 'tried',
  protocol: 'chat',
  commands: ['pi'],
  traces: (place) => [folder(place)],
  files: (place, values) => [
    {
      path: join(folder(place), 'models.json'),
      format: 'json',
      fields: [
        ...fieldsOf(PROVIDER, {
          baseUrl: values.v1,
          api: 'openai-completions',
          apiKey: values.key,
        }),
        ...modelsOf(values).flatMap(({ id, contextWindow, maxOutput, acceptsImages }) =>
          fieldsOf([...PROVIDER, 'models', { where: 'id', is: id }], {
            name: id,
            contextWindow: contextWindow ?? undefined,
            maxTokens: maxOutput ?? undefined,
            input: acceptsImages ? ['text', 'image'] : undefined,
          }),
        ),
      ],
    },
    {
      path: join(folder(place), 'settings.json'),
      format: 'json',
      fields: fieldsOf([], { defaultProvider: 'gatehouse', defaultModel: values.model.id }),
    },
  ],
  layers,
  notes: () => ['Start pi again; /model lists its models.'],
};

function folder({ home, environment }: UserPlace): string {
  return environment['PI_CODING_AGENT_DIR'] || join(home, '.pi', 'agent');
}

/** Its docs/settings.md has the settings of a project over those of the user. */
function layers(place: StartPlace): readonly SettingsLayer[] {
  const project = place.folder === null ? [] : [join(place.folder, '.pi', 'settings.json')];
  const provider = [
    { decides: 'address', path: [...PROVIDER, 'baseUrl'] },
    { decides: 'key', path: [...PROVIDER, 'apiKey'] },
  ] as const;
  const chosen = [
    { decides: 'provider', path: ['defaultProvider'], ours: /^gatehouse$/u },
  ] as const;
  return [
    ...layersOf('json', provider, [join(folder(place), 'models.json')]),
    ...layersOf('json', chosen, [join(folder(place), 'settings.json'), ...project]),
  ];
}
