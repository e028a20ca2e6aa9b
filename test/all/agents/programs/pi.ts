import type { AgentProgram } from '../program.ts';

export const PI: AgentProgram = {
  id: 'pi',
  title: 'pi',
  package: { name: '@earendil-works/pi-coding-agent', version: '1.6.0', command: 'pi' },
  protocol: 'chat',
  environment: { PI_OFFLINE: '1' },
  toArguments: (prompt) => ['-p', prompt],
  image: (prompt, file) => ['-p', `@${file}`, prompt],
  callTools: ({ path, before, after, command }) => [
    { name: 'read', input: { path } },
    { name: 'edit', input: { path, edits: [{ oldText: before, newText: after }] } },
    { name: 'bash', input: { command } },
  ],
};
