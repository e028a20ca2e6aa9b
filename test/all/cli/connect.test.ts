import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openStore } from '../../../gateway/store/store.ts';
import { acquireLock, readLockOwner } from '../../../host/lock/instance-lock.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import {
  openTestMachine,
  SCRIPT_INSTALLED,
  type TestMachine,
} from '../../kit/process/test-machine.ts';

const MODEL = 'aurora/aurora-large';
const CODEX = `# mine
model = "gpt-5"

[mcp_servers.files]
command = "files" # a tool
`;
const ClientList = z.object({
  clients: z.array(
    z.object({ name: z.string(), exchanges: z.number(), revokedAt: z.number().nullable() }),
  ),
});

function homeOf({ dataDir }: TestMachine): string {
  return dirname(dataDir);
}

async function putCodex(machine: TestMachine): Promise<string> {
  const file = join(homeOf(machine), '.codex', 'config.toml');
  await mkdir(dirname(file));
  await writeFile(file, CODEX);
  return file;
}

/** Puts a program in PATH that does what a script says. */
async function putProgram(machine: TestMachine, name: string, script: string): Promise<string> {
  const folder = join(homeOf(machine), 'bin');
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return `${folder}:${process.env['PATH'] ?? ''}`;
}

test('a change is shown, made and taken back, and only --dry-run makes none', async () => {
  await using machine = await openTestMachine();
  const file = await putCodex(machine);
  const dry = await machine.run(['connect', 'codex', '--dry-run', '--model', MODEL]);
  expect([dry.code, dry.stderr]).toEqual([0, '']);
  expect(dry.stdout).toContain('- model = "gpt-5"\n+ model = "aurora/aurora-large"');
  expect(await readFile(file, 'utf8')).toBe(CODEX);
  const made = await machine.run(['connect', 'codex', '--yes', '--model', MODEL]);
  expect(made.stdout).toContain(
    'Codex is connected as the client “Codex”, with a local key of its own.',
  );
  expect(made.stdout).not.toMatch(/gh-[\w-]{43}/u);
  expect(await readFile(file, 'utf8')).toMatch(/experimental_bearer_token = "gh-[\w-]{43}"/u);
  expect((await machine.run(['connect'])).stdout).toMatch(/Codex +codex .* connected/u);
  const doctor = await machine.run(['doctor', 'codex']);
  expect(doctor.stdout).toContain('its settings lead to http://127.0.0.1:6417/v1');
  expect(doctor.stdout).toContain('its local key is that of the client “Codex”');
  const undone = await machine.run(['disconnect', 'codex', '--yes']);
  expect(undone.stdout).toBe(`${file}: as it was before\n`);
  expect(await readFile(file, 'utf8')).toBe(CODEX);
});

test('what a person is not asked about is printed all the same, beside JSON if that is the output', async () => {
  await using machine = await openTestMachine();
  await putCodex(machine);
  const sessions = join(homeOf(machine), '.codex', 'sessions');
  await mkdir(sessions);
  const meta = { type: 'session_meta', payload: { model_provider: 'gatehouse' } };
  await writeFile(join(sessions, 'a.jsonl'), `${JSON.stringify(meta)}\n`);
  const calls = [
    ['connect', 'codex', '--yes', '--model', MODEL],
    ['disconnect', 'codex', '--yes'],
  ];
  const notes = [
    /^A client “Codex” is added for it, [^]*^Codex resumes a session only .*: gatehouse run -- codex resume$/mu,
    /^1 session of Codex .*: gatehouse run -- codex resume$/mu,
  ];
  for (const [index, call] of calls.entries()) {
    const { stdout, stderr } = await machine.run(call);
    expect([stdout, stderr]).toEqual([expect.stringMatching(notes[index] ?? ''), '']);
  }
  await machine.run(['clients', 'revoke', 'Codex']);
  for (const [index, call] of calls.entries()) {
    const { stdout, stderr } = await machine.run([...call, '--json']);
    expect(stderr).toMatch(notes[index] ?? '');
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  }
  await machine.run(['connect', 'codex', '--yes', '--model', MODEL]);
  expect((await machine.run(['clients', 'revoke', 'Codex'])).stdout).toMatch(notes[1] ?? '');
});

