import type { AgentProgram } from '../program.ts';

export const COPILOT_CLI: AgentProgram = {
  id: 'copilot-cli',
  variables: 'copilot-cli',
  title: 'Copilot CLI',
  package: { name: '@github/copilot', version: '1.0.102', command: 'copilot' },
  protocol: 'chat',
  // It needs no login at GitHub then, and asks no other service.
  environment: { COPILOT_OFFLINE: 'true' },
  toArguments: (prompt) => ['--allow-all', '--prompt', prompt],
  image: (prompt, file) => ['--allow-all', '--prompt', prompt, '--attachment', file],
  refusalText: 'Authentication failed with provider',
  callTools: ({ path, before, after, command }) => [
    { name: 'view', input: { path } },
    { name: 'edit', input: { path, old_str: before, new_str: after } },
    { name: 'bash', input: { command, description: 'Copy the file' } },
  ],
  callAgent: (task) => [
    {
      name: 'task',
      input: {
        name: 'doors',
        description: 'Count the doors',
        prompt: task,
        agent_type: 'general-purpose',
        mode: 'sync',
      },
    },
  ],
};
