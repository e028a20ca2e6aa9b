import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkProgram } from '../../../gateway/doctor/doctor.ts';
import type { Connections } from '../../../gateway/connect/connect.ts';
import type { ProgramId } from '../../../shared/connect/connection.ts';
import type { Finding } from '../../../shared/doctor/finding.ts';
import { FURTHER_ADDRESS, openUserHome, type UserHome } from '../../kit/connections-home.ts';

const MODEL = 'zai-org/glm-5';
const FOREIGN = 'https://user:secret-word@models.example/secret-path?key=secret-query';
const FOREIGN_KEY = 'sk-secret-0123456789abcdef';

async function connect({ connections }: UserHome, program: ProgramId): Promise<void> {
  await connections.connect({ program, model: MODEL }, null);
}

function isRequest({ sentence }: Finding): boolean {
  return sentence.includes('has sent no request');
}

/** Returns the findings of a program that are not good, and the list of its places. */
async function check(connections: Connections, program: ProgramId) {
  const state = (await connections.list()).find(({ id }) => id === program);
  if (state === undefined) throw new Error('There is no such program.');
  const findings = await checkProgram(
    { ...state, foundAt: '/bin/program' },
    {
      connections,
      serving: { isRunning: true, usualPort: 6417, describeListener: async () => null },
      history: { list: async () => [] },
      command: 'gatehouse',
      now: Date.now,
      readVersion: async () => null,
    },
    true,
  );
  return {
    bad: findings.filter((finding) => finding.state !== 'ok' && !isRequest(finding)),
    places: findings.flatMap(({ details }) => details),
    all: JSON.stringify(findings),
  };
}

