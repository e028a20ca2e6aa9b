import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const START = join(ROOT, 'build', 'start.ts');
/** The start of a person who is not root, whoever runs this test. */
const NOT_ROOT = ['--import', 'data:text/javascript,process.getuid=()=>1000'];
const HAS_ELECTRON = existsSync(join(ROOT, 'node_modules', 'electron', 'path.txt'));
/** In place of Electron: tells what it is told, and ends with 9 when its input does. */
const STAND_IN = `#!${process.execPath}
process.on('SIGINT', () => console.log('SIGINT'));
process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(5); });
process.stdin.resume().on('end', () => process.exit(9));
console.log('opened', ...process.argv.slice(2), process.env.GATEHOUSE_PORT);
`;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
  await mkdir(join(folder, 'electron'));
  await writeFile(join(folder, 'electron', 'electron'), STAND_IN);
  await chmod(join(folder, 'electron', 'electron'), 0o755);
});
afterAll(async () => await rm(folder, { recursive: true }));

/** As a shell starts it: in a process group of its own. */
function start(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [...NOT_ROOT, START, ...args], {
    detached: true,
    env: {
      PATH,
      HOME: folder,
      GATEHOUSE_DATA_DIR: join(folder, 'data'),
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
  return {
    child,
    said: text(child.stderr),
    printed: text(child.stdout),
    closed: once(child, 'close'),
    has: async (words: string) => {
      let seen = '';
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk) => (seen += String(chunk)).includes(words) && resolve());
      });
    },
    /** As a terminal sends it to everybody in front; npm hands something on right after it. Two of a kind would be one to the system. */
    ctrlC: () => {
      process.kill(-pid, 'SIGINT');
      process.kill(pid, 'SIGTERM');
    },
  };
}

const openApp = () =>
  start([], { DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'electron') });
const OPENED = `opened ${ROOT} 0\n`;

describe.skipIf(process.platform !== 'linux')('where Electron is', () => {
  test('the app is opened with it, is told of one Ctrl-C once, and its exit code is that of the start', async () => {
    const { child, ctrlC, has, printed, closed } = openApp();
    await has('opened');
    ctrlC();
    await has('SIGINT');
    child.stdin.end();
    expect(await closed).toEqual([9, null]);
    expect(await printed).toBe(`${OPENED}SIGINT\n`);
  });

  test('a second Ctrl-C hurries the app', async () => {
    const { ctrlC, has, printed, closed } = openApp();
    await has('opened');
    const again = setInterval(ctrlC, 50);
    await has('SIGTERM');
    clearInterval(again);
    expect(await closed).toEqual([5, null]);
    expect(await printed).toBe(`${OPENED}SIGINT\nSIGTERM\n`);
  });
});

test.skipIf(process.platform === 'win32').for([
  ['without a display', [], {}, 'there is no display.'],
  ['with --headless', ['--headless', '--no-ui'], { DISPLAY: ':0' }, null],
] as const)('%s it serves, says why, and ends in order when it is told to', async (how) => {
  const [, args, environment, why] = how;
  const { ctrlC, has, said, closed } = start(args, environment);
  await has('http://');
  ctrlC();
  expect(await closed).toEqual([0, null]);
  const reason = /^Gatehouse runs without its desktop app: (.*)$/mu.exec(await said);
  expect(reason?.[1] ?? null).toBe(why);
});

test.skipIf(process.platform !== 'linux' || HAS_ELECTRON)(
  'where Electron cannot be fetched it says so, says how to not try, and serves',
  async () => {
    const { ctrlC, has, said, closed } = start([], {
      DISPLAY: ':0',
      ELECTRON_MIRROR: 'http://127.0.0.1:9/',
    });
    await has('http://');
    ctrlC();
    expect(await closed).toEqual([0, null]);
    expect(await said).toMatch(/^Getting Electron \d+\.\d+\.\d+ .*once\./mu);
    expect(await said).toContain('npm start -- --headless');
  },
);
