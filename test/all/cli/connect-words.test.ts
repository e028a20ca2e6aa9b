import { expect, test } from 'vitest';
import { openTestMachine } from '../../kit/process/test-machine.ts';

const MODEL = 'aurora/aurora-large';

test('what has variables only is led to env', async () => {
  await using machine = await openTestMachine();
  for (const name of ['copilot-cli', 'openai']) {
    const { code, stderr } = await machine.run(['connect', name]);
    expect([code, stderr]).toEqual([
      2,
      `“${name}” is connected by variables, and no settings are changed: gatehouse env ${name}\n`,
    ]);
  }
});

test('a program that was not found, and settings that were not tried, are named', async () => {
  await using machine = await openTestMachine();
  const untried =
    'These settings are from the documentation of Goose; they were not tried with it.';
  for (const flag of ['--dry-run', '--yes']) {
    const { stdout } = await machine.run(['connect', 'goose', flag, '--model', MODEL], {
      environment: { COLUMNS: '400' },
    });
    expect(stdout).toContain('Goose was not found on this machine.');
    expect(stdout).toContain(untried);
  }
});

test('variables that are weaker than settings files are named as such, beside the output', async () => {
  await using machine = await openTestMachine();
  const { stdout, stderr } = await machine.run(['env', 'claude-code', '--model', MODEL]);
  expect(stdout).not.toContain('win over');
  expect(stderr).toContain('This wins over both: gatehouse run -- claude');
});
