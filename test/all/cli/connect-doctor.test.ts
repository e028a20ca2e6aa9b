import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { assert, expect, test } from 'vitest';
import { openTestMachine, type TestMachine } from '../../kit/process/test-machine.ts';

const MODEL = 'aurora/aurora-large';
const CODEX = 'model = "gpt-5"\n';

async function putCodex({ home }: TestMachine): Promise<string> {
  const file = join(home, '.codex', 'config.toml');
  await mkdir(dirname(file));
  await writeFile(file, CODEX);
  return file;
}

test('doctor says of a program that is connected that no Gatehouse is running, and how to start it or to undo', async () => {
  await using machine = await openTestMachine();
  await putCodex(machine);
  await using serving = await machine.serve(['--no-ui']);
  const { port } = serving;
  await machine.run(['connect', 'codex', '--yes', '--model', MODEL]);
  expect((await machine.run(['doctor', 'codex'])).stdout).toContain(
    `its settings lead here (http://127.0.0.1:${port}/v1)`,
  );
  await serving.stop('SIGTERM');
  const sentence = 'fail  No Gatehouse is running, so Codex gets no answer.';
  for (const command of [['doctor', 'codex'], ['doctor']]) {
    const { code, stdout } = await machine.run(command, { environment: { COLUMNS: '400' } });
    expect(code).toBe(1);
    expect(stdout).toContain(
      `${sentence}\n      Start it: gatehouse serve --port ${port}; or undo: gatehouse disconnect codex`,
    );
    expect(stdout).not.toContain('lead here');
  }
  const usual = await machine.run(['doctor', 'codex'], {
    environment: { GATEHOUSE_PORT: String(port) },
  });
  expect(usual.stdout).toContain('Start it: gatehouse serve (or the app); or undo:');
  await machine.run(['disconnect', 'codex', '--yes']);
  const own = await machine.run(['doctor'], { environment: { GATEHOUSE_PORT: String(port) } });
  expect(own.stdout).toContain(`No Gatehouse is running here. Port ${port} is free for it.`);
});

