import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, assert, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { VideoJob } from '../../shared/video.ts';
import { openSandbox } from '../../sandbox/server.ts';
import { openTerminal, SCRIPT_INSTALLED } from './command.ts';
import type { Terminal } from './command.ts';

/** One transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

// A service is asked every five to ten seconds, and two cores are shared by many tests.
vi.setConfig({ testTimeout: 120_000 });

const Videos = z.object({ videos: z.array(VideoJob), saved: z.array(z.string()).optional() });

let terminal: Terminal;
let folder: string;
beforeEach(async () => {
  terminal = await openTerminal();
  folder = join(terminal.dataDir, '..', 'work');
  await mkdir(folder);
});
afterEach(async () => await terminal[Symbol.asyncDispose]());

async function image(name = 'fox.png'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, PNG);
  return path;
}

async function order(prompt: string, more: readonly string[] = []): Promise<string[]> {
  return ['video', 'new', '--image', await image(), '--prompt', prompt, '--yes', ...more];
}

/** The one job in what a command printed. */
function jobIn(printed: unknown): VideoJob {
  const [job] = Videos.parse(printed).videos;
  assert(job !== undefined);
  return job;
}

async function look(id: string): Promise<VideoJob> {
  const shown = await terminal.json(['video', 'list', id]);
  return z.object({ video: VideoJob }).parse(shown).video;
}

/** What the sandbox has taken, as it keeps it. */
async function orders(): Promise<readonly unknown[]> {
  const file = join(terminal.dataDir, 'sandbox', 'videos.json');
  return z.array(z.unknown()).parse(JSON.parse(await readFile(file, 'utf8').catch(() => '[]')));
}

async function isVideo(path: string): Promise<boolean> {
  return (await readFile(path)).subarray(4, 8).toString('latin1') === 'ftyp';
}

describe('calling', () => {
  test.each([
    [['new', '--image', 'x.png'], '--prompt'],
    [['new', '--prompt', 'A fox'], '--image'],
    [['new', '--prompt', 'A fox', '--image', 'x.png', '--seconds', 'four'], '--seconds:'],
    [['new', '--prompt', 'A fox', '--image', 'x.png', '--minutes', '0'], '--minutes'],
    [['new', '--prompt', 'A fox', '--image', 'x.png', '--field', 'fps=a'], '--field fps'],
    [['new', '--prompt', 'A fox', '--image', 'x.png', '--force'], '--out'],
    [['list', '--state', 'lost'], 'needs-answer'],
    [['list', '../x'], 'letters and digits'],
    [['answer', 'abc'], 'exactly one of'],
    [['answer', 'abc', '--id', 'a', '--word', 'failed'], 'exactly one of'],
    [['answer', 'abc', '--word', 'good'], 'working, failed, completed'],
    [['answer', 'abc', '--pointer', 'data'], '/data/0/url'],
    [['resume', 'abc', '--minutes', 'x'], '--minutes'],
  ])('video %j is called wrongly: 2, and told why', async (args, words) => {
    const { code, stdout, stderr } = await terminal.run(['video', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/\n {4}at /u);
  });

  test.each(['new', 'list', 'watch', 'get', 'answer', 'resume', 'cancel', 'remove'])(
    'video %s explains itself',
    async (name) => {
      const { code, stdout } = await terminal.run(['video', name, '--help']);
      expect(code).toBe(0);
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(92);
    },
  );

  test('what is not there, is no image or has nowhere to go stops an order before anything is sent', async () => {
    const text = join(folder, 'note.png');
    await writeFile(text, 'a note');
    const taken = join(folder, 'taken.mp4');
    await writeFile(taken, 'mine');
    const from = async (...more: string[]) =>
      await terminal.run(['video', 'new', '--prompt', 'A fox', '--yes', ...more]);
    const failures = [
      await from('--image', join(folder, 'none.png')),
      await from('--image', text),
      await from('--image', await image(), '--out', taken),
      await from('--image', await image(), '--out', join(folder, 'none', 'a.mp4')),
    ];
    for (const { code, stderr, stdout } of failures) {
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).not.toContain('fault in Gatehouse');
    }
    expect(failures[1]?.stderr).toContain(`${text}: This is no image`);
    expect(await readFile(taken, 'utf8')).toBe('mine');
    expect(await terminal.json(['video', 'list'])).toMatchObject({ videos: [] });
  });

  test('without a terminal and without --yes nothing is sent', async () => {
    const args = ['video', 'new', '--image', await image(), '--prompt', 'A fox', '--wait'];
    const { code, stdout, stderr } = await terminal.run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--yes');
    expect(await terminal.json(['video', 'list'])).toMatchObject({ videos: [] });
    expect(await orders()).toEqual([]);
  });
});

