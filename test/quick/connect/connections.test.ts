import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { PROGRAM_IDS } from '../../../shared/connect/connection.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { openUserHome, type UserHome } from '../../kit/connections-home.ts';

const SETTINGS = '.claude/settings.json';

const CHOICE = { program: 'claude-code', model: 'zai-org/glm-5' } as const;

const RULES = '"permissions":   { "allow" : ["Bash(ls:*)"] }';

const PRESENT = `{
    ${RULES},
    "env": {
        "MY_OWN":"1",
        "ANTHROPIC_MODEL": "opus"
    }
}
`;

async function readEnv(file: string): Promise<Record<string, unknown>> {
  const { env }: { env: Record<string, unknown> } = parse(await readFile(file, 'utf8'));
  return env;
}

async function countKeys({ clients }: UserHome): Promise<number> {
  return (await clients.list()).filter(
    ({ kind, onlyTemporaryKeys }) => kind === 'stored' && !onlyTemporaryKeys,
  ).length;
}

test('fields are set in an existing file, and undoing restores its bytes, mode and key', async () => {
  await using user = await openUserHome();
  const file = await user.put(SETTINGS, PRESENT, 0o640);
  const preview = await user.connections.preview(CHOICE);
  expect(await readFile(file, 'utf8')).toBe(PRESENT);
  const { lines } = preview.files[0] ?? { lines: [] };
  expect(lines.filter(({ kind }) => kind === 'removed').map(({ text }) => text.trim())).toContain(
    '"ANTHROPIC_MODEL": "opus"',
  );
  const made = await user.connections.connect(CHOICE, preview.token);
  const text = await readFile(file, 'utf8');
  expect(text).toContain(RULES);
  expect(text).toContain('"MY_OWN":"1",');
  expect(await readEnv(file)).toMatchObject({
    MY_OWN: '1',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:6417',
    ANTHROPIC_AUTH_TOKEN: made.key,
    ANTHROPIC_MODEL: CHOICE.model,
  });
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  expect(user.clients.find([made.key ?? ''])?.client.name).toBe('Claude Code');
  const undone = await user.connections.disconnect('claude-code', null);
  expect(undone).toMatchObject({ complete: true, files: [{ result: 'restored', left: [] }] });
  expect(await readFile(file, 'utf8')).toBe(PRESENT);
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  expect(user.clients.find([made.key ?? ''])).toBeNull();
  expect(await readdir(join(user.dataDir, 'connections'))).toEqual([]);
});

test('a file that did not exist is private, and undoing deletes it with its folder', async () => {
  await using user = await openUserHome();
  await user.connections.connect(CHOICE, null);
  expect((await stat(join(user.home, SETTINGS))).mode & 0o777).toBe(0o600);
  const [state] = await user.connections.list();
  expect(state?.connection?.files).toMatchObject([{ state: 'as-written' }]);
  expect(await user.connections.disconnect('claude-code', null)).toMatchObject({
    files: [{ result: 'deleted' }],
  });
  expect(await readdir(user.home)).toEqual([]);
});

test('a connection has the name that its client has now, also after that was revoked', async () => {
  await using user = await openUserHome();
  const { client } = await user.connections.connect(CHOICE, null);
  const findClient = async () => (await user.connections.list())[0]?.connection?.client;
  expect(await findClient()).toEqual({ id: client.id, name: 'Claude Code' });
  await user.clients.rename(client.id, 'Work');
  expect(await findClient()).toEqual({ id: client.id, name: 'Work' });
  await user.clients.revoke(client.id);
  expect(await findClient()).toEqual({ id: client.id, name: 'Work' });
});

test('a link stays a link, and the file behind it is changed', async () => {
  await using user = await openUserHome();
  const real = await user.put('dotfiles/claude.json', PRESENT);
  await mkdir(join(user.home, '.claude'));
  await symlink(real, join(user.home, SETTINGS));
  await user.connections.connect(CHOICE, null);
  expect((await lstat(join(user.home, SETTINGS))).isSymbolicLink()).toBe(true);
  expect(await readEnv(real)).toHaveProperty('ANTHROPIC_BASE_URL');
  await user.connections.disconnect('claude-code', null);
  expect(await readFile(real, 'utf8')).toBe(PRESENT);
});