describe('A connected Claude Code', () => {
  test('has its settings win over a profile and a terminal, which are listed without secrets', async () => {
    await using user = await openUserHome();
    const profile = await user.put(
      '.zshrc',
      `# mine\nexport ANTHROPIC_BASE_URL='${FOREIGN}'\nexport ANTHROPIC_AUTH_TOKEN=${FOREIGN_KEY}\n`,
    );
    await connect(user, 'claude-code');
    const terminal = { variables: { ANTHROPIC_BASE_URL: FOREIGN }, folder: user.home };
    const { bad, places, all } = await check(await user.open(terminal), 'claude-code');
    expect(bad).toEqual([]);
    expect(places).toEqual([
      `${profile}: ANTHROPIC_BASE_URL (line 2) is https://models.example; ANTHROPIC_AUTH_TOKEN (line 3) is a key of something else`,
      'the variables of this terminal: ANTHROPIC_BASE_URL is https://models.example',
      `${join(user.home, '.claude.json')}: there is no such file`,
      `${join(user.home, '.claude', 'settings.json')}: env.ANTHROPIC_BASE_URL is http://127.0.0.1:6417, wins; env.ANTHROPIC_AUTH_TOKEN is its local key, wins; env.ANTHROPIC_API_KEY is empty, wins; apiKeyHelper is empty, wins`,
      `${join(user.home, '.claude', 'settings.local.json')}: there is no such file`,
      expect.stringContaining('managed-settings.json: there is no such file'),
    ]);
    expect(all).not.toContain('secret');
    expect(all).not.toMatch(/gh-[\w-]{43}/u);
  });

  test('leads to Gatehouse through an address for containers, too', async () => {
    await using user = await openUserHome();
    await connect(user, 'claude-code');
    const env = { ANTHROPIC_BASE_URL: FURTHER_ADDRESS };
    const file = await user.put('shop/.claude/settings.json', JSON.stringify({ env }));
    const folder = join(user.home, 'shop');
    const inShop = await user.open({ variables: {}, folder });
    const { bad, places } = await check(inShop, 'claude-code');
    expect(bad).toEqual([]);
    expect(places).toContain(`${file}: env.ANTHROPIC_BASE_URL is ${FURTHER_ADDRESS}, wins`);
    await user.put(
      '.codex/config.toml',
      `[model_providers.gatehouse]\nbase_url = "${FURTHER_ADDRESS}/v1"\n`,
    );
    const { addresses } = await user.connections.diagnose('codex');
    expect(addresses).toMatchObject([{ address: `${FURTHER_ADDRESS}/v1`, state: 'right' }]);
    await user.put(
      '.codex/config.toml',
      `[model_providers.gatehouse]\nbase_url = "${FURTHER_ADDRESS}0/v1"\n`,
    );
    expect(await user.connections.diagnose('codex')).toMatchObject({ addresses: [] });
  });

  test('is beaten by the settings of the project, which can be connected instead', async () => {
    await using user = await openUserHome();
    await connect(user, 'claude-code');
    const env = { ANTHROPIC_BASE_URL: FOREIGN, ANTHROPIC_AUTH_TOKEN: FOREIGN_KEY };
    const file = await user.put('shop/.claude/settings.json', JSON.stringify({ env }));
    const folder = join(user.home, 'shop');
    const { bad, all } = await check(await user.open({ variables: {}, folder }), 'claude-code');
    expect(bad).toMatchObject([
      {
        state: 'fail',
        sentence: `env.ANTHROPIC_BASE_URL in ${file} sends Claude Code past Gatehouse, to https://models.example.`,
        command: `gatehouse connect claude-code --project ${folder}`,
      },
    ]);
    expect(all).not.toContain('secret');
    // A window knows no folder.
    expect((await check(user.connections, 'claude-code')).bad).toEqual([]);
    await user.put(
      'shop/.claude/settings.json',
      JSON.stringify({ env: { ANTHROPIC_AUTH_TOKEN: FOREIGN_KEY } }),
    );
    const keyed = await check(await user.open({ variables: {}, folder }), 'claude-code');
    expect(keyed.bad).toMatchObject([
      { state: 'fail', sentence: expect.stringContaining('Gatehouse refuses its requests') },
    ]);
    await user.put('shop/.claude/settings.json', '{ broken');
    const broken = await check(await user.open({ variables: {}, folder }), 'claude-code');
    expect(broken.bad).toMatchObject([
      { state: 'warn', sentence: expect.stringContaining(`${file} too, which cannot be read`) },
    ]);
  });

  test('that a cloud variable of the shell leads past is told with the line', async () => {
    await using user = await openUserHome({ SHELL: '/usr/bin/zsh' });
    await connect(user, 'claude-code');
    const profile = await user.put('dotfiles/env', 'export CLAUDE_CODE_USE_BEDROCK=1\n');
    const link = join(user.home, '.zshenv');
    await symlink(profile, link);
    const found = await check(user.connections, 'claude-code');
    expect(found.bad).toMatchObject([
      {
        state: 'fail',
        sentence: `CLAUDE_CODE_USE_BEDROCK in ${link}, line 1, sends Claude Code past Gatehouse: it is “1”.`,
        advice: `Delete line 1 of ${link}, then open a new terminal.`,
      },
    ]);
    expect(found.places.at(-2)).toContain('a terminal, which cannot be seen from here');
    const own = { variables: { CLAUDE_CODE_USE_BEDROCK: '0' }, folder: null };
    expect((await check(await user.open(own), 'claude-code')).bad).toEqual([]);
    const set = { variables: { CLAUDE_CODE_USE_BEDROCK: '1' }, folder: null };
    expect((await check(await user.open(set), 'claude-code')).bad).toMatchObject([
      { state: 'fail', command: 'unset CLAUDE_CODE_USE_BEDROCK' },
    ]);
  });

  test('has a variable taken out of a terminal in the words of its shell', async () => {
    await using user = await openUserHome({ SHELL: '/usr/bin/fish' });
    await connect(user, 'claude-code');
    const set = { variables: { CLAUDE_CODE_USE_BEDROCK: '1' }, folder: null };
    expect((await check(await user.open(set), 'claude-code')).bad).toMatchObject([
      { command: 'set --erase CLAUDE_CODE_USE_BEDROCK' },
    ]);
    const onWindows = await check(await user.open(set, 'win32'), 'claude-code');
    expect(onWindows.bad).toMatchObject([
      {
        advice: expect.stringContaining('Take it out of the variables of your account'),
        command: 'Remove-Item Env:CLAUDE_CODE_USE_BEDROCK',
      },
    ]);
    expect(onWindows.places).toContain('profiles of PowerShell: they are not read');
  });

  test('is not led past by the profile of a shell that the person does not use', async () => {
    await using user = await openUserHome({ SHELL: '/usr/bin/fish' });
    await connect(user, 'claude-code');
    await user.put('.bashrc', 'export CLAUDE_CODE_USE_BEDROCK=1\n');
    const { bad, places } = await check(user.connections, 'claude-code');
    expect(bad).toEqual([]);
    expect(places.join('\n')).toContain('(of a shell that is not yours)');
    await user.put('.config/fish/conf.d/cloud.fish', 'set -gx CLAUDE_CODE_USE_VERTEX 1\n');
    expect((await check(user.connections, 'claude-code')).bad).toMatchObject([
      { sentence: expect.stringContaining('CLAUDE_CODE_USE_VERTEX') },
    ]);
  });

  test('has a profile that cannot be read named', async () => {
    await using user = await openUserHome();
    await connect(user, 'claude-code');
    await mkdir(join(user.home, '.zshrc'));
    await writeFile(join(user.home, '.bashrc'), Buffer.from([0xff, 0xfe, 0x41]));
    const { bad } = await check(user.connections, 'claude-code');
    expect(bad.map(({ state }) => state)).toEqual(['warn', 'warn']);
    const sentences = bad.map(({ sentence }) => sentence).join('\n');
    expect(sentences).toContain('.zshrc is not an ordinary file');
    expect(sentences).toContain('.bashrc is not a text in UTF-8');
  });
});

