import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setInterval, setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readLockOwner } from '../../host/lock/instance-lock.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const START = join(ROOT, 'build', 'start.ts');
/** Runs the start script as a user who is not root, even when root runs this test. */
const NOT_ROOT = ['--import', 'data:text/javascript,process.getuid=()=>1000'];
const HAS_ELECTRON = existsSync(join(ROOT, 'node_modules', 'electron', 'path.txt'));
const NODE = `#!${process.execPath}\n`;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

interface StartOptions {
  readonly args?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** The module that starts the program. */
  readonly program?: string;
}

/** Starts the program as a shell does, in its own process group. */
async function start({ args = [], environment = {}, program = START }: StartOptions) {
  const home = await mkdtemp(join(folder, 'home-'));
  const { PATH } = process.env;
  const child = spawn(process.execPath, [...NOT_ROOT, program, ...args], {
    detached: true,
    env: {
      PATH,
      HOME: home,
      GATEHOUSE_DATA_DIR: join(home, 'data'),
      GATEHOUSE_PORT: '0',
      GATEHOUSE_UI_PORT: '0',
      ...environment,
    },
  });
  onTestFinished(() => {
    child.stdin.end();
    child.kill();
  });
  const { pid = 0 } = child;
  const errorOutput = text(child.stderr);
  // A test may stop reading the output.
  errorOutput.catch(() => undefined);
  return {
    child,
    home,
    dataDir: join(home, 'data'),
    errorOutput,
    printed: text(child.stdout),
    closed: once(child, 'close'),
    has: async (words: string) => {
      let seen = '';
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk) => (seen += String(chunk)).includes(words) && resolve());
      });
    },
    /**
     * Sends a signal to the whole process group, as a terminal does; npm forwards signals right after it. The system merges two equal
     * pending signals.
     */
    ctrlC: () => {
      process.kill(-pid, 'SIGINT');
      process.kill(pid, 'SIGTERM');
    },
    /** Sends the terminal's signal only: npm's could arrive after the program has ended because of the first. */
    interrupt: () => process.kill(-pid, 'SIGINT'),
  };
}

interface AppOptions {
  /** The program in place of Electron. */
  readonly program: string | Buffer;
  readonly mode?: number;
  /** Settings of the kernel, by their path below `proc/sys`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Starts the app with a display and a program in place of Electron, on a system that restricts only what the test says. */
async function startApp({ program, mode = 0o755, settings = {}, environment = {} }: AppOptions) {
  const dir = await mkdtemp(join(folder, 'electron '));
  await writeFile(join(dir, 'electron'), program);
  await chmod(join(dir, 'electron'), mode);
  await writeFile(join(dir, 'chrome-sandbox'), '');
  for (const [name, value] of Object.entries(settings)) {
    const file = join(dir, 'proc', 'sys', name);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, `${value}\n`);
  }
  const main = join(dir, 'start.mjs');
  const url = pathToFileURL(join(ROOT, 'build', 'app-or-serve.ts')).href;
  await writeFile(
    main,
    `import { appOrServe } from '${url}';\nawait appOrServe([], ${JSON.stringify(dir)});\n`,
  );
  const display = { DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: dir };
  const started = await start({ program: main, environment: { ...display, ...environment } });
  return { ...started, dir };
}

/** Source of a program in place of Electron: keeps its pid in a file, prints its messages, and exits with 9 when its input ends. */
const OBEDIENT = `${NODE}
require('node:fs').writeFileSync(process.env.HOME + '/app.pid', String(process.pid));
process.on('message', (message) => console.log(message));
process.stdin.resume().on('end', () => process.exit(9));
process.send('gatehouse:started');
console.log('opened', ...process.argv.slice(2), process.env.GATEHOUSE_PORT);
`;
/** Starts the app itself in the Electron mock. */
const DOUBLE = `#!/bin/sh
exec '${process.execPath}' --disable-warning=ExperimentalWarning --import '${join(import.meta.dirname, '..', 'kit', 'desktop', 'electron-mock', 'register.ts')}' '${join(ROOT, 'out', 'desktop', 'main.js')}'
`;
/** Source of a program that exits at once after it has written to standard error. */
const ending = (how: string, words = '') =>
  `${NODE}process.stderr.write(${JSON.stringify(words)}, () => { ${how} });\nsetInterval(() => {}, 1000);\n`;
const bySignal = (name: string) => `process.kill(process.pid, '${name}')`;
const OPENED = `opened ${ROOT} 0\n`;
const STOP = 'gatehouse:stop\n';

