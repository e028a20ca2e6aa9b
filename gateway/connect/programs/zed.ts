import { join } from 'node:path';
import type { ConnectableProgram, UserPlace } from '../program.ts';
import { assumedContextWindow, fieldsOf, modelsOf } from './fields.ts';
import { configHome, roamingAppData } from './user-folders.ts';

const PROVIDER = ['language_models', 'openai_compatible', 'Gatehouse'] as const;

/** Zed: https://zed.dev/docs/ai/use-api-access#openai-compatible */
export const zed: ConnectableProgram = {
  id: 'zed',
  name: 'Zed',
  checked: 'documented',
  protocol: 'chat',
  commands: ['zed', 'zeditor'],
  traces: (place) => [folder(place)],
  files: (place, values) => [
    {
      path: join(folder(place), 'settings.json'),
      format: 'json',
      fields: [
        ...fieldsOf(PROVIDER, { api_url: values.v1 }),
        ...modelsOf(values).flatMap((model) =>
          fieldsOf([...PROVIDER, 'available_models', { where: 'name', is: model.id }], {
            display_name: model.id,
            max_tokens: assumedContextWindow(model),
            max_output_tokens: model.maxOutput ?? undefined,
            capabilities: model.acceptsImages ? { ...CAPABILITIES, images: true } : undefined,
          }),
        ),
        ...fieldsOf(['agent', 'default_model'], {
          provider: 'Gatehouse',
          model: values.model.id,
        }),
      ],
    },
  ],
  notes: (values) => [
    'Zed keeps keys in the system’s keychain: run “agent: open settings” from the command palette, find Gatehouse among the LLM providers and paste the local key there.',
    'A variable GATEHOUSE_API_KEY that Zed is started with is used as well.',
    ...modelsOf(values)
      .filter(({ contextWindow }) => contextWindow === null)
      .map(
        (model) =>
          `The service does not say how many tokens ${model.id} takes, and Zed needs a number: max_tokens is ${assumedContextWindow(model)}.`,
      ),
  ],
};

function folder(place: UserPlace): string {
  return place.platform === 'win32'
    ? join(roamingAppData(place), 'Zed')
    : join(place.platform === 'linux' ? configHome(place) : join(place.home, '.config'), 'zed');
}

/** The documented defaults: some versions expect all or none of them. */
const CAPABILITIES = {
  tools: true,
  images: false,
  parallel_tool_calls: false,
  prompt_cache_key: false,
  chat_completions: true,
  interleaved_reasoning: false,
  max_tokens_parameter: false,
};
