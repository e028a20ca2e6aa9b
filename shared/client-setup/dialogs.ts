import type { ClientTool, SetupValues, Step } from './client-tool.ts';

/** The dialog of a program that takes its service nowhere else. */
interface Dialog {
  readonly open: string;
  /** Labels of the fields, as the program shows them. */
  readonly address: string;
  readonly key: string;
  readonly model: string;
  /** What else to do. */
  readonly after?: string;
  /** Whether the address has no `/v1`. */
  readonly plain?: true;
}

function fill({ open, address, key, model, after, plain }: Dialog) {
  return (values: SetupValues): readonly Step[] => [
    { text: open },
    {
      text: plain === true ? 'The address, without /v1:' : 'The address, with /v1:',
      where: address,
      code: plain === true ? values.messages : values.chat,
      language: 'text',
    },
    { text: 'The local key:', where: key, code: values.key, language: 'text' },
    { text: 'The model:', where: model, code: values.model, language: 'text' },
    ...(after === undefined ? [] : [{ text: after }]),
  ];
}

export const kiloCode: ClientTool = {
  id: 'kilo-code',
  name: 'Kilo Code',
  style: 'chat',
  checked: 'documented',
  supportsLocalhost: true,
  recipe: fill({
    open: 'Open the settings of Kilo Code and choose “OpenAI Compatible” as API provider.',
    address: 'Base URL',
    key: 'API Key',
    model: 'Model ID',
  }),
};

export const jetbrains: ClientTool = {
  id: 'jetbrains',
  name: 'JetBrains AI Assistant',
  style: 'chat',
  checked: 'documented',
  supportsLocalhost: true,
  recipe: fill({
    open: 'Open Settings, Tools, AI Assistant, and there the providers of models. Add one of the kind “OpenAI-compatible”.',
    address: 'URL',
    key: 'API key',
    model: 'Model',
    after:
      'Test the connection there, then choose the model in the chat. It speaks Chat Completions.',
  }),
};

export const xcode: ClientTool = {
  id: 'xcode',
  name: 'Xcode',
  style: 'messages',
  protocol: 'chat',
  checked: 'documented',
  supportsLocalhost: true,
  recipe: fill({
    open: 'Open Settings, Intelligence, and choose “Add a Chat Provider”. It adds /v1 itself.',
    address: 'URL',
    key: 'API Key',
    model: 'Model, chosen in the chat',
    plain: true,
  }),
};

export const cherry: ClientTool = {
  id: 'cherry-studio',
  name: 'Cherry Studio',
  style: 'chat',
  checked: 'documented',
  supportsLocalhost: true,
  recipe: fill({
    open: 'Open Settings, Model Provider, and add a provider of the type OpenAI.',
    address: 'API Host',
    key: 'API Key',
    model: 'Model ID, under “Add”',
  }),
};

export const n8n: ClientTool = {
  id: 'n8n',
  name: 'n8n',
  style: 'chat',
  checked: 'documented',
  supportsLocalhost: true,
  recipe: fill({
    open: 'Create a credential of the type “OpenAI”.',
    address: 'Base URL',
    key: 'API Key',
    model: 'Model, in the node',
    after:
      'An n8n in a container does not reach 127.0.0.1 of this machine: add an address for it in Settings, Proxy, or start it with the network of the host.',
  }),
};

export const geminiCli: ClientTool = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  style: 'chat',
  checked: 'documented',
  supportsLocalhost:
    'Gemini CLI speaks a protocol of its own only, which neither your service nor Gatehouse has.',
  recipe: () => [],
};
