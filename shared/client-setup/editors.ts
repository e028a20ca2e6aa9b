import { envLine, literal } from './code-steps.ts';
import type { SetupValues, Step, ClientTool } from './client-tool.ts';

/** The settings panel that Cline and Roo Code share. */
function panel(name: string): (values: SetupValues) => readonly Step[] {
  return ({ chat, key, model }) => [
    {
      text: `Open the settings of ${name} (the gear) and choose “OpenAI Compatible” as API provider.`,
    },
    { text: 'The address, with /v1:', where: 'Base URL', code: chat, language: 'text' },
    { text: 'The local key:', where: 'API Key', code: key, language: 'text' },
    { text: 'The model:', where: 'Model ID', code: model, language: 'text' },
  ];
}

export const cline: ClientTool = {
  id: 'cline',
  name: 'Cline',
  style: 'chat',
  supportsLocalhost: true,
  recipe: panel('Cline'),
};

export const rooCode: ClientTool = {
  id: 'roo-code',
  name: 'Roo Code',
  style: 'chat',
  checked: 'documented',
  supportsLocalhost: true,
  recipe: panel('Roo Code'),
};

const CONTINUE_KEY = 'GATEHOUSE_CONTINUE_KEY';

export const continueDev: ClientTool = {
  id: 'continue',
  name: 'Continue',
  style: 'chat',
  supportsLocalhost: true,
  recipe: ({ chat, key, model }) => [
    {
      text: 'Add the model. If the file has a list of models already, add only the entry below “models:”.',
      where: '~/.continue/config.yaml',
      language: 'yaml',
      code: `name: Gatehouse
version: 0.0.1
schema: v1
models:
  - name: ${literal(`${model} (Gatehouse)`)}
    provider: openai
    model: ${literal(model)}
    apiBase: ${literal(chat)}
    apiKey: \${{ secrets.${CONTINUE_KEY} }}`,
    },
    {
      text: 'Store the local key next to it, where the line above finds it.',
      where: '~/.continue/.env',
      language: 'env',
      code: envLine(CONTINUE_KEY, key),
    },
  ],
};

export const zed: ClientTool = {
  id: 'zed',
  name: 'Zed',
  style: 'chat',
  checked: 'documented',
  supportsLocalhost: true,
  recipe: ({ chat, key, model }) => [
    {
      text: 'Add a provider. max_tokens is the context window of the model: set it to the real number.',
      where: 'Zed’s settings.json',
      language: 'json',
      code: literal({
        language_models: {
          openai_compatible: {
            Gatehouse: {
              api_url: chat,
              available_models: [{ name: model, display_name: model, max_tokens: 128_000 }],
            },
          },
        },
      }),
    },
    {
      text: 'Open the agent settings (“agent: open settings” in the command palette), find Gatehouse among the LLM providers and paste the local key. Zed keeps it in the system’s keychain.',
      where: 'Agent settings, LLM providers',
      language: 'text',
      code: key,
    },
  ],
};

export const cursor: ClientTool = {
  id: 'cursor',
  name: 'Cursor',
  style: 'chat',
  checked: 'documented',
  supportsLocalhost:
    'Cursor’s own servers make the call, not the program on this machine, and they refuse addresses such as 127.0.0.1. So Cursor cannot use Gatehouse.',
  recipe: () => [
    {
      text: 'Setting “Override OpenAI Base URL” to an address of this machine always fails with “Access to private networks is forbidden”.',
    },
    {
      text: 'Exposing Gatehouse to the internet would let anyone who finds the address use your account. Use an extension that sends its requests from this machine instead, such as Cline, which also runs in Cursor.',
    },
  ],
};
