import type { AgentProgram } from '../program.ts';

export const CLAUDE_CODE: AgentProgram = {
  id: 'claude-code',
  title: 'Claude Code',
  package: { name: '@anthropic-ai/claude-code', version: '2.1.332', command: 'claude' },
  protocol: 'messages',
  environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
  // It refuses to skip all permissions for root.
  toArguments: (prompt) => ['-p', prompt, '--allowedTools', 'Read,Edit,Bash'],
  image: (prompt, file) => ['-p', `${prompt} @${file}`],
  callTools: ({ path, before, after, command }) => [
    { name: 'Read', input: { file_path: path } },
    { name: 'Edit', input: { file_path: path, old_string: before, new_string: after } },
    { name: 'Bash', input: { command, description: 'Copy the file' } },
  ],
  toolSearch: {
    toArguments: (prompt, [command, ...args]) => [
      '-p',
      prompt,
      '--allowedTools',
      'mcp__doors',
      '--mcp-config',
      JSON.stringify({ mcpServers: { doors: { command, args } } }),
    ],
    find: (tool) => ({
      search: { name: 'ToolSearch', input: { query: `select:mcp__doors__${tool}` } },
      call: { name: `mcp__doors__${tool}`, input: { colour: 'green' } },
    }),
  },
  callAgent: (task) => [
    {
      name: 'Agent',
      input: {
        description: 'Count the doors',
        prompt: task,
        subagent_type: 'general-purpose',
        run_in_background: false,
      },
    },
  ],
};