test('commands at the same moment make one connection and take it back once', async () => {
  await using machine = await openTestMachine();
  const file = await putCodex(machine);
  const commands = ['connect', 'codex', '--yes', '--model', MODEL];
  const results = await Promise.all(Array.from({ length: 4 }, () => machine.run(commands)));
  expect(results.some(({ code }) => code === 0)).toBe(true);
  for (const { code, stderr } of results) if (code !== 0) expect(stderr).toContain('was changed');
  const { clients } = ClientList.parse(await machine.json(['clients', 'list']));
  expect(clients.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
  const ends = await Promise.all(
    Array.from({ length: 4 }, () => machine.run(['disconnect', 'codex', '--yes'])),
  );
  expect(ends.filter(({ code }) => code === 0)).toHaveLength(1);
  expect(await readFile(file, 'utf8')).toBe(CODEX);
});

test('a program without a name, and one that is set up by hand, are told', async () => {
  await using machine = await openTestMachine();
  const wrong = await machine.run(['connect', 'nothing-like-it']);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    'There is no program “nothing-like-it”. List those there are: gatehouse connect\n',
  ]);
  for (const [command = '', typed = ''] of [
    ['connect', 'claud'],
    ['connect', 'Claude Code'],
    ['disconnect', 'calude-code'],
  ]) {
    const { code, stderr } = await machine.run([command, typed]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(' Did you mean claude-code? ')]);
  }
  const cursor = await machine.run(['connect', 'cursor']);
  expect(cursor.code).toBe(2);
  expect(cursor.stderr).toContain('Cursor cannot be connected.');
  const byHand = await machine.run(['connect', 'roo-code', '--model', MODEL]);
  expect(byHand.stdout).toContain('http://127.0.0.1:6417/v1');
  expect(byHand.stdout).toContain('documentation of Roo Code; they were not tried with it.');
  const { stdout } = await machine.run(['connect']);
  expect(stdout).toMatch(/^From documentation only, not tried: .*roo-code.*cursor/mu);
  expect((await machine.run(['disconnect'])).stderr).toBe('No program was connected.\n');
  expect((await machine.run(['disconnect', 'codex', '--yes'])).stderr).toBe(
    'Codex was not connected by Gatehouse.\n',
  );
});

test('a program that was started with run has a key that ends with it, and its exit code is passed on', async () => {
  await using sandbox = await openSandbox();
  await using machine = await openTestMachine();
  await using serving = await machine.serve(['--no-ui'], {
    environment: { GATEHOUSE_UPSTREAM_URL: sandbox.url, GATEHOUSE_UPSTREAM_KEY: sandbox.key },
  });
  const path = await putProgram(
    machine,
    'claude',
    'shift 2; echo "$ANTHROPIC_AUTH_TOKEN $ANTHROPIC_BASE_URL $1"; read line; echo "$line"; exit 7',
  );
  const ended = await machine.run(['run', '--model', MODEL, '--', 'claude', '--resume'], {
    environment: { PATH: path, GATEHOUSE_UPSTREAM_KEY: sandbox.key },
    input: 'hello\n',
  });
  expect([ended.code, ended.stderr]).toEqual([7, '']);
  const [, key = '', url = ''] =
    /^(gh-[\w-]{43}) (\S+) --resume\nhello\n$/u.exec(ended.stdout) ?? [];
  expect(url).toBe(`http://127.0.0.1:${serving.port}`);
  const ask = async (): Promise<number> => {
    const answer = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    await answer.body?.cancel();
    return answer.status;
  };
  // The gateway sees the change of another process within a second.
  await expect.poll(ask).toBe(401);
  // Its key works while it runs, and two at the same moment are one client.
  const curl = `curl -s -o /dev/null -w '%{http_code}' -H "authorization: Bearer $ANTHROPIC_AUTH_TOKEN" $ANTHROPIC_BASE_URL/v1/models`;
  const both = await putProgram(machine, 'claude', curl);
  const results = await Promise.all(
    [1, 2].map(() =>
      machine.run(['run', '--model', MODEL, '--', 'claude'], { environment: { PATH: both } }),
    ),
  );
  expect(results.map(({ stdout }) => stdout)).toEqual(['200', '200']);
  const { clients } = ClientList.parse(await machine.json(['clients', 'list']));
  expect(clients.filter(({ name }) => name.startsWith('Claude'))).toHaveLength(1);
  const list = await machine.run(['clients', 'list']);
  expect(list.stdout).toMatch(/^Claude Code .* not connected$/mu);
});