test('of a file that was changed since, only our fields with our values go', async () => {
  await using user = await openUserHome();
  const file = await user.put(SETTINGS, PRESENT);
  await user.connections.connect(CHOICE, null);
  const changed = (await readFile(file, 'utf8'))
    .replace('"MY_OWN":"1"', '"MY_OWN": "2", "NEW": "x"')
    .replace('"http://127.0.0.1:6417"', '"https://mine.example"');
  await writeFile(file, changed);
  const preview = await user.connections.previewUndo('claude-code');
  expect(preview.notes).toEqual([expect.stringContaining('env.ANTHROPIC_BASE_URL')]);
  expect(await readFile(file, 'utf8')).toBe(changed);
  expect(await user.connections.disconnect('claude-code', null)).toMatchObject({
    complete: true,
    files: [{ result: 'edited', left: ['env.ANTHROPIC_BASE_URL'] }],
  });
  expect(await readEnv(file)).toEqual({
    MY_OWN: '2',
    NEW: 'x',
    ANTHROPIC_MODEL: 'opus',
    ANTHROPIC_BASE_URL: 'https://mine.example',
  });
  expect(await readFile(file, 'utf8')).toContain(RULES);
});

test('a file that was changed after the preview is not changed, and no key is left', async () => {
  await using user = await openUserHome();
  const file = await user.put(SETTINGS, PRESENT);
  const { token } = await user.connections.preview(CHOICE);
  const later = PRESENT.replace('"1"', '"3"');
  await writeFile(file, later);
  await expect(user.connections.connect(CHOICE, token)).rejects.toThrow('was changed since');
  expect(await readFile(file, 'utf8')).toBe(later);
  expect(await countKeys(user)).toBe(0);
});

test('a file that cannot be parsed is left as it is, with the place of the error', async () => {
  await using user = await openUserHome();
  const broken = '{\n  "env": {\n    "A": \n';
  const file = await user.put(SETTINGS, broken);
  await expect(user.connections.connect(CHOICE, null)).rejects.toThrow(
    /settings\.json, line \d+, column \d+: .*Nothing was changed/u,
  );
  expect(await readFile(file, 'utf8')).toBe(broken);
  expect(await countKeys(user)).toBe(0);
});

test('what is no file, and no text, is refused', async () => {
  await using user = await openUserHome();
  await mkdir(join(user.home, SETTINGS), { recursive: true });
  await expect(user.connections.connect(CHOICE, null)).rejects.toThrow('not an ordinary file');
  await rm(join(user.home, SETTINGS), { recursive: true });
  await writeFile(join(user.home, SETTINGS), Buffer.from([0x7b, 0xff, 0x7d]));
  await expect(user.connections.connect(CHOICE, null)).rejects.toThrow('not a text in UTF-8');
  await writeFile(join(user.home, SETTINGS), Buffer.alloc(2 ** 20 + 1, 0x20));
  await expect(user.connections.connect(CHOICE, null)).rejects.toThrow('larger than 1 MB');
  expect(await countKeys(user)).toBe(0);
});

test('connecting again keeps the key and the bytes from before', async () => {
  await using user = await openUserHome();
  const file = await user.put(SETTINGS, PRESENT);
  const first = await user.connections.connect(CHOICE, null);
  user.moveTo(7000);
  const second = await user.connections.connect({ ...CHOICE, model: 'other' }, null);
  expect(second.key).toBe(first.key);
  expect(await readEnv(file)).toMatchObject({
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:7000',
    ANTHROPIC_MODEL: 'other',
  });
  expect(await countKeys(user)).toBe(1);
  await user.connections.disconnect('claude-code', null);
  expect(await readFile(file, 'utf8')).toBe(PRESENT);
});