test('doctor names another Gatehouse at the address of a program, running or not', async () => {
  await using machine = await openTestMachine();
  await putCodex(machine);
  const other = createServer((_request, response) => response.end('{"service":"gatehouse"}'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  assert(address !== null && typeof address !== 'string');
  const call = { environment: { GATEHOUSE_PORT: String(address.port), COLUMNS: '400' } };
  await machine.run(['connect', 'codex', '--yes', '--model', MODEL], call);
  const idle = await machine.run(['doctor', 'codex'], call);
  expect(idle.code).toBe(1);
  expect(idle.stdout).toMatch(
    /fail {2}No Gatehouse is running here: at http:\S+, to which Codex leads, another Gatehouse \(pid \d+\) answers\./u,
  );
  await using serving = await machine.serve(['--no-ui']);
  const running = await machine.run(['doctor', 'codex'], call);
  expect(running.stdout).toMatch(
    new RegExp(
      `lead to http:\\S+:${address.port}/v1, where another Gatehouse \\(pid \\d+\\) answers, and Gatehouse is at http:\\S+:${serving.port}/v1`,
      'u',
    ),
  );
  other.close();
  await once(other, 'close');
  const moved = await machine.run(['doctor', 'codex'], call);
  expect(moved.stdout).toContain('Gatehouse was started with another port than usual.');
});

test('doctor leads a program back to the project that it is connected in', async () => {
  await using machine = await openTestMachine();
  const project = join(machine.home, 'my shop');
  await mkdir(project);
  const choice = ['claude-code', '--project', project];
  await machine.run(['connect', ...choice, '--yes', '--model', MODEL]);
  const file = join(project, '.claude', 'settings.local.json');
  const good = await readFile(file, 'utf8');
  const found = await machine.run(['doctor', 'claude-code']);
  expect(found.stdout).toContain('its settings lead to http://127.0.0.1:6417.');
  expect(found.stdout).not.toContain('no longer hold');
  await writeFile(file, good.replace(':6417', ':7000'));
  const { stdout } = await machine.run(['doctor', 'claude-code'], {
    environment: { COLUMNS: '400' },
  });
  expect(stdout).toContain(`gatehouse connect claude-code --project '${project}'`);
});

test('doctor names a port that is not ours, a missing /v1 and a key that is revoked', async () => {
  await using machine = await openTestMachine();
  const file = await putCodex(machine);
  await machine.run(['connect', 'codex', '--yes', '--model', MODEL]);
  const good = await readFile(file, 'utf8');
  await writeFile(file, good.replace(':6417/v1', ':6417'));
  expect((await machine.run(['doctor', 'codex'])).stdout).toContain(
    'It should be http://127.0.0.1:6417/v1',
  );
  await writeFile(file, good.replace(':6417/v1', ':7000/v1'));
  const elsewhere = await machine.run(['doctor', 'codex']);
  expect(elsewhere.code).toBe(1);
  expect(elsewhere.stdout).toContain(
    'lead to http://127.0.0.1:7000/v1, and Gatehouse will be at http://127.0.0.1:6417',
  );
  await writeFile(file, good);
  expect((await machine.run(['clients', 'revoke', 'Codex'])).code).toBe(0);
  expect(await readFile(file, 'utf8')).toBe(CODEX);
  await writeFile(file, good);
  expect((await machine.run(['doctor', 'codex'])).stdout).toContain('was revoked or replaced');
});

test('doctor names what beats a connection in this terminal, in its folder and in a profile, without keys', async () => {
  await using machine = await openTestMachine();
  const shop = join(machine.home, 'shop');
  await mkdir(join(shop, '.claude'), { recursive: true });
  await machine.run(['connect', 'claude-code', '--yes', '--model', MODEL]);
  const profile = join(machine.home, '.zshrc');
  await writeFile(profile, 'export ANTHROPIC_BASE_URL=https://profile.example/v1?key=sk-secret\n');
  const environment = { COLUMNS: '400', SHELL: '/bin/zsh' };
  const calm = await machine.run(['doctor', 'claude-code'], { environment });
  expect(calm.stdout).toContain(
    `      - ${profile}: ANTHROPIC_BASE_URL (line 1) is https://profile.example\n`,
  );
  expect(calm.stdout).not.toContain('past Gatehouse');
  const settings = join(shop, '.claude', 'settings.json');
  const env = { ANTHROPIC_BASE_URL: 'https://shop.example', ANTHROPIC_AUTH_TOKEN: 'sk-secret' };
  await writeFile(settings, JSON.stringify({ env }));
  const call = {
    environment: { ...environment, CLAUDE_CODE_USE_BEDROCK: '1' },
    within: ['/bin/sh', '-c', 'cd "$0" && exec "$@"', shop],
  };
  const { code, stdout } = await machine.run(['doctor', 'claude-code'], call);
  expect(code).toBe(1);
  expect(stdout).toContain(
    `fail  env.ANTHROPIC_BASE_URL in ${settings} sends Claude Code past Gatehouse, to https://shop.example.\n      Take env.ANTHROPIC_BASE_URL out of ${settings}, or connect this project: gatehouse connect claude-code --project ${shop}\n`,
  );
  expect(stdout).toContain('CLAUDE_CODE_USE_BEDROCK in this terminal sends Claude Code past');
  expect(stdout).toContain('unset CLAUDE_CODE_USE_BEDROCK');
  const file = join(machine.home, 'report.txt');
  const report = await machine.run(['doctor', 'claude-code', '--report', file, '--yes'], call);
  expect(report.code).toBe(0);
  const text = await readFile(file, 'utf8');
  expect(text).toContain(
    '      - ~/shop/.claude/settings.json: env.ANTHROPIC_BASE_URL is https://shop.example, wins',
  );
  for (const printed of [calm.stdout, stdout, text]) {
    expect(printed).not.toContain('secret');
    expect(printed).not.toMatch(/gh-[\w-]{43}/u);
  }
  expect(text).not.toContain(machine.home);
});

test('doctor tells the installed version of a program', async () => {
  await using machine = await openTestMachine();
  const file = join(machine.home, 'codex');
  await writeFile(file, '#!/bin/sh\necho "codex-cli 9.8.7"\n', { mode: 0o755 });
  const environment = { PATH: `${machine.home}:${process.env['PATH'] ?? ''}`, COLUMNS: '400' };
  const { stdout } = await machine.run(['doctor', 'codex'], { environment });
  expect(stdout).toContain(`ok    Codex 9.8.7 is at ${file}.`);
});