test('a program without settings of its own is started with its variables, for the client of these', async () => {
  await using sandbox = await openSandbox();
  await using machine = await openTestMachine();
  await using serving = await machine.serve(['--no-ui'], {
    environment: { GATEHOUSE_UPSTREAM_URL: sandbox.url, GATEHOUSE_UPSTREAM_KEY: sandbox.key },
  });
  const echo =
    'echo "$COPILOT_PROVIDER_BASE_URL $COPILOT_MODEL ${COPILOT_PROVIDER_API_KEY%"${COPILOT_PROVIDER_API_KEY#gh-}"}"';
  const call = {
    environment: {
      PATH: await putProgram(machine, 'copilot', echo),
      GATEHOUSE_UPSTREAM_KEY: sandbox.key,
    },
  };
  const started = await machine.run(['run', '--model', MODEL, '--', 'copilot'], call);
  expect(started.stdout).toBe(`http://127.0.0.1:${serving.port}/v1 ${MODEL} gh-\n`);
  const { clients } = ClientList.parse(await machine.json(['clients', 'list']));
  expect(clients.map(({ name }) => name)).toContain('Copilot CLI (env)');
  const unnamed = await machine.run(['run', '--', 'copilot'], call);
  expect([unnamed.code, unnamed.stdout]).toEqual([2, '']);
  expect(unnamed.stderr).toMatch(/^Name the model: --model ID\. /u);
});

test('requests of a program that was started with run are recorded with its repository', async () => {
  await using sandbox = await openSandbox();
  await using machine = await openTestMachine();
  await using serving = await machine.serve(['--no-ui'], {
    environment: { GATEHOUSE_UPSTREAM_URL: sandbox.url, GATEHOUSE_UPSTREAM_KEY: sandbox.key },
  });
  const models = `http://127.0.0.1:${serving.port}/v1/models`;
  const curl = `curl -s -o /dev/null -H "authorization: Bearer $ANTHROPIC_AUTH_TOKEN" ${models}`;
  const path = await putProgram(machine, 'claude', curl);
  const begin = async (name: string, ...settings: readonly (readonly string[])[]) => {
    const top = join(machine.home, name);
    await mkdir(join(top, 'src'), { recursive: true });
    if (settings.length > 0) spawnSync('git', ['init', '-q', top]);
    for (const setting of settings) spawnSync('git', ['-C', top, 'config', ...setting]);
    const within = ['sh', '-c', 'cd "$0" && exec "$@"', join(top, 'src')];
    const call = { environment: { PATH: path }, within };
    expect(await machine.run(['run', '--model', MODEL, '--', 'claude'], call)).toMatchObject({
      code: 0,
    });
  };
  const remote = 'https://me:secret@example.com/a/My Shop.git?token=secret';
  await begin('shop', ['remote.fork.url', 'x:y'], ['remote.origin.url', remote]);
  await begin('beside', ['remote.origin.url', '../other.git']);
  await begin('local', ['user.name', 'me']);
  await begin('none');
  const home = await realpath(machine.home);
  const List = z.object({
    exchanges: z.array(z.object({ sender: z.object({ project: z.string() }) })),
  });
  await expect
    .poll(async () => {
      const { exchanges } = List.parse(await machine.json(['history']));
      return exchanges.map(({ sender }) => sender.project);
    })
    .toEqual([
      join(home, 'none', 'src'),
      join(home, 'local'),
      join(home, 'other.git'),
      'https://example.com/a/My Shop.git',
    ]);
});

