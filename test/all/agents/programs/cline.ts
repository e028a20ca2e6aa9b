import type { AgentProgram } from '../program.ts';

export const CLINE: AgentProgram = {
  id: 'cline',
  title: 'Cline CLI',
  package: { name: 'cline', version: '3.0.65', command: 'cline' },
  protocol: 'chat',
  toArguments: (prompt) => [prompt],
  image: 'Its command line takes no image.',
  callTools: ({ path, before, after, command }) => [
    { name: 'read_files', input: { files: [{ path }] } },
    { name: 'editor', input: { path, old_text: before, new_text: after } },
    { name: 'run_commands', input: { commands: [command] } },
  ],
};
