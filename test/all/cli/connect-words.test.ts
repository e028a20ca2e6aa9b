import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
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

test('a folder of settings alone is no program that was found', async () => {
  await using machine = await openTestMachine();
  await mkdir(join(machine.home, '.qwen'));
  const { stdout } = await machine.run(['connect']);
  expect(stdout).toMatch(/^Qwen Code .* not connected; settings found, program not found$/mu);
  expect(stdout).toMatch(/^Codex .* – +not connected$/mu);
  const words = 'Settings of Qwen Code were found (';
  const dry = await machine.run(['connect', 'qwen-code', '--dry-run', '--model', MODEL]);
  expect(dry.stdout).toContain(words);
  const doctor = await machine.run(['doctor', 'qwen-code']);
  expect(doctor.stdout).toContain(words);
});

test('variables that are weaker than settings files are named as such, beside the output', async () => {
  await using machine = await openTestMachine();
  const { stdout, stderr } = await machine.run(['env', 'claude-code', '--model', MODEL]);
  expect(stdout).not.toContain('win over');
  expect(stderr).toContain('This wins over both: gatehouse run -- claude');
});
