import { join } from 'node:path';
import type { ConnectableProgram, UserPlace } from '../program.ts';
import { fieldsOf } from './fields.ts';

const ENTRY = ['models', { where: 'name', is: 'Gatehouse' }] as const;

/** Continue: https://docs.continue.dev/reference. Tried with the CLI 1.5.47; the extensions read the same file. */
export const continueDev: ConnectableProgram = {
  id: 'continue',
  name: 'Continue',
  checked: 'tried',
  protocol: 'chat',
  commands: ['cn'],
  traces: (place) => [folder(place)],
  files: (place, { v1, key, model }) => [
    {
      path: join(folder(place), 'config.yaml'),
      format: 'yaml',
      // It refuses a file without them.
      companions: fieldsOf([], { name: 'Gatehouse', version: '1.0.0', schema: 'v1' }),
      fields: [
        ...fieldsOf(ENTRY, {
          provider: 'openai',
          model: model.id,
          apiBase: v1,
          apiKey: key,
          capabilities: ['tool_use', ...(model.acceptsImages ? ['image_input'] : [])],
        }),
        ...fieldsOf([...ENTRY, 'defaultCompletionOptions'], {
          contextLength: model.contextWindow ?? undefined,
          maxTokens: model.maxOutput ?? undefined,
        }),
      ],
    },
  ],
  notes: () => [
    'Choose “Gatehouse” in the list of models, in the CLI with /model: if the file has other models, Continue starts with the first one.',
    'An older config.json beside config.yaml is not read.',
  ],
};

function folder({ home, environment }: UserPlace): string {
  return environment['CONTINUE_GLOBAL_DIR'] || join(home, '.continue');
}
