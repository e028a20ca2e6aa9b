import type { AgentProgram } from '../program.ts';

export const OPENCODE: AgentProgram = {
  id: 'opencode',
  title: 'opencode',
  package: { name: 'opencode-ai', version: '1.18.33', command: 'opencode' },
  protocol: 'chat',
  environment: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  toArguments: (prompt) => ['run', '--auto', prompt],
  image: (prompt, file) => ['run', prompt, '--file', file],
  callTools: ({ path, before, after, command }) => [
    { name: 'read', input: { filePath: path } },
    { name: 'edit', input: { filePath: path, oldString: before, newString: after } },
    { name: 'bash', input: { command, description: 'Copies the file' } },
  ],
  callAgent: (task) => [
    {
      name: 'task',
      input: { description: 'Count the doors', prompt: task, subagent_type: 'general' },
    },
  ],
};