test.each([6417, 80])(
  'an address for containers at port %d is known as ours, and nothing secret in it is shown',
  async (port) => {
    await using user = await openUserHome();
    user.moveTo(port);
    await connect(user, 'claude-code');
    const file = await user.put(
      '.claude/settings.json',
      JSON.stringify({
        env: { ANTHROPIC_BASE_URL: `http://me:pass-secret@172.17.0.1:${port}/?key=secret-query` },
      }),
    );
    const { bad, places, all } = await check(user.connections, 'claude-code');
    expect(bad).toEqual([]);
    const shown = new URL(`http://172.17.0.1:${port}`).origin;
    expect(places).toContain(`${file}: env.ANTHROPIC_BASE_URL is ${shown}, wins`);
    expect(all).not.toContain('secret');
  },
);

test('a key of something else in the file of a connection is not the local key', async () => {
  await using user = await openUserHome();
  await connect(user, 'claude-code');
  const file = join(user.home, '.claude', 'settings.json');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/gh-[\w-]{43}/u, FOREIGN_KEY));
  const { bad } = await check(user.connections, 'claude-code');
  expect(bad).toMatchObject([
    {
      state: 'fail',
      sentence: `env.ANTHROPIC_AUTH_TOKEN in ${file} is not the local key of Claude Code: Gatehouse refuses its requests.`,
      command: 'gatehouse connect claude-code',
    },
  ]);
});

test('a variable for the settings of opencode that the shell computes may lead past', async () => {
  await using user = await openUserHome();
  await connect(user, 'opencode');
  const profile = await user.put('.profile', 'export OPENCODE_CONFIG_CONTENT="$(cat x.json)"\n');
  const { bad, places } = await check(user.connections, 'opencode');
  expect(bad).toMatchObject([
    { state: 'warn', sentence: expect.stringMatching(/^OPENCODE_CONFIG_CONTENT .*may lead past/u) },
  ]);
  expect(places.join('\n')).toContain(`${profile}: OPENCODE_CONFIG_CONTENT (line 1) is computed`);
});