describe('where no Gatehouse runs', () => {
  test('a command that waits runs it itself, and ends with the file where it was wanted', async () => {
    const out = join(folder, 'fox.mp4');
    const { code, stdout, stderr } = await terminal.run(await order('A fox', ['--out', out]));
    expect([code, stdout]).toEqual([0, `${out}\n`]);
    expect(stderr).toContain('nobody pays');
    expect(stderr).toMatch(/[\da-f]{8} rendering \("[^"]+"\)\n/u);
    expect(await isVideo(out)).toBe(true);
    expect(await orders()).toHaveLength(1);
    expect((await readdir(folder)).toSorted()).toEqual(['fox.mp4', 'fox.png']);
    const left = await readdir(terminal.dataDir, { recursive: true });
    expect(left).not.toContain('serving.json');
    const modes = await Promise.all(
      left.map(async (name) => (await stat(join(terminal.dataDir, name))).mode & 0o077),
    );
    // For its owner only; Windows knows no such thing.
    expect(process.platform === 'win32' || modes.every((mode) => mode === 0)).toBe(true);
  });

  test('with --json standard output is one document', async () => {
    const printed = await terminal.json(await order('A fox', ['--wait', '--field', 'note="x"']));
    const { state, file, charged, request } = jobIn(printed);
    expect([state, charged, request.more]).toEqual(['done', 'yes', { note: 'x' }]);
    expect(await isVideo(file?.path ?? '')).toBe(true);
  });

  test('a job that nobody waits for stays on the disk, and nothing is sent', async () => {
    const { code, stdout, stderr } = await terminal.run(await order('A fox'));
    expect(code).toBe(0);
    expect(stderr).toContain('nothing is sent until Gatehouse runs');
    const { state, charged } = await look(stdout.trim());
    expect([state, charged]).toEqual(['waiting', 'no']);
    expect(await orders()).toEqual([]);
    const cancelled = await terminal.run(['video', 'cancel', stdout.trim()]);
    expect(cancelled.stdout).toContain('nothing is charged');
  });

  test('a command that was killed in the middle loses nothing, and watch goes on without a second order', async () => {
    const args = await order('A fox [scenario render-ms=9000]', ['--wait']);
    {
      await using waiting = terminal.begin(args);
      await waiting.errorSays('rendering');
      waiting.child.kill('SIGKILL');
      expect((await waiting.finished).code).toBeNull();
    }
    const { code, stdout } = await terminal.run(['video', 'watch']);
    expect(code).toBe(0);
    expect(await isVideo(stdout.trim())).toBe(true);
    expect(await orders()).toHaveLength(1);
  });

  test('Ctrl-C stops the waiting, says how to come back, and leaves the job as it is', async () => {
    const args = await order('A fox [scenario render-ms=9000]', ['--wait', '--json']);
    await using waiting = terminal.begin(args);
    await waiting.errorSays('rendering');
    waiting.child.kill('SIGINT');
    const { code, stdout, stderr } = await waiting.finished;
    expect([code, jobIn(JSON.parse(stdout)).state]).toEqual([1, 'rendering']);
    const [, head = ''] =
      /Nothing is lost.*\n {2}gatehouse video watch (\w+)\n/u.exec(stderr) ?? [];
    expect((await look(head)).state).toBe('rendering');
    expect(await readdir(terminal.dataDir)).not.toContain('serving.json');
    expect(jobIn(await terminal.json(['video', 'watch', head])).state).toBe('done');
    expect(await orders()).toHaveLength(1);
  });

  test('of two commands at once one runs the queue, and the other takes it over when that one has ended', async () => {
    await using first = terminal.begin(await order('A fox', ['--wait', '--json']));
    await first.errorSays('rendering');
    const long = await order('A hen [scenario render-ms=14000]', ['--wait', '--json']);
    await using second = terminal.begin(long);
    const ends = [await first.finished, await second.finished];
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(ends.map(({ stdout }) => jobIn(JSON.parse(stdout)).state)).toEqual(['done', 'done']);
    expect(await orders()).toHaveLength(2);
  });

  test('a service of the environment is ordered from, and its key stays in memory', async () => {
    await using sandbox = await openSandbox();
    const environment = { GATEHOUSE_UPSTREAM_URL: sandbox.url };
    const args = await order('A fox', ['--wait', '--json']);
    const keyless = await terminal.run(args, { environment });
    expect([keyless.code, keyless.stdout]).toEqual([1, '']);
    expect(keyless.stderr).toContain('key set');
    const call = { environment: { ...environment, GATEHOUSE_UPSTREAM_KEY: sandbox.key } };
    const { code, stdout, stderr } = await terminal.run(args, call);
    expect(stderr).toContain(`It is ordered from ${sandbox.url}. One submission is one charge.`);
    expect([code, jobIn(JSON.parse(stdout)).state]).toEqual([0, 'done']);
    expect(sandbox.orders).toHaveLength(1);
    expect(stdout + stderr).not.toContain(sandbox.key);
    const entries = await readdir(terminal.dataDir, { recursive: true, withFileTypes: true });
    for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
      expect((await readFile(join(parentPath, name))).includes(sandbox.key)).toBe(false);
    }
  });

  test('serve says what runs instead of it', async () => {
    await using waiting = terminal.begin(await order('A [scenario render-ms=60000]', ['--wait']));
    await waiting.errorSays('rendering');
    const start = await terminal.run(['serve', '--port', '0']);
    expect([start.code, start.stdout]).toEqual([1, '']);
    expect(start.stderr).toContain('no video is lost');
    expect((await terminal.run(['open'])).stderr).toContain('without a window');
  });
});