test('without a Gatehouse that runs, run starts nothing', async () => {
  await using machine = await openTestMachine();
  const path = await putProgram(machine, 'claude', 'echo started');
  const { code, stdout, stderr } = await machine.run(['run', '--', 'claude'], {
    environment: { PATH: path },
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^No Gatehouse is running here/u);
});

test.skipIf(!SCRIPT_INSTALLED)('without one, run asks a person what to do', async () => {
  await using machine = await openTestMachine();
  const path = await putProgram(machine, 'claude', 'echo "started $1"');
  await using screen = machine.startAtScreen([
    'run',
    '--',
    join(path.split(':')[0] ?? '', 'claude'),
    'now',
  ]);
  await screen.waitFor('What should be done?');
  // The second one.
  screen.type('\u{1b}[B');
  screen.type('\r');
  await screen.waitFor('started now');
  expect(await screen.ended).toBe(0);
});

test('without one, run starts the program directly if it is told to, but not one whose settings lead to Gatehouse', async () => {
  await using machine = await openTestMachine();
  const path = await putProgram(machine, 'codex', 'echo "$1 $OPENAI_BASE_URL"; exit 3');
  const environment = { PATH: path };
  const line = ['run', '--when-off', 'direct', '--', 'codex', 'go'];
  expect(await machine.run(line, { environment })).toEqual({
    code: 3,
    stdout: 'go \n',
    stderr: 'codex is started without Gatehouse, which is off.\n',
  });
  const file = await putCodex(machine);
  const runWith = async (port: number) => {
    const address = `http://127.0.0.1:${port}/v1`;
    await writeFile(file, `[model_providers.gatehouse]\nbase_url = "${address}"\n`);
    return await machine.run(line, { environment });
  };
  expect((await runWith(1234)).code).toBe(3);
  const own = await runWith(6417);
  expect([own.code, own.stdout]).toEqual([1, '']);
  expect(own.stderr).toContain(`the address of Gatehouse (http://127.0.0.1:6417/v1 in ${file})`);
  await writeFile(file, CODEX);
  await machine.run(['connect', 'codex', '--model', MODEL, '--yes']);
  const refused = await machine.run(line, { environment });
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(
    /^The settings of Codex lead to Gatehouse, .* disconnect codex$/mu,
  );
});

test('without one, run starts no program whose variables lead to Gatehouse, and says which', async () => {
  await using machine = await openTestMachine();
  const PATH = await putProgram(machine, 'claude', 'exit 3');
  const run = async (address: string) => {
    const environment = { PATH, ANTHROPIC_BASE_URL: address };
    return await machine.run(['run', '--when-off', 'direct', '--', 'claude'], { environment });
  };
  expect((await run('http://172.17.0.1:6417')).code).toBe(3);
  const store = await openStore(join(machine.dataDir, 'gatehouse.db'));
  const value = JSON.stringify([{ name: 'Docker', address: '172.17.0.1' }]);
  await store.db.insertInto('setting').values({ key: 'furtherListeners', value }).execute();
  await store.close();
  for (const address of ['http://127.0.0.1:6417', 'http://172.17.0.1:6417']) {
    const { code, stderr } = await run(address);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `hold the address of Gatehouse (${address} in ANTHROPIC_BASE_URL of this terminal), so`,
      ),
    ]);
  }
});

