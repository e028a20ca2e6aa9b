import { quoteForShell } from '../shell-quote.ts';
import { commandStep, environmentStep, envLine, storedKeyStep, literal } from './code-steps.ts';
import type { ClientTool } from './client-tool.ts';

const OPENCODE_KEY = 'GATEHOUSE_OPENCODE_KEY';

export const opencode: ClientTool = {
  id: 'opencode',
  name: 'opencode',
  style: 'chat',
  supportsLocalhost: true,
  recipe: ({ chat, key, model }) => [
    {
      text: 'Add a provider to your own configuration.',
      where: '~/.config/opencode/opencode.json',
      language: 'json',
      code: literal({
        $schema: 'https://opencode.ai/config.json',
        model: `gatehouse/${model}`,
        provider: {
          gatehouse: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Gatehouse',
            options: { baseURL: chat, apiKey: `{env:${OPENCODE_KEY}}` },
            models: { [model]: { name: model } },
          },
        },
      }),
    },
    storedKeyStep(OPENCODE_KEY, key),
  ],
};

const QWEN_KEY = 'GATEHOUSE_QWEN_KEY';

export const qwenCode: ClientTool = {
  id: 'qwen-code',
  name: 'Qwen Code',
  style: 'chat',
  supportsLocalhost: true,
  recipe: ({ chat, key, model }) => [
    {
      text: 'Add the model to your own settings.',
      where: '~/.qwen/settings.json',
      language: 'json',
      code: literal({
        modelProviders: {
          openai: [{ id: model, name: `${model} (Gatehouse)`, baseUrl: chat, envKey: QWEN_KEY }],
        },
        security: { auth: { selectedType: 'openai' } },
        model: { name: model },
      }),
    },
    {
      text: 'Store the local key next to it.',
      where: '~/.qwen/.env',
      language: 'env',
      code: envLine(QWEN_KEY, key),
    },
    { text: 'Start Qwen Code again; /model lists its models.' },
  ],
};

export const aider: ClientTool = {
  id: 'aider',
  name: 'Aider',
  style: 'chat',
  checked: 'documented',
  supportsLocalhost: true,
  recipe: ({ chat, key, model }) => [
    environmentStep('Tell Aider the address, with /v1, and the local key.', {
      OPENAI_API_BASE: chat,
      OPENAI_API_KEY: key,
    }),
    commandStep(
      'Start it in the same terminal. The openai/ before the model is Aider’s word for the protocol; it is not part of the model’s name.',
      `aider --model ${quoteForShell(`openai/${model}`)}`,
    ),
  ],
};

const PI_KEY = 'GATEHOUSE_PI_KEY';

export const pi: ClientTool = {
  id: 'pi',
  name: 'pi',
  style: 'chat',
  supportsLocalhost: true,
  recipe: ({ chat, key, model }) => [
    {
      text: 'Add a provider.',
      where: '~/.pi/agent/models.json',
      language: 'json',
      code: literal({
        providers: {
          gatehouse: {
            baseUrl: chat,
            api: 'openai-completions',
            apiKey: `$${PI_KEY}`,
            models: [{ id: model }],
          },
        },
      }),
    },
    storedKeyStep(PI_KEY, key),
    commandStep('Start it with this model.', `pi --model ${quoteForShell(`gatehouse/${model}`)}`),
  ],
};