test('two processes that connect at the same moment make one connection', async () => {
  await using user = await openUserHome();
  const file = await user.put(SETTINGS, PRESENT);
  const all = await Promise.all(Array.from({ length: 6 }, () => user.open()));
  const { token } = await user.connections.preview(CHOICE);
  const results = await Promise.allSettled(all.map((one) => one.connect(CHOICE, token)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await user.clients.reload();
  expect(await countKeys(user)).toBe(1);
  const undone = await Promise.allSettled(all.map((one) => one.disconnect('claude-code', null)));
  expect(undone.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await readFile(file, 'utf8')).toBe(PRESENT);
  await user.clients.reload();
  expect(await countKeys(user)).toBe(0);
});

test('the script of the data folder restores files without Gatehouse, and leaves those that were changed', async () => {
  await using user = await openUserHome();
  const file = await user.put(SETTINGS, PRESENT);
  await user.connections.connect(CHOICE, null);
  const written = await readFile(file, 'utf8');
  const runScript = async () => {
    const child = spawn('sh', [join(user.dataDir, 'restore.sh')], { stdio: 'pipe' });
    let printed = '';
    child.stdout.on('data', (part) => (printed += String(part)));
    const [code]: unknown[] = await once(child, 'close');
    return { code, printed };
  };
  await writeFile(file, `${written}\n`);
  expect(await runScript()).toMatchObject({
    code: 1,
    printed: expect.stringContaining('CHANGED SINCE'),
  });
  expect(await readFile(file, 'utf8')).toBe(`${written}\n`);
  await writeFile(file, written);
  expect(await runScript()).toEqual({ code: 0, printed: `restored: ${file}\n` });
  expect(await readFile(file, 'utf8')).toBe(PRESENT);
  expect(await runScript()).toEqual({ code: 0, printed: `unchanged: ${file}\n` });
  expect(await user.connections.disconnect('claude-code', null)).toMatchObject({ complete: true });
  await expect(stat(join(user.dataDir, 'restore.sh'))).rejects.toThrow('ENOENT');
});

test('the script leaves a file as it is when its copy is gone', async () => {
  await using user = await openUserHome();
  const file = await user.put(SETTINGS, PRESENT);
  await user.connections.connect(CHOICE, null);
  const written = await readFile(file, 'utf8');
  const folder = join(user.dataDir, 'connections', 'claude-code');
  for (const name of await readdir(folder)) {
    if (name.startsWith('before-')) await rm(join(folder, name));
  }
  const child = spawn('sh', [join(user.dataDir, 'restore.sh')], { stdio: 'ignore' });
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(await readFile(file, 'utf8')).toBe(written);
  // Without the copy the fields still go.
  expect(await user.connections.disconnect('claude-code', null)).toMatchObject({
    complete: true,
    files: [{ result: 'edited' }],
  });
  expect(await readFile(file, 'utf8')).toBe(PRESENT);
});

test('a project is an absolute path of a folder, and what was connected before is put back first', async () => {
  await using user = await openUserHome();
  const file = await user.put(SETTINGS, PRESENT);
  await user.connections.connect(CHOICE, null);
  for (const project of ['.', join(user.home, 'typo')]) {
    const error = user.connections.connect({ ...CHOICE, project }, null);
    await expect(error).rejects.toMatchObject({ field: 'project' });
  }
  expect(await readdir(user.home)).toEqual(['.claude']);
  const project = join(user.home, 'project');
  await mkdir(project);
  const good = await readFile(file, 'utf8');
  await writeFile(file, '{');
  await expect(user.connections.connect({ ...CHOICE, project }, null)).rejects.toThrow(
    'of the earlier connection cannot be put back',
  );
  expect(await readdir(project)).toEqual([]);
  await writeFile(file, good);
  await user.connections.connect({ ...CHOICE, project }, null);
  expect(await readFile(file, 'utf8')).toBe(PRESENT);
  expect(await readEnv(join(project, '.claude', 'settings.local.json'))).toHaveProperty(
    'ANTHROPIC_MODEL',
  );
  await user.connections.disconnect('claude-code', null);
  expect(await readdir(project)).toEqual([]);
});

test('no preview shows a key', async () => {
  await using user = await openUserHome();
  await user.put(
    SETTINGS,
    `{
  "env": {
    "GITHUB_TOKEN": "ghp_abcdefghijklmnop", "DB_PASSWORD": "ab$cd!efgh",
    "MONGO_URI": "mongodb://user:hunter22@host/db",
    "ANTHROPIC_API_KEY": "sk-ant-0123456789abcdef", "LOCAL_KEYS": "gh-${'k'.repeat(43)} otherpart"
  },
  "spareKeys": ["sk-first-0123456789abcdef", "sk-second-012345second"], "model": "gh-copilot-large"
}
`,
  );
  await user.connections.connect({ ...CHOICE, program: 'goose' }, null);
  const previews = [
    await user.connections.preview(CHOICE),
    await user.connections.previewUndo('goose'),
  ];
  const shown = JSON.stringify(previews);
  for (const secret of ['mnop', 'cd!ef', 'hunter22', '6789abcdef', '45second', 'otherpart'])
    expect(shown).not.toContain(secret);
  expect(shown).not.toMatch(/gh-[\w-]{43}/u);
  expect(shown).toContain(String.raw`\"GITHUB_TOKEN\": \"<key>\"`);
  expect(shown).toContain('gh-copilot-large');
  expect(shown).toContain(String.raw`\"ANTHROPIC_AUTH_TOKEN\": \"<local key>\"`);
});

test.each([
  ['a list', '"apiKeys": ["AIzaFirst-0123456789", "xai-Second-0123456789"]'],
  ['lines of a list', '"tokens": [\n    "AIzaFirst-0123456789",\n    "Second-0123456789"\n  ]'],
  [
    'an object',
    '"api_keys": {\n    "openrouter": "First-0123456789",\n    "b": "Second-01234567"\n  }',
  ],
  ['an object in its line', '"apiKeys": { "a": "First-0123456789", "b": "Second-0123456789" }'],
  ['a list that begins in its line', '"apiKeys": ["First-0123456789",\n    "Second-0123456789"]'],
  ['lines without indentation', '"tokens": [\n"First-0123456789",\n"Second-0123456789"\n]'],
  ['a list of which one has a bracket', '"tokens": ["First-]0123456789", "Second-0123456789"]'],
  ['lines of which one has a bracket', '"tokens": [\n"First-]0123456789",\n"Second-01234567"\n]'],
  ['a list with another name', '"apiKeyList": ["First-0123456789", "Second-0123456789"]'],
  [
    'values with a dot',
    '"keys": ["sk-0123456789abcdef01.First-012345", "sk-0123456789abcdef01.Second-01"]',
  ],
])('no preview shows keys that stand in %s', async (_, keys) => {
  await using user = await openUserHome();
  await user.put(SETTINGS, `{\n  ${keys},\n  "theme": "solarized-light", "env": {}\n}\n`);
  const { files } = await user.connections.preview(CHOICE);
  const shown = JSON.stringify(files);
  expect(shown).not.toMatch(/First|Second/u);
  expect(shown).toContain('solarized-light');
  expect(shown.match(/<key>/gu)?.length).toBeGreaterThan(1);
});

test.each([
  ['items', 'api-key:\n- gemini=AIzaFirst-0123456789\n- openrouter=or-Second-0123456789\n'],
  [
    'items behind comments',
    'api-key: # mine\n# all\n- a=First-0123456789\n- b=Second-0123456789\n',
  ],
  ['a list of more lines', 'api-key: [\n  # all\n  a=First-0123456789,\n  b=Second-0123456789]\n'],
  ['a text', 'api-key: |\n  First-0123456789\n  Second-0123456789\n'],
])('no preview of YAML shows %s below the name of a key', async (_, keys) => {
  await using user = await openUserHome();
  await user.put('.aider.conf.yml', `${keys}dark-mode: true\neditor-edit-format: whole-file\n`);
  const { files } = await user.connections.preview({ ...CHOICE, program: 'aider' });
  const shown = JSON.stringify(files);
  expect(shown).not.toMatch(/First|Second/u);
  expect(shown).toContain('whole-file');
});

test('no preview of TOML shows the keys in a table', async () => {
  await using user = await openUserHome();
  const keys = '[other.api_keys]\na = "First-0123456789"\n# b\nb = "Second-0123456789"\n';
  await user.put('.codex/config.toml', `${keys}\n[tui]\ntheme = "solarized-light"\n`);
  const { files } = await user.connections.preview({ ...CHOICE, program: 'codex' });
  const shown = JSON.stringify(files);
  expect(shown).not.toMatch(/First|Second/u);
  expect(shown).toContain('solarized-light');
});

test('settings in one line are shown to the end', async () => {
  await using user = await openUserHome();
  const padding = 'x'.repeat(400);
  await user.put(SETTINGS, `{"env": {"EDITOR": "vim", "PADDING": "${padding}"}}\n`);
  const { files } = await user.connections.preview(CHOICE);
  const added = files.flatMap(({ lines }) => lines).filter(({ kind }) => kind === 'added');
  expect(added).toHaveLength(1);
  expect(added[0]?.text).toMatch(/"CLAUDE_CODE_GATEWAY_HINT_HEADERS": "1".*\}$/u);
});

test('a file that others can read is named, and undoing what was changed since its preview is refused', async () => {
  await using user = await openUserHome();
  const file = await user.put(SETTINGS, PRESENT, 0o644);
  const { notes } = await user.connections.preview(CHOICE);
  expect(notes.join(' ')).toContain(`Other users of this machine can read ${file}`);
  await user.connections.connect(CHOICE, null);
  const { token } = await user.connections.previewUndo('claude-code');
  const changed = `${await readFile(file, 'utf8')}\n`;
  await writeFile(file, changed);
  await expect(user.connections.disconnect('claude-code', token)).rejects.toThrow('changed since');
  expect(await readFile(file, 'utf8')).toBe(changed);
});

test('a program whose key is entered by hand keeps it when its model changes', async () => {
  await using user = await openUserHome();
  const zed = { program: 'zed', model: 'one' } as const;
  const { key, keyToEnter } = await user.connections.connect(zed, null);
  expect(keyToEnter).toBe(key);
  const again = await user.connections.connect({ ...zed, model: 'two' }, null);
  expect(again.keyToEnter).toBeNull();
  expect(user.clients.find([key ?? ''])?.client.name).toBe('Zed');
});

test('an odd address in the settings is diagnosed', async () => {
  await using user = await openUserHome();
  await user.put(SETTINGS, '{"env":{"ANTHROPIC_BASE_URL":"http://localhost:99999/v1"}}');
  expect(await user.connections.diagnose('claude-code')).toMatchObject({
    addresses: [{ state: 'other-port' }],
  });
});

// The settings of LibreChat have no fixed place.
const DIAGNOSED = PROGRAM_IDS.filter((id) => id !== 'librechat');

test.for(DIAGNOSED)('the diagnosis of %s finds its address and its key', async (program) => {
  await using user = await openUserHome();
  const choice = { program, model: 'zai-org/glm-5' };
  await user.connections.connect(choice, (await user.connections.preview(choice)).token);
  const { addresses, key } = await user.connections.diagnose(program);
  expect(addresses.map(({ state }) => state)).toEqual(['right']);
  // Zed keeps its key in the keychain.
  expect(key.state).toBe(program === 'zed' ? 'absent' : 'valid');
});

test('the files that a connection has changed are diagnosed, wherever a new one would be', async () => {
  await using user = await openUserHome();
  await user.put('.config/opencode/opencode.json', '{}');
  await user.put('shop/package.json', '{}');
  const project = join(user.home, 'shop');
  const choices = [
    { program: 'opencode', model: 'zai-org/glm-5' },
    { ...CHOICE, project },
    { program: 'librechat', model: 'zai-org/glm-5', project },
  ] as const;
  for (const choice of choices) await user.connections.connect(choice, null);
  await user.put('.config/opencode/opencode.jsonc', '{}');
  for (const { program } of choices) {
    const { addresses, key } = await user.connections.diagnose(program);
    expect([program, addresses.map(({ state }) => state)]).toEqual([program, ['right']]);
    expect(key.state).toBe('valid');
  }
  const states = await user.connections.list();
  expect(states.find(({ id }) => id === 'claude-code')?.connection?.project).toBe(project);
});

test('the key of a connection whose client is revoked ends', async () => {
  await using user = await openUserHome();
  const { client } = await user.clients.add('Claude Code');
  const { key } = await user.connections.connect(CHOICE, null);
  await user.clients.revoke(client.id);
  expect(user.clients.findRetired([key ?? ''])?.cause).toBe('revoked');
  const store = await openStore(join(user.dataDir, 'gatehouse.db'));
  const rows = await store.db.selectFrom('temporary_key').select('ended_at').execute();
  await store.close();
  expect(rows.map(({ ended_at }) => ended_at)).toEqual([expect.any(Number)]);
});

const session = (provider: string) =>
  `{"type":"session_meta","payload":{"model_provider":"${provider}"}}\n{"text":"\\"model_provider\\":\\"gatehouse\\""}\n`;

test('undoing Codex counts the sessions that need its provider, and says how to continue them', async () => {
  await using user = await openUserHome();
  const choice = { program: 'codex', model: 'zai-org/glm-5' } as const;
  await user.connections.connect(choice, null);
  const undo = async () => (await user.connections.previewUndo('codex')).notes;
  await user.put('.codex/sessions/2026/01/01/a.jsonl', session('openai'));
  expect(await undo()).toEqual([]);
  await user.put('.codex/sessions/2026/01/02/b.jsonl', session('gatehouse'));
  await user.put('.codex/sessions/2026/01/02/c.jsonl', session('gatehouse'));
  expect((await undo()).join()).toMatch(/^2 sessions of Codex .* gatehouse run -- codex resume$/u);
});
