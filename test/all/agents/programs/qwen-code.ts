import type { AgentProgram } from '../program.ts';

export const QWEN_CODE: AgentProgram = {
  id: 'qwen-code',
  title: 'Qwen Code',
  package: { name: '@qwen-code/qwen-code', version: '0.24.4', command: 'qwen' },
  protocol: 'chat',
  toArguments: (prompt) => ['-p', prompt, '--yolo'],
  image: (prompt, file) => ['-p', `${prompt} @${file}`],
  callTools: ({ path, before, after, command }) => [
    { name: 'read_file', input: { file_path: path } },
    { name: 'edit', input: { file_path: path, old_string: before, new_string: after } },
    { name: 'run_shell_command', input: { command, is_background: false } },
  ],
  callAgent: (task) => [
    {
      name: 'agent',
      input: {
        description: 'Count the doors',
        prompt: task,
        subagent_type: 'general-purpose',
        run_in_background: false,
      },
    },
  ],
};