describe('where Gatehouse runs', () => {
  test('an order is put into its queue; watch, get and remove find it by the beginning of its id', async () => {
    await using serving = await terminal.serve();
    const added = await terminal.run(await order('A fox'));
    expect(added.stderr).toContain(`(pid ${serving.child.pid})`);
    const head = added.stdout.trim();
    const watched = await terminal.run(['video', 'watch', head.slice(0, 6)]);
    expect(watched.code).toBe(0);
    expect(await isVideo(watched.stdout.trim())).toBe(true);
    const get = ['video', 'get', head, '--out', join(folder, 'a.mp4')];
    expect((await terminal.run(get)).code).toBe(0);
    const again = await terminal.run(get);
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toContain('is there already and stays as it is');
    expect((await terminal.run([...get, '--force'])).code).toBe(0);
    expect(await isVideo(join(folder, 'a.mp4'))).toBe(true);
    const removed = await terminal.run(['video', 'remove', head]);
    expect([removed.code, existsSync(watched.stdout.trim())]).toEqual([0, true]);
    expect((await terminal.run(['video', 'watch', head])).code).toBe(1);
    expect(await orders()).toHaveLength(1);
  });

  test('an order goes to the service of this run, whatever is stored', async () => {
    await terminal.run(
      ['key', 'set', '--upstream', 'https://models.example.com', '--plain-text-file'],
      {
        input: 'sk-0123456789abcdefgh',
      },
    );
    await using serving = await terminal.serve(['--sandbox']);
    expect(serving.banner).toContain('sandbox');
    const added = await terminal.run(await order('A fox'));
    expect(added.stderr).toContain('nobody pays');
    expect((await look(added.stdout.trim())).service.name).toBe('Sandbox');
  });

  test('Ctrl-C stops the waiting only; when Gatehouse stops, whoever waits runs the queue', async () => {
    await using serving = await terminal.serve();
    await using first = terminal.begin(await order('A [scenario render-ms=12000]', ['--wait']));
    await first.errorSays('rendering');
    first.child.kill('SIGINT');
    const { code, stderr } = await first.finished;
    expect(code).toBe(1);
    expect(stderr).toContain(`Gatehouse (pid ${serving.child.pid}) goes on with the video.`);
    await using second = terminal.begin(['video', 'watch', '--json']);
    await second.errorSays('rendering');
    await serving.stop('SIGINT');
    expect(jobIn(JSON.parse((await second.finished).stdout)).state).toBe('done');
    expect(await orders()).toHaveLength(1);
  });
});

