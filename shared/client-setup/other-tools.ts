import { quoteForShell } from '../shell-quote.ts';
import { environmentStep, quoteForPowershell } from './code-steps.ts';
import type { ClientTool } from './client-tool.ts';

const KEY = 'GATEHOUSE_API_KEY';

export const curl: ClientTool = {
  id: 'curl',
  name: 'curl',
  style: 'chat',
  supportsLocalhost: true,
  recipe: ({ chat, key, model }) => {
    const url = `${chat}/chat/completions`;
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] });
    return [
      environmentStep('Set the local key as an environment variable in this terminal.', {
        [KEY]: key,
      }),
      {
        text: 'Ask something.',
        where: 'Terminal',
        language: 'shell',
        code: `curl ${quoteForShell(url)} \\
  -H "authorization: Bearer $${KEY}" \\
  -H 'content-type: application/json' \\
  -d ${quoteForShell(body)}`,
        windows: `Invoke-RestMethod ${quoteForPowershell(url)} -Method Post -ContentType 'application/json' \`
  -Headers @{ authorization = "Bearer $env:${KEY}" } \`
  -Body ${quoteForPowershell(body)}`,
      },
    ];
  },
};

export const another: ClientTool = {
  id: 'another',
  name: 'Another program',
  style: 'both',
  supportsLocalhost: true,
  isUnordered: true,
  recipe: ({ chat, messages, key, model }) => [
    {
      text: 'Base address for programs that speak Chat Completions or Responses, “OpenAI compatible” in most menus:',
      where: 'Base URL',
      code: chat,
      language: 'text',
    },
    {
      text: 'Base address for programs that speak Messages, “Anthropic” in most menus. If such a program wants /v1 at the end, give it the one above.',
      where: 'Base URL',
      code: messages,
      language: 'text',
    },
    { text: 'The local key:', where: 'API key', code: key, language: 'text' },
    { text: 'The model:', where: 'Model', code: model, language: 'text' },
    {
      text: 'If you mix up the two addresses, paste a full endpoint or send the key in another header, Gatehouse repairs it, and History says what to change.',
    },
  ],
};