/** Repeats Ctrl-C as long as the app runs, so slowly that none is merged and each is handled before the next. */
async function repeatCtrlC(interrupt: () => void, appPid: number): Promise<void> {
  for await (const _ of setInterval(1_500)) {
    const status = await readFile(`/proc/${appPid}/status`, 'utf8').catch(() => 'State: X');
    // A zombie has ended; a signal now would reach the start while it exits.
    if (/^State:\s+[XZ]/mu.test(status)) return;
    interrupt();
  }
}

describe.skipIf(process.platform !== 'linux')('where Electron is installed', () => {
  test('the app is opened with it, gets one stop request at one Ctrl-C, and its exit code is returned', async () => {
    const { child, ctrlC, has, printed, closed } = await startApp({ program: OBEDIENT });
    await has('opened');
    ctrlC();
    await has(STOP);
    child.stdin.end();
    expect(await closed).toEqual([9, null]);
    expect(await printed).toBe(`${OPENED}${STOP}`);
  });

  test('a second Ctrl-C hurries the app, and a third kills an unresponsive one', async () => {
    const { interrupt, has, printed, closed, home } = await startApp({ program: OBEDIENT });
    await has('opened');
    await repeatCtrlC(interrupt, Number(await readFile(join(home, 'app.pid'), 'utf8')));
    expect(await closed).toEqual([128 + 9, null]);
    expect(await printed).toBe(`${OPENED}${STOP}${STOP}`);
  });

  test('a closed terminal requests the end once, even if it signals it repeatedly', async () => {
    const { child, has, printed, closed } = await startApp({ program: OBEDIENT });
    await has('opened');
    const stopRequested = has(STOP);
    for (let time = 0; time < 3; time += 1) child.kill('SIGHUP');
    await stopRequested;
    for (let time = 0; time < 3; time += 1) child.kill('SIGHUP');
    child.stdin.end();
    expect(await closed).toEqual([9, null]);
    expect(await printed).toBe(`${OPENED}${STOP}`);
  });

  test.for([
    ['quits', 'process.exit(0)', 0],
    ['hands over to the app that runs', "process.send('gatehouse:leaves'); process.exit(0)", 0],
    [
      'crashes when it is asked to quit',
      `process.send('gatehouse:leaves', () => ${bySignal('SIGSEGV')})`,
      128 + 11,
    ],
    ['ran and fails', "process.send('gatehouse:started', () => process.exit(3))", 3],
    [
      'ran and was killed',
      `process.send('gatehouse:started', () => ${bySignal('SIGKILL')})`,
      128 + 9,
    ],
  ] as const)('after an Electron that %s nothing is started', async ([, how, code]) => {
    const { printed, closed } = await startApp({ program: ending(how) });
    expect(await closed).toEqual([code, null]);
    expect(await printed).toBe('');
  });

  test('the app itself releases its data folder when the program that started it is killed', async () => {
    const { child, dataDir } = await startApp({ program: DOUBLE });
    while (!existsSync(dataDir) || !(await readLockOwner(dataDir))?.port) await pause(20);
    child.kill('SIGKILL');
    while ((await readLockOwner(dataDir)) !== null) await pause(20);
  });

  test('the app itself releases its data folder at a Ctrl-C', async () => {
    const { ctrlC, dataDir, closed, printed } = await startApp({ program: DOUBLE });
    while (!existsSync(dataDir) || !(await readLockOwner(dataDir))?.port) await pause(20);
    ctrlC();
    expect(await closed).toEqual([0, null]);
    expect(await readLockOwner(dataDir)).toBe(null);
    expect(await printed).toBe('');
  });

  test.for([
    [
      'is ended by SIGTRAP',
      { program: ending(bySignal('SIGTRAP')) },
      'Electron crashed (SIGTRAP). To start without it: npm start -- --headless',
    ],
    [
      'is ended by SIGSEGV',
      { program: ending(bySignal('SIGSEGV')) },
      'Electron crashed (SIGSEGV).',
    ],
    [
      'is killed before it ran',
      { program: ending(bySignal('SIGKILL')) },
      'Electron was ended by SIGKILL.',
    ],
    [
      'crashes after it ran, and had written of a sandbox and a library',
      {
        program: ending(
          `process.send('gatehouse:started', () => ${bySignal('SIGSEGV')})`,
          'SUID sandbox helper\nerror while loading shared libraries: libx.so: nothing\n',
        ),
      },
      'Electron crashed (SIGSEGV).',
    ],
    ['fails at once', { program: ending('process.exit(1)') }, 'Electron ended with exit code 1.'],
    [
      'fails after 20 MB of words',
      { program: ending('process.exit(1)', `${'x'.repeat(79)}\n`.repeat(250_000)) },
      'Electron ended with exit code 1.',
    ],
    [
      'has a sandbox that does not work',
      {
        program: ending(
          bySignal('SIGTRAP'),
          'FATAL:setuid_sandbox_host.cc(163)] The SUID sandbox helper binary was found, but is not configured correctly.\n',
        ),
      },
      `the helper of Electron's sandbox lacks the rights that it needs on this system. Run these, then start again:\n  sudo chown root:root 'PLACE/chrome-sandbox'\n  sudo chmod 4755 'PLACE/chrome-sandbox'\n`,
    ],
    [
      'lacks a library',
      {
        program: ending(
          'process.exit(127)',
          'electron: error while loading shared libraries: libnss3.so: cannot open shared object file: No such file or directory\n',
        ),
      },
      'Electron needs the library libnss3.so, which is missing here. Install it',
    ],
    [
      'does not reach its display',
      {
        program: ending(
          bySignal('SIGSEGV'),
          'ERROR:ozone_platform_x11.cc(249)] Missing X server or $DISPLAY\n',
        ),
        environment: { DISPLAY: ':77' },
      },
      'the display :77 could not be reached (Electron crashed (SIGSEGV)).',
    ],
    [
      'may not be run',
      { program: ending(''), mode: 0o644 },
      'PLACE/electron is not executable (EACCES).',
    ],
    [
      'is of another processor',
      // Writes a 64-bit ELF executable for a processor that Gatehouse does not support (EM_S390).
      {
        program: Buffer.from(`7f454c4602010100${'00'.repeat(8)}02001600${'00'.repeat(44)}`, 'hex'),
      },
      `Electron in PLACE/electron is made for another processor than this one (${process.arch}).`,
    ],
    [
      'has a loader that is not there',
      { program: '#!/nowhere/ld-linux.so\n' },
      'PLACE/electron cannot be run: the loader that it names is missing here.',
    ],
    [
      'would find restricted namespaces',
      {
        program: ending(bySignal('SIGTRAP'), 'never started\n'),
        settings: { 'kernel/apparmor_restrict_unprivileged_userns': '1' },
      },
      `this system keeps user namespaces from programs (kernel.apparmor_restrict_unprivileged_userns is 1), and the helper of Electron's sandbox lacks the rights to work without them. Run these, then start again:\n  sudo chown root:root 'PLACE/chrome-sandbox'\n  sudo chmod 4755 'PLACE/chrome-sandbox'\nWith an AppArmor profile of your own for Electron, start with GATEHOUSE_SKIP_SANDBOX_CHECK=1 instead.`,
    ],
  ] as const)(
    'after an Electron that %s serve is started and the reason printed',
    async ([, standIn, why]) => {
      const { ctrlC, has, dir, printed, errorOutput, closed } = await startApp(standIn);
      await has('Ctrl-C stops Gatehouse.');
      ctrlC();
      expect(await closed).toEqual([0, null]);
      const reason = why.replaceAll('PLACE', dir);
      expect(await errorOutput).toContain(`Gatehouse runs without its desktop app: ${reason}`);
      expect((await errorOutput).match(/Gatehouse runs without/gu)).toHaveLength(1);
      expect(await errorOutput).not.toContain('never started');
      // The variable skips the checks before the start, so it is no advice for later failures.
      expect((await errorOutput).includes('GATEHOUSE_SKIP_SANDBOX_CHECK')).toBe(
        'settings' in standIn,
      );
      expect((await printed).match(/^ +Window +http/gmu), 'told once').toHaveLength(1);
    },
  );

  test('with GATEHOUSE_SKIP_SANDBOX_CHECK no setting of the system is checked', async () => {
    const settings = { 'kernel/apparmor_restrict_unprivileged_userns': '1' };
    const environment = { GATEHOUSE_SKIP_SANDBOX_CHECK: '1' };
    const { has, child, closed } = await startApp({ program: OBEDIENT, settings, environment });
    await has('opened');
    child.stdin.end();
    expect(await closed).toEqual([9, null]);
  });

  test('Electron is also started as an app from the terminal of an editor that is built with Electron', async () => {
    const program = `${NODE}console.log('as Node:', process.env.ELECTRON_RUN_AS_NODE);\n`;
    const environment = { ELECTRON_RUN_AS_NODE: '1' };
    const { printed, closed } = await startApp({ program, environment });
    expect(await closed).toEqual([0, null]);
    expect(await printed).toBe('as Node: undefined\n');
  });

  test.for([
    ['fails', 'process.exit(1)'],
    ['ends', 'process.exit(0)'],
  ] as const)(
    'an Electron that %s is not waited for when one of its processes still holds its output',
    async ([, how]) => {
      const program = `${NODE}
const { spawn } = require('node:child_process');
const left = spawn('sleep', ['600'], { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
console.log(left.pid);
${how};
`;
      const { child, closed, ctrlC, has, printed } = await startApp({ program });
      const exited = once(child, 'exit');
      if (how.includes('1')) {
        await has('Ctrl-C stops Gatehouse.');
        ctrlC();
      }
      expect(await exited).toEqual([0, null]);
      child.stderr.destroy();
      await closed;
      process.kill(Number.parseInt(await printed, 10));
    },
  );

  test('an unread output does not stop the app from receiving its stop request', async () => {
    const program = `${NODE}
process.on('message', (message) => { console.log(message); process.exit(0); });
process.stdin.resume().on('end', () => {
  process.stderr.write('words\\n'.repeat(20_000), () => setTimeout(() => console.log('written'), 100));
});
process.send('gatehouse:started');
console.log('opened');
`;
    const { child, ctrlC, has, printed, closed } = await startApp({ program });
    await has('opened');
    child.stderr.destroy();
    child.stdin.end();
    await has('written');
    ctrlC();
    expect(await closed).toEqual([0, null]);
    expect(await printed).toBe(`opened\nwritten\n${STOP}`);
  });

  test('if the app crashes while its engine has the data folder, serve follows on that folder', async () => {
    const lock = pathToFileURL(join(ROOT, 'host', 'lock', 'instance-lock.ts')).href;
    // The engine notices some time later that its app has ended.
    const program = `${NODE}
if (process.argv[2] === 'engine') {
  import('${lock}').then(async ({ acquireLock }) => {
    const held = await acquireLock(process.env.GATEHOUSE_DATA_DIR, 'desktop');
    process.on('disconnect', () => setTimeout(() => { held.release(); process.exit(); }, 700));
    process.send('held');
  });
} else {
  require('node:fs').mkdirSync(process.env.GATEHOUSE_DATA_DIR, { recursive: true });
  const engine = require('node:child_process').fork(__filename, ['engine']);
  engine.on('message', () => ${bySignal('SIGSEGV')});
}
`;
    const { ctrlC, has, printed, closed } = await startApp({ program });
    await has('Ctrl-C stops Gatehouse.');
    ctrlC();
    expect(await closed).toEqual([0, null]);
    expect((await printed).match(/^ +Window +http/gmu)).toHaveLength(1);
  });
});