test('the name of a variable that is no variable is none', async () => {
  await using user = await openUserHome();
  await connect(user, 'codex');
  const file = join(user.home, '.codex', 'config.toml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^experimental_bearer_token.*$/mu, 'env_key = "toString"'));
  const { bad } = await check(await user.open({ variables: {}, folder: null }), 'codex');
  expect(bad).toMatchObject([{ sentence: expect.stringContaining('env_key') }]);
});

test('a Claude Code that only the shell leads here is known as such', async () => {
  await using user = await openUserHome();
  const { key } = await user.clients.add('Mine');
  await user.put(
    '.profile',
    `ANTHROPIC_BASE_URL=http://localhost:6417/v1/\nANTHROPIC_AUTH_TOKEN=${key}\nexport ANTHROPIC_BASE_URL ANTHROPIC_AUTH_TOKEN\n`,
  );
  const { bad, places, all } = await check(user.connections, 'claude-code');
  expect(bad).toMatchObject([
    { state: 'warn', sentence: expect.stringContaining('Gatehouse repairs each of its requests') },
  ]);
  expect(places[0]).toContain('ANTHROPIC_AUTH_TOKEN (line 2) is its local key, wins');
  expect(all).not.toContain(key);
});

test.each<[ProgramId, string, string, string]>([
  ['opencode', 'shop/opencode.json', '{"model":"anthropic/claude"}', 'model'],
  ['opencode', 'shop/.opencode/opencode.jsonc', '{"model":"anthropic/claude" /* mine */}', 'model'],
  ['pi', 'shop/.pi/settings.json', '{"defaultProvider":"anthropic"}', 'defaultProvider'],
  [
    'crush',
    'shop/.crush.json',
    '{"models":{"large":{"provider":"openai","model":"x"}}}',
    'models.large.provider',
  ],
  [
    'aider',
    'shop/.aider.conf.yml',
    'openai-api-base: https://models.example/v1\n',
    'openai-api-base',
  ],
  ['aider', 'shop/.env', 'AIDER_MODEL=sonnet\n', 'AIDER_MODEL'],
  [
    'qwen-code',
    'shop/.qwen/settings.json',
    '{"security":{"auth":{"selectedType":"qwen-oauth"}}}',
    'security.auth.selectedType',
  ],
  ['goose', '.profile', 'export GOOSE_PROVIDER=openai\n', 'GOOSE_PROVIDER'],
])('%s is beaten by %s', async (program, path, text, name) => {
  await using user = await openUserHome();
  await connect(user, program);
  const folder = join(user.home, 'shop');
  await mkdir(folder);
  const connections = await user.open({ variables: {}, folder });
  expect((await check(connections, program)).bad).toEqual([]);
  const file = await user.put(path, text);
  const { bad } = await check(connections, program);
  expect(bad).toHaveLength(1);
  expect(bad[0]?.state).toBe('fail');
  expect(bad[0]?.sentence).toContain(`${name} in ${file}`);
  expect(bad[0]?.sentence).toContain('past Gatehouse');
});

test.each<[ProgramId, string]>([
  ['codex', '.codex/config.toml'],
  ['cline', '.cline/data/settings/providers.json'],
  ['continue', '.continue/config.yaml'],
  ['zed', '.config/zed/settings.json'],
])('%s has its own file win', async (program, path) => {
  await using user = await openUserHome();
  await connect(user, program);
  const { bad, places } = await check(user.connections, program);
  expect(bad).toEqual([]);
  const own = places.find((line) => line.startsWith(join(user.home, path)));
  expect(own).toMatch(/is http:\/\/127\.0\.0\.1:6417\/v1, wins/u);
});

test('the strongest place of opencode is the one that the program itself takes', async () => {
  await using user = await openUserHome({ OPENCODE_CONFIG_DIR: '/no/such/folder' });
  await connect(user, 'opencode');
  await mkdir(join(user.home, 'shop', '.git'), { recursive: true });
  const inner = await user.put('shop/web/.opencode/opencode.json', '{"model":"inner/x"}');
  const outer = await user.put('shop/.opencode/opencode.json', '{"model":"outer/x"}');
  const OPENCODE_CONFIG_CONTENT = '{"model":"content/x"}';
  const folder = join(user.home, 'shop', 'web');
  const { bad, places } = await check(
    await user.open({ variables: { OPENCODE_CONFIG_CONTENT }, folder }),
    'opencode',
  );
  expect(bad).toMatchObject([
    {
      sentence:
        'OPENCODE_CONFIG_CONTENT in this terminal sends opencode past Gatehouse: it is “content/x”.',
      command: 'unset OPENCODE_CONFIG_CONTENT',
    },
  ]);
  expect(places.indexOf(`${inner}: model is inner/x`)).toBeLessThan(
    places.indexOf(`${outer}: model is outer/x`),
  );
  const broken = await user.open({ variables: { OPENCODE_CONFIG_CONTENT: '{' }, folder });
  expect((await check(broken, 'opencode')).bad).toMatchObject([
    { sentence: expect.stringContaining(outer) },
  ]);
});

test('Claude Code reads the local settings of the root of a project after those of a folder', async () => {
  await using user = await openUserHome();
  await user.put('.claude.json', JSON.stringify({ env: { ANTHROPIC_BASE_URL: FOREIGN } }));
  await connect(user, 'claude-code');
  const folder = join(user.home, 'shop', 'web');
  await mkdir(join(user.home, 'shop', '.git'), { recursive: true });
  await mkdir(folder);
  const connections = await user.open({ variables: {}, folder });
  expect((await check(connections, 'claude-code')).bad).toEqual([]);
  const env = { ANTHROPIC_BASE_URL: FOREIGN };
  const file = await user.put('shop/.claude/settings.local.json', JSON.stringify({ env }));
  await user.put(
    'shop/web/.claude/settings.local.json',
    '{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:6417"}}',
  );
  expect((await check(connections, 'claude-code')).bad).toMatchObject([
    { sentence: expect.stringContaining(file) },
  ]);
});

test('an env_key of Codex is reported, and a profile counts only when it is chosen', async () => {
  await using user = await openUserHome();
  await connect(user, 'codex');
  const profile = await user.put('.codex/work.config.toml', 'model_provider = "openai"\n');
  const file = join(user.home, '.codex', 'config.toml');
  const { bad, places } = await check(user.connections, 'codex');
  expect(bad).toEqual([]);
  expect(places).toContain(`${profile} (only when you choose it): model_provider is openai`);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^base_url/mu, 'env_key = "MINE"\nbase_url'));
  const states = async (variables: Record<string, string>) => {
    const found = await check(await user.open({ variables, folder: null }), 'codex');
    return found.bad.map(({ state, sentence }) => [state, sentence.includes('env_key')]);
  };
  expect(await states({})).toEqual([['warn', true]]);
  expect(await states({ MINE: FOREIGN_KEY })).toEqual([['fail', true]]);
});

test('a profile that is read twice for Aider is named once', async () => {
  await using user = await openUserHome();
  await connect(user, 'aider');
  await mkdir(join(user.home, '.zshrc'));
  const { bad, places } = await check(await user.open({ variables: {}, folder: null }), 'aider');
  expect(bad).toHaveLength(1);
  expect(new Set(places).size).toBe(places.length);
});

test('a project below a Git repository reads the files above it, the nearest last', async () => {
  await using user = await openUserHome();
  await connect(user, 'opencode');
  await mkdir(join(user.home, 'shop', '.git'), { recursive: true });
  await user.put('shop/opencode.json', '{"model":"anthropic/claude"}');
  const inner = await user.put('shop/web/opencode.json', '{"model":"gatehouse/other"}');
  const terminal = { variables: {}, folder: join(user.home, 'shop', 'web') };
  const { bad, places } = await check(await user.open(terminal), 'opencode');
  expect(bad).toEqual([]);
  expect(places).toContain(`${inner}: model is gatehouse/other, wins`);
});
