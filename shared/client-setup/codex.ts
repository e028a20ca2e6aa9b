import { storedKeyStep, literal } from './code-steps.ts';
import type { ClientTool } from './client-tool.ts';

const KEY = 'GATEHOUSE_CODEX_KEY';

export const codex: ClientTool = {
  id: 'codex',
  name: 'Codex',
  style: 'chat',
  protocol: 'responses',
  supportsLocalhost: true,
  recipe: ({ chat, key, model }) => [
    {
      text: 'Codex needs its own provider entry; it does not read OPENAI_BASE_URL. Put the first two lines above the first [section] of the file.',
      where: '~/.codex/config.toml',
      language: 'toml',
      code: `model = ${literal(model)}
model_provider = "gatehouse"

[model_providers.gatehouse]
name = "Gatehouse"
base_url = ${literal(chat)}
wire_api = "responses"
env_key = "${KEY}"
supports_websockets = false`,
    },
    storedKeyStep(KEY, key),
    { text: 'Start Codex again: it reads the file only when it starts.' },
  ],
};
