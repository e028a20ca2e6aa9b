import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigValue } from '../edit/config-format.ts';
import type { ConnectableProgram, ConnectValues, KnownModel, UserPlace } from '../program.ts';
import { fieldsOf, modelsOf } from './fields.ts';
import { configHome } from './user-folders.ts';

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
