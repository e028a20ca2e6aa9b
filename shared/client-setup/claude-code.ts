import { literal } from './code-steps.ts';
import type { ClientTool } from './client-tool.ts';

export const claudeCode: ClientTool = {
  id: 'claude-code',
  name: 'Claude Code',
  style: 'messages',
  supportsLocalhost: true,
  recipe: ({ messages, key, model }) => [
    {
      text: 'Add these lines to your own settings, not to those of a project. The address has no /v1: Claude Code adds it. The second model is the one it uses for small background calls.',
      where: '~/.claude/settings.json',
      language: 'json',
      code: literal({
        env: {
          ANTHROPIC_BASE_URL: messages,
          ANTHROPIC_AUTH_TOKEN: key,
          ANTHROPIC_MODEL: model,
          ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        },
      }),
    },
    {
      text: 'Leave ANTHROPIC_API_KEY unset: with both, two different keys are sent. Start Claude Code again; /status shows the address that it uses.',
    },
  ],
};