test.skipIf(process.platform === 'win32').for([
  ['without a display', [], {}, 'there is no display.'],
  ['with --headless', ['--headless', '--no-ui'], { DISPLAY: ':0' }, null],
] as const)('%s it serves, prints the reason, and ends cleanly at a Ctrl-C', async (how) => {
  const [, args, environment, why] = how;
  const { ctrlC, has, errorOutput, closed } = await start({ args, environment });
  await has('http://');
  ctrlC();
  expect(await closed).toEqual([0, null]);
  const reason = /^Gatehouse runs without its desktop app: (.*)$/mu.exec(await errorOutput);
  expect(reason?.[1] ?? null).toBe(why);
});

test.skipIf(process.platform !== 'linux')('as root it serves and prints the reason', async () => {
  const program = join(await mkdtemp(join(folder, 'root-')), 'start.mjs');
  const url = pathToFileURL(START).href;
  await writeFile(program, `process.getuid = () => 0;\nawait import('${url}');\n`);
  const { ctrlC, has, errorOutput, closed } = await start({
    program,
    environment: { DISPLAY: ':0' },
  });
  await has('http://');
  ctrlC();
  expect(await closed).toEqual([0, null]);
  expect(await errorOutput).toContain('desktop app: Electron refuses to run as root.');
});

async function servesInstead(mirror: string): Promise<void> {
  const environment = { DISPLAY: ':0', ELECTRON_MIRROR: mirror };
  const { ctrlC, has, errorOutput, closed } = await start({ environment });
  await has('http://');
  ctrlC();
  expect(await closed).toEqual([0, null]);
  expect(await errorOutput).toMatch(/^Getting Electron \d+\.\d+\.\d+ .*once\./mu);
  expect(await errorOutput).toContain('npm start -- --headless');
}

describe.skipIf(process.platform !== 'linux' || HAS_ELECTRON)(
  'where Electron is downloaded',
  () => {
    test('but cannot be, it prints the reason and how to skip the download, and serves', async () => {
      await servesInstead('http://127.0.0.1:9/');
    });

    test('but the download is cut off, it prints that and serves', async () => {
      let asked = 0;
      const server = createServer((_request, response) => {
        asked += 1;
        response.writeHead(200, { 'content-length': 100_000_000 });
        response.write('PK', () => response.destroy());
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      onTestFinished(() => void server.close());
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('No port.');
      await servesInstead(`http://127.0.0.1:${address.port}/`);
      expect(asked).toBeGreaterThan(0);
    });
  },
);
