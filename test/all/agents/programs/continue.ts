import type { AgentProgram } from '../program.ts';

export const CONTINUE: AgentProgram = {
  id: 'continue',
  title: 'Continue CLI',
  package: { name: '@continuedev/cli', version: '1.5.47', command: 'cn' },
  protocol: 'chat',
  environment: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_METRICS_ENABLED: '0' },
  toArguments: (prompt) => ['-p', prompt, '--auto'],
  image: 'Its command line takes no image.',
  callTools: ({ path, before, after, command }) => [
    { name: 'Read', input: { filepath: path } },
    { name: 'Edit', input: { file_path: path, old_string: before, new_string: after } },
    { name: 'Bash', input: { command } },
  ],
};
