import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { assert, expect, test } from 'vitest';
import { PROGRAM_IDS, type ProgramId } from '../../../shared/connect/connection.ts';
import { openUserHome, type UserHome } from '../../kit/connections-home.ts';

const GONE = 'are from a Gatehouse that is gone';

/** Content that a person has, for the programs where all fields of a Gatehouse that is gone are known. */
const PRESENT: Readonly<Record<string, readonly [string, string]>> = {
  'claude-code': ['.claude/settings.json', '{"env":{"MINE":"1"},"permissions":{}}'],
  codex: ['.codex/config.toml', '# mine\n[mcp_servers.files]\ncommand = "files"\n'],
  opencode: ['.config/opencode/opencode.json', '{"theme":"dark"}'],
  pi: ['.pi/agent/settings.json', '{"theme":"dark"}'],
  goose: ['.config/goose/config.yaml', '# mine\nextensions: {}\n'],
  crush: ['.config/crush/crush.json', '{"options":{"debug":true}}'],
  aider: ['.aider.conf.yml', '# mine\ndark-mode: true\n'],
  continue: [
    '.continue/config.yaml',
    'models:\n  - name: mine\n    provider: ollama\n    model: m\n',
  ],
};

/** Connects a program from a data folder that is gone then. */
async function connectFromGone(
  user: UserHome,
  choice: {
    readonly program: ProgramId;
    readonly model: string;
  },
): Promise<void> {
  await using other = await openUserHome({ home: user.home });
  other.moveTo(1);
  await other.connections.connect(choice, null);
}

test.for(PROGRAM_IDS.filter((id) => Object.hasOwn(PRESENT, id)))(
  'undoing a connection of %s does not bring back that of a Gatehouse that is gone',
  async (program) => {
    await using user = await openUserHome();
    const [path = '', text = ''] = PRESENT[program] ?? [];
    const file = await user.put(path, text);
    await connectFromGone(user, { program, model: 'gone/model' });
    const choice = { program, model: 'zai-org/glm-5' };
    const preview = await user.connections.preview(choice);
    expect(preview.notes.join('\n')).toContain(GONE);
    const removed = preview.files.flatMap(({ lines }) =>
      lines.filter(({ kind }) => kind === 'removed'),
    );
    expect(removed.map((line) => line.text).join('\n')).toContain('gone/model');
    await user.connections.connect(choice, preview.token);
    const { files } = await user.connections.disconnect(program, null);
    for (const { path: at } of files) {
      const left = await readFile(at, 'utf8').catch(() => '');
      // The head that Continue needs stays while others use the file.
      expect(left.replace(/^name: Gatehouse$/mu, '')).not.toMatch(
        /gh-|127\.0\.0\.1|gone\/model|gatehouse/iu,
      );
    }
    const back = await readFile(file, 'utf8');
    for (const word of text.match(/[a-z_-]{4,}/giu) ?? []) expect(back).toContain(word);
  },
);

test('a file that only a Gatehouse that is gone has made goes with the connection', async () => {
  await using user = await openUserHome();
  await connectFromGone(user, { program: 'claude-code', model: 'gone/model' });
  const choice = { program: 'claude-code', model: 'zai-org/glm-5' } as const;
  await user.connections.connect(choice, (await user.connections.preview(choice)).token);
  expect((await user.connections.disconnect('claude-code', null)).files).toMatchObject([
    { result: 'deleted' },
  ]);
});

test('a model that a person has chosen beside another provider is theirs', async () => {
  await using user = await openUserHome();
  const path = '.config/goose/config.yaml';
  await connectFromGone(user, { program: 'goose', model: 'gone/model' });
  const file = await user.put(path, 'GOOSE_PROVIDER: openai\nGOOSE_MODEL: gpt-5\n');
  await user.connections.connect({ program: 'goose', model: 'zai-org/glm-5' }, null);
  await user.connections.disconnect('goose', null);
  expect(await readFile(file, 'utf8')).toBe('GOOSE_PROVIDER: openai\nGOOSE_MODEL: gpt-5\n');
});

test('the settings of another Gatehouse that answers, and a key of a client here, come back', async () => {
  await using user = await openUserHome();
  await using other = await openUserHome({ home: user.home });
  const server = createServer((_request, response) => response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(address !== null && typeof address !== 'string');
  other.moveTo(address.port);
  const choice = { program: 'claude-code', model: 'zai-org/glm-5' } as const;
  await other.connections.connect(choice, null);
  const file = join(user.home, '.claude', 'settings.json');
  const theirs = await readFile(file, 'utf8');
  const check = async (text: string) => {
    expect((await user.connections.preview(choice)).notes.join()).not.toContain(GONE);
    await user.connections.connect(choice, null);
    await user.connections.disconnect('claude-code', null);
    expect(await readFile(file, 'utf8')).toBe(text);
  };
  await check(theirs);
  server.close();
  await once(server, 'close');
  const { key } = await user.clients.add('By hand');
  const mine = theirs.replace(/gh-[\w-]{43}/u, key);
  await mkdir(join(user.home, '.claude'), { recursive: true });
  await user.put('.claude/settings.json', mine);
  await check(mine);
});