test('outside of a connected project, run looks at the settings that count there', async () => {
  await using machine = await openTestMachine();
  const shop = join(homeOf(machine), 'shop');
  await mkdir(shop);
  const connect = ['connect', 'claude-code', '--project', shop, '--yes', '--model', MODEL];
  expect((await machine.run(connect)).code).toBe(0);
  const PATH = await putProgram(machine, 'claude', 'exit 3');
  const run = async (address: string) => {
    const environment = { PATH, SHELL: '/bin/bash', ANTHROPIC_BASE_URL: address };
    return await machine.run(['run', '--when-off', 'direct', '--', 'claude'], { environment });
  };
  const settings = join(homeOf(machine), '.claude', 'settings.json');
  await mkdir(dirname(settings));
  const put = async (address: string) =>
    await writeFile(settings, JSON.stringify({ env: { ANTHROPIC_BASE_URL: address } }));
  const [ours, other] = ['http://127.0.0.1:6417', 'https://models.example'];
  await writeFile(join(homeOf(machine), '.bashrc'), `export ANTHROPIC_BASE_URL=${ours}\n`);
  expect((await run(other)).code).toBe(3);
  expect((await run(ours)).code).toBe(1);
  await put(other);
  expect((await run(ours)).code).toBe(3);
  await put(ours);
  const { code, stderr } = await run(other);
  expect(code).toBe(1);
  expect(stderr).toContain(`hold the address of Gatehouse (${ours} in ${settings})`);
});

test('without one, run starts one if it is told to, which two at the same moment share and which stays', async () => {
  await using sandbox = await openSandbox();
  await using machine = await openTestMachine();
  const answers = `curl -s -o /dev/null -w '%{http_code}' -H "authorization: Bearer $ANTHROPIC_AUTH_TOKEN" $ANTHROPIC_BASE_URL/v1/models`;
  const environment = {
    PATH: await putProgram(machine, 'claude', answers),
    GATEHOUSE_UPSTREAM_URL: sandbox.url,
    GATEHOUSE_UPSTREAM_KEY: sandbox.key,
    GATEHOUSE_PORT: '0',
    GATEHOUSE_UI_PORT: '0',
  };
  const line = ['run', '--when-off', 'start', '--model', MODEL, '--', 'claude'];
  const results = await Promise.all([1, 2].map(() => machine.run(line, { environment })));
  const owner = await readLockOwner(machine.dataDir);
  try {
    expect(results.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, '200'],
      [0, '200'],
    ]);
    const notes = results.flatMap(({ stderr }) => stderr.split('\n')).filter(Boolean);
    const started = notes.filter((note) => note !== 'Waiting for Gatehouse, which is starting.');
    expect(started).toEqual([expect.stringMatching(/^Gatehouse was started in the background, /u)]);
    const again = await machine.run(line, { environment });
    expect([again.code, again.stdout, again.stderr]).toEqual([0, '200', '']);
  } finally {
    expect(await machine.run(['stop'])).toEqual({
      code: 0,
      stdout: `Gatehouse (pid ${owner?.pid}) has ended.\n`,
      stderr: '',
    });
    expect(await readLockOwner(machine.dataDir)).toBeNull();
  }
});

