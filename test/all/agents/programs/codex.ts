import type { AgentProgram } from '../program.ts';

export const CODEX: AgentProgram = {
  id: 'codex',
  title: 'Codex',
  package: { name: '@openai/codex', version: '0.171.0', command: 'codex' },
  protocol: 'responses',
  toArguments: (prompt) => [
    'exec',
    '--skip-git-repo-check',
    '--sandbox',
    'danger-full-access',
    prompt,
  ],
  image: (prompt, file) => ['exec', '--skip-git-repo-check', prompt, '--image', file],
  callTools: ({ path, before, after, command }) => [
    { name: 'exec_command', input: { cmd: `cat ${path}` } },
    { name: 'exec_command', input: { cmd: toPatch(path, before, after) } },
    { name: 'exec_command', input: { cmd: command } },
  ],
  callAgent: (task) => [
    { name: 'spawn_agent', namespace: 'multi_agent_v1', input: { message: task } },
    // The agent works meanwhile. Its id, with which the model waits for it, is another one in each run.
    { name: 'exec_command', input: { cmd: 'sleep 3' } },
  ],
};

/** Returns the shell command by which the model edits a file. */
function toPatch(path: string, before: string, after: string): string {
  return [
    "apply_patch <<'EOF'",
    '*** Begin Patch',
    `*** Update File: ${path}`,
    '@@',
    `-${before}`,
    `+${after}`,
    '*** End Patch',
    'EOF',
  ].join('\n');
}