describe('what only a person can tell', () => {
  test('an address that could not be told is answered once, and the next image needs no answer', async () => {
    const name = 'fox [scenario two-urls].png';
    const args = [
      'video',
      'new',
      '--image',
      await image(name),
      '--prompt',
      'A fox',
      '--yes',
      '--wait',
    ];
    const asked = await terminal.run(args);
    expect([asked.code, asked.stdout]).toEqual([1, '']);
    expect(asked.stderr).toContain('Nothing is ordered yet');
    const pasted = [
      ...asked.stderr.matchAll(/^ {2}gatehouse (video answer (\w+) --pointer (\S+))$/gmu),
    ];
    expect(pasted).toHaveLength(2);
    const [, line = '', head = ''] = pasted[0] ?? [];
    expect((await terminal.run(line.split(' '))).code).toBe(0);
    expect((await terminal.run(['video', 'watch', head])).code).toBe(0);
    expect((await terminal.run(args)).code).toBe(0);
    expect(await orders()).toHaveLength(2);
  });

  test('an order without an answer is unsure; it is sent again only with the price told and a yes', async () => {
    const args = await order('A fox [scenario lost-answer]', ['--wait']);
    const { code, stderr } = await terminal.run(args);
    expect(code).toBe(1);
    expect(stderr).toContain('you pay twice');
    const head = /video resume (\w+) --submit-again/u.exec(stderr)?.[1] ?? '';
    const again = ['video', 'resume', head, '--submit-again'];
    const unpaid = await terminal.run(again);
    expect([unpaid.code, unpaid.stderr.includes('charges both')]).toEqual([2, true]);
    const plain = await terminal.run(['video', 'resume', head]);
    expect([plain.code, plain.stderr.includes('you pay twice')]).toEqual([1, true]);
    expect(await orders()).toHaveLength(1);
    const task = z.array(z.object({ id: z.string() })).parse(await orders())[0]?.id ?? '';
    const given = await terminal.run(['video', 'answer', head, '--id', task]);
    expect(given.code).toBe(0);
    expect((await terminal.run(['video', 'watch', head])).code).toBe(0);
    expect(await orders()).toHaveLength(1);
  });

  test('a word that is said to mean failed ends the waiting, and the next job by itself', async () => {
    const args = await order('It will fail', ['--wait', '--json']);
    await using first = terminal.begin(args);
    await first.errorSays('rendering ("failed")');
    const { id } = jobIn(await terminal.json(['video', 'list']));
    expect((await terminal.run(['video', 'answer', id, '--word', 'failed'])).code).toBe(0);
    const { code, stdout } = await first.finished;
    const { state, charged } = jobIn(JSON.parse(stdout));
    expect([code, state, charged]).toEqual([1, 'failed', 'yes']);
    const second = await terminal.run(await order('It will fail', ['--wait']));
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toContain('The prompt asks for a failure');
    expect(second.stderr).toContain('(charged)');
  });

  test('what goes on by itself is not resumed', async () => {
    const { stdout } = await terminal.run(await order('A fox'));
    const { code, stderr } = await terminal.run(['video', 'resume', stdout.trim()]);
    expect([code, stderr.includes('It goes on already')]).toEqual([1, true]);
  });
});

describe.runIf(SCRIPT_INSTALLED)('at a screen', () => {
  test('a no sends nothing', async () => {
    const args = ['video', 'new', '--image', await image(), '--prompt', 'A fox'];
    await using screen = terminal.startAtScreen(args);
    await screen.says('Order it?');
    screen.types('n');
    await screen.says('Nothing was sent.');
    expect(await screen.ended).toBe(1);
    expect(await orders()).toEqual([]);
  });

  test('a yes runs the queue here, draws one line again and again, rings, and shows a notice', async () => {
    const bin = join(folder, 'bin');
    const told = join(folder, 'told');
    await mkdir(bin);
    await writeFile(join(bin, 'notify-send'), `#!/bin/sh\nprintf '%s|' "$@" > '${told}'\n`);
    await chmod(join(bin, 'notify-send'), 0o755);
    const args = ['video', 'new', '--image', await image(), '--prompt', 'A <fox>'];
    await using screen = terminal.startAtScreen(args, {
      DISPLAY: ':0',
      NO_COLOR: '1',
      PATH: `${bin}:${process.env['PATH']}`,
    });
    await screen.says('Order it?');
    screen.types('y');
    expect(await screen.ended).toBe(0);
    const drawn = screen.shown().split('\r\u001b[2K');
    expect(
      drawn.filter((line) => /^[\da-f]{8} rendering.*, asked \d+ s ago/u.test(line)).length,
    ).toBeGreaterThan(1);
    expect(screen.shown()).toContain('\u0007');
    expect(screen.shown()).toContain(' is there (');
    expect(await readFile(told, 'utf8')).toBe('--app-name=Gatehouse|--|Video done|A &lt;fox&gt;|');
    // Once a second is often enough; a change may come in between.
    expect(drawn.length).toBeLessThan(60);
  });
});

test('the list shows a queue in a table, filtered by state', async () => {
  await terminal.run(await order('A red fox'));
  const { stdout } = await terminal.run(['video', 'list']);
  expect(stdout).toMatch(/^Id\s+State\s+Prompt/u);
  expect(stdout).toMatch(/[\da-f]{8} +waiting +A red fox +h3 +not charged/u);
  expect((await terminal.run(['video', 'list', '--state', 'done'])).stdout).toContain('No video');
});