test('run waits for a Gatehouse that is starting', async () => {
  await using machine = await openTestMachine();
  await mkdir(machine.dataDir);
  const lock = await acquireLock(machine.dataDir);
  if (!('release' in lock)) throw new Error('The folder is used already.');
  onTestFinished(() => lock.release());
  const PATH = await putProgram(machine, 'claude', 'echo $ANTHROPIC_BASE_URL');
  const line = ['run', '--when-off', 'stop', '--model', MODEL, '--', 'claude'];
  await using command = machine.begin(line, { environment: { PATH } });
  await command.errorSays('Waiting for Gatehouse, which is starting.');
  const status = await machine.run(['status', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({
    running: false,
    hindrances: [expect.stringContaining('it may be starting or stopping')],
  });
  lock.update({ port: 1234 });
  expect(await command.finished).toMatchObject({ code: 0, stdout: 'http://127.0.0.1:1234\n' });
});

test.each([
  [['claude'], 2, 'Name the model'],
  [['./no-program'], 1, '“./no-program” is no program that can be started.'],
])('run starts no Gatehouse for %j, which cannot be started', async (program, code, message) => {
  await using machine = await openTestMachine();
  const environment = { PATH: await putProgram(machine, 'claude', 'echo started') };
  const line = ['run', '--when-off', 'start', '--', ...program];
  const result = await machine.run(line, { environment });
  expect([result.code, result.stdout]).toEqual([code, '']);
  expect(result.stderr).toContain(message);
  expect(result.stderr).not.toContain('in the background');
  expect(await readLockOwner(machine.dataDir)).toBeNull();
});

test('a Gatehouse that cannot be started is named, and the program is not started', async () => {
  await using machine = await openTestMachine();
  const environment = {
    PATH: await putProgram(machine, 'claude', 'echo started'),
    GATEHOUSE_UI_PORT: 'none',
  };
  const line = ['run', '--when-off', 'start', '--model', MODEL, '--', 'claude'];
  const { code, stdout, stderr } = await machine.run(line, { environment });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^Gatehouse did not start. See why: /u);
});

test.skipIf(!SCRIPT_INSTALLED)('a person sees the change and is asked', async () => {
  await using machine = await openTestMachine();
  const file = await putCodex(machine);
  await using screen = machine.startAtScreen(['connect', 'codex', '--model', MODEL]);
  await screen.waitFor('Make this change?');
  expect(await readFile(file, 'utf8')).toBe(CODEX);
  screen.type('y');
  await screen.waitFor('Undo it');
  expect(await screen.ended).toBe(0);
  expect(await readFile(file, 'utf8')).toContain('model_provider = "gatehouse"');
});

test('a start at another port names the programs that lead to the old one', async () => {
  await using machine = await openTestMachine();
  await putCodex(machine);
  await machine.run(['connect', 'codex', '--yes', '--model', MODEL]);
  await using serving = await machine.serve(['--no-ui']);
  await serving.errorSays('The settings of Codex lead to http://127.0.0.1:6417');
  expect((await machine.run(['connect', 'codex', '--yes'])).code).toBe(0);
  const file = join(homeOf(machine), '.codex', 'config.toml');
  expect(await readFile(file, 'utf8')).toContain(`http://127.0.0.1:${serving.port}/v1`);
});

test('a report is shown, has no keys and no name of a person, and is written once', async () => {
  await using machine = await openTestMachine();
  const home = homeOf(machine);
  await putCodex(machine);
  await machine.run(['connect', 'codex', '--yes', '--model', MODEL]);
  await using serving = await machine.serve(['--no-ui']);
  const file = join(home, 'report.txt');
  const { code, stdout, stderr } = await machine.run(['doctor', '--report', file, '--yes'], {
    environment: { GATEHOUSE_UPSTREAM_KEY: 'sk-0123456789abcdefgh' },
  });
  expect([code, stderr]).toEqual([0, '']);
  const text = await readFile(file, 'utf8');
  expect(stdout).toContain(text);
  expect(text).toContain('Codex: its settings lead to');
  expect(text).toContain('Repairs     on');
  expect(serving.port).toBeGreaterThan(0);
  for (const secret of [home, 'sk-0123456789']) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/gh-[\w-]{43}/u);
  const again = await machine.run(['doctor', '--report', file, '--yes']);
  expect(again.code).toBe(1);
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('doctor --try tells which protocols a model answers, how fast, and why one is refused', async () => {
  await using sandbox = await openSandbox();
  await using machine = await openTestMachine();
  const alone = await machine.run(['doctor', '--try', MODEL]);
  expect(alone.stderr).toContain('No Gatehouse is running');
  await using serving = await machine.serve(['--no-ui'], {
    environment: { GATEHOUSE_UPSTREAM_URL: sandbox.url, GATEHOUSE_UPSTREAM_KEY: sandbox.key },
  });
  expect(serving.port).toBeGreaterThan(0);
  const good = await machine.run(['doctor', 'codex', '--try', MODEL]);
  for (const name of ['Chat', 'Responses', 'Messages']) {
    expect(good.stdout).toMatch(new RegExp(`ok +${name}, ${MODEL}: it answers in pieces`, 'u'));
  }
  const bad = await machine.run(['doctor', 'codex', '--try', 'no/such-model']);
  expect(bad.stdout).toMatch(/warn +Chat, no\/such-model: refused with 4\d\d\. \S/u);
});
