import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCRIPT_INSTALLED } from '../../../kit/process/test-machine.ts';
import { KEYRING_INSTALLED, openSession } from '../../../kit/process/keyring.ts';
import { writeElectronFiles } from './electron-files.ts';
import { pack } from './pack.ts';

const LAUNCHER = join(import.meta.dirname, '..', '..', '..', '..', 'launcher', 'gatehouse');
const CALL = join(import.meta.dirname, 'call-process.ts');
const KEY = 'sk-live-0123456789-abcdefghijklmnop';
const LINUX = process.platform === 'linux';

let folder = '';
let environment: NodeJS.ProcessEnv = {};

// The packed app over a stand-in for Electron's program, which its launcher starts.
beforeAll(async () => {
  if (!LINUX) return;
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-launcher-'));
  const electron = join(folder, 'electron');
  await writeElectronFiles(electron);
  await pack({ by: 'script', electron, output: folder, args: ['--linux', 'dir', '--x64'] });
  environment = {
    PATH: process.env['PATH'],
    HOME: folder,
    GATEHOUSE_APP: join(folder, 'linux-unpacked', 'gatehouse-desktop'),
    GATEHOUSE_TEST_EXTRACTED: join(folder, 'extracted'),
    GATEHOUSE_UI_PORT: '0',
  };
  await run(['--version']);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function newDataDir(): Promise<NodeJS.ProcessEnv> {
  return { GATEHOUSE_DATA_DIR: await mkdtemp(join(folder, 'data-')) };
}

function start(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  return spawn(LAUNCHER, args, { env: { ...environment, ...more }, stdio: 'pipe' });
}

/** Runs the command to its end; Electron never gets as far as to look for a display. */
async function run(args: readonly string[], more: NodeJS.ProcessEnv = {}, input = '') {
  const child = start(args, more);
  child.stdin.end(input);
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code]: unknown[] = await ended;
  expect(stderr).not.toMatch(/looks for a display|A box is shown/u);
  return { code, stdout, stderr };
}

describe.skipIf(!LINUX)('the command line of a package', { concurrent: true }, () => {
  test('gets its arguments as they were typed, although Chromium changes them', async () => {
    const program = join(folder, 'prints-its-call');
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${CALL}' "$@"\n`, {
      mode: 0o755,
    });
    const lists = [
      [],
      ['', ' ', '\n', ' a \t', 'b\n'],
      [
        '--version',
        '--help',
        '-h',
        '--user-data-dir=/x',
        '--no-sandbox',
        '--inspect=0',
        '--type=zygote',
      ],
      ['doctor', '--', '--json', '--', ''],
      [
        '--command-line',
        '--keychain-call',
        '[x]',
        ']',
        '$(id)',
        '"\'\\',
        '*',
        'https://a.example/?b=c#d',
        'grün 🦊',
      ],
      [`--prompt=${'x'.repeat(100_000)}`],
    ];
    for (const args of lists) {
      const { stdout } = await run(args, { GATEHOUSE_APP: program });
      expect(JSON.parse(stdout)).toEqual({ kind: 'command', args });
    }
  });

  test('ends with the exit codes of the plain command, and knows its own name', async () => {
    const data = await newDataDir();
    expect(await run(['--help'], data)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('gatehouse key set --upstream'),
    });
    expect((await run(['--help'], data)).stdout).not.toContain('npm run');
    expect(await run(['no-such-command'], data)).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['status'], data)).toMatchObject({ code: 1 });
    const { code, stdout } = await run(['doctor', '--json'], data);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, expect.anything()]);
  });

  test('reads standard input, and writes its output to a pipe', async () => {
    const data = await newDataDir();
    const set = ['key', 'set', '--upstream', 'https://models.example.com', '--plain-text-file'];
    expect(await run(set, data, `${KEY}\n`)).toMatchObject({ code: 0 });
    expect((await run(['key', 'status'], data)).stdout).toContain('models.example.com');
    const pipe = `'${LAUNCHER}' history --json | head -c 1`;
    const { stdout } = spawnSync('sh', ['-c', pipe], {
      env: { ...environment, ...data },
      encoding: 'utf8',
    });
    expect(stdout).toBe('{');
  });

  test('serves until Ctrl-C, and releases its data folder', async () => {
    const data = await newDataDir();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const child = start(['serve', '--port', '0', '--no-ui'], data);
      const ended = once(child, 'close');
      for await (const chunk of child.stdout) if (String(chunk).includes('/v1')) break;
      child.kill(signal);
      expect(await ended).toEqual([0, null]);
    }
    expect(await run(['status'], data)).toMatchObject({ code: 1 });
  });

  test('explains a missing keychain, with the library of the package', async () => {
    const { code, stderr } = await run(
      ['key', 'set', '--upstream', 'https://models.example.com'],
      { ...(await newDataDir()), DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' },
      `${KEY}\n`,
    );
    expect(code).toBe(1);
    // The library's message about the bus, put into words.
    expect(stderr).toContain('There is no desktop session here (no D-Bus)');
  });

  test.skipIf(!KEYRING_INSTALLED)('keeps a key in the keychain', async () => {
    await using session = await openSession();
    await session.startKeyring('unlocked');
    const own = { ...(await newDataDir()), ...session.environment };
    const set = ['key', 'set', '--upstream', 'https://models.example.com'];
    expect(await run(set, own, `${KEY}\n`)).toMatchObject({ code: 0 });
    expect((await run(['key', 'status'], own)).stdout).toContain('keychain');
    expect(await run(['key', 'forget'], own)).toMatchObject({ code: 0 });
  });

  test.skipIf(!SCRIPT_INSTALLED)('asks a person at a terminal', async () => {
    const set = "key set --upstream 'https://models.example.com' --plain-text-file";
    const env = { ...environment, ...(await newDataDir()), TERM: 'xterm' };
    // A screen has no width until it is told one.
    const line = `stty cols 120; exec '${LAUNCHER}' ${set}`;
    const screen = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
      env,
    });
    const ended = once(screen, 'close');
    let shown = '';
    let typed = false;
    screen.stdout.on('data', (chunk) => {
      shown += String(chunk);
      if (typed || !shown.includes('models.example.com')) return;
      typed = true;
      screen.stdin.write(`${KEY}\r`);
    });
    expect(await ended).toEqual([0, null]);
    expect(shown).not.toContain(KEY);
  });

  test('without its switches the program opens the app', async () => {
    const program = environment['GATEHOUSE_APP'] ?? '';
    const { stderr } = spawnSync(program, [], { env: environment, encoding: 'utf8' });
    // Node.js has no Electron that the app could load.
    expect(stderr).toContain('A box is shown.');
  });

  test.for([
    ['exit', 3, 3],
    ['exitCode', 4, 4],
    ['error', 1, 1],
    ['rejection', 1, 1],
    ['a listener that fails', 3, 1],
    ['a listener that ends it', 3, 5],
    ['a listener that chooses the code', 3, 6],
  ] as const)('ends as in Node.js, with the listeners of its end: %s', ([way, reported, code]) => {
    const program = join(import.meta.dirname, 'ending-process.ts');
    const ended = spawnSync(process.execPath, [program, way], { encoding: 'utf8' });
    expect([ended.status, ended.stdout]).toEqual([code, `exit ${reported}\n`]);
    const failed = code === 1;
    expect(ended.stderr.includes('Error: nobody catches this')).toBe(failed);
    expect(ended.stderr).not.toMatch(/A box is shown|A warning/u);
  });

  test('is found by macOS beside its app', async () => {
    const bundle = join(folder, 'Gatehouse.app', 'Contents');
    const bin = join(bundle, 'Resources', 'bin');
    await Promise.all([
      mkdir(bin, { recursive: true }),
      mkdir(join(bundle, 'MacOS'), { recursive: true }),
    ]);
    await writeFile(join(bundle, 'MacOS', 'Gatehouse'), '#!/bin/sh\necho "$@"\n', {
      mode: 0o755,
    });
    const tools = join(folder, 'of-macos');
    await mkdir(tools);
    await writeFile(join(tools, 'uname'), '#!/bin/sh\necho Darwin\n', { mode: 0o755 });
    spawnSync('cp', [LAUNCHER, join(bin, 'gatehouse')]);
    spawnSync('ln', ['-s', join(bin, 'gatehouse'), join(tools, 'gatehouse')]);
    const { stdout } = spawnSync(join(tools, 'gatehouse'), ['doctor'], {
      env: { PATH: `${tools}:${process.env['PATH']}` },
      encoding: 'utf8',
    });
    expect(stdout).toBe('--no-sandbox --no-zygote --command-line=framed -- [doctor]\n');
  });
});
