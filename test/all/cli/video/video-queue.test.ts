import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openSandbox } from '../../../../sandbox/server.ts';
import { sandboxEnvironment } from '../../../kit/process/test-machine.ts';
import { isVideo, parseJob, test } from '../../../kit/videos/video-test.ts';

describe.concurrent('where no Gatehouse runs', () => {
  test('a command that waits runs it itself, and ends with the file where it was wanted', async ({
    terminal,
    folder,
    order,
    orders,
  }) => {
    const out = join(folder, 'fox.mp4');
    const { code, stdout, stderr } = await terminal.run(await order('A fox', ['--out', out]));
    expect([code, stdout]).toEqual([0, `${out}\n`]);
    expect(stderr).toContain('only simulates it: $0.20 (sandbox, not charged).');
    const listed = await terminal.run(['video', 'list']);
    expect(listed.stdout).toContain('$0.20 (sandbox, not charged)');
    expect(stderr).toMatch(/[\da-f]{8} rendering\n/u);
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

  test('with --json standard output is one document', async ({ terminal, order }) => {
    const printed = await terminal.json(await order('A fox', ['--wait', '--field', 'note="x"']));
    const { state, file, charged, request } = parseJob(printed);
    expect([state, charged, request.more]).toEqual(['done', 'yes', { note: 'x' }]);
    expect(await isVideo(file?.path ?? '')).toBe(true);
  });

  test('a job that nobody waits for stays on the disk, and nothing is sent', async ({
    terminal,
    order,
    look,
    orders,
  }) => {
    const { code, stdout, stderr } = await terminal.run(await order('A fox'));
    expect(code).toBe(1);
    expect(stderr).toContain('Nothing was ordered yet, because no Gatehouse runs');
    const { state, charged } = await look(stdout.trim());
    expect([state, charged]).toEqual(['waiting', 'no']);
    expect(await orders()).toEqual([]);
    const cancelled = await terminal.run(['video', 'cancel', stdout.trim()]);
    expect(cancelled.stdout).toContain('cancelled before anything was ordered');
  });

  test('Ctrl-C stops the waiting, says how to come back, and leaves the job as it is', async ({
    terminal,
    order,
    look,
  }) => {
    await using sandbox = await openSandbox();
    const environment = sandboxEnvironment(sandbox);
    const args = await order('A fox [scenario gate=1]', ['--wait', '--json']);
    await using waiting = terminal.begin(args, { environment });
    await waiting.errorSays('rendering');
    waiting.child.kill('SIGINT');
    const { code, stdout, stderr } = await waiting.finished;
    expect([code, parseJob(JSON.parse(stdout)).state]).toEqual([1, 'rendering']);
    const [, head = ''] =
      /Nothing is lost.*\n {2}gatehouse video watch (\w+)\n/u.exec(stderr) ?? [];
    expect((await look(head)).state).toBe('rendering');
    expect(await readdir(terminal.dataDir)).not.toContain('serving.json');
    sandbox.openGate(1);
    const watched = await terminal.json(['video', 'watch', head], { environment });
    expect(parseJob(watched).state).toBe('done');
    expect(sandbox.orders).toHaveLength(1);
  });

  test('an order has the amount of its charge by the prices, before it and in the list, or says how to set one', async ({
    terminal,
    image,
    order,
  }) => {
    await using sandbox = await openSandbox();
    const environment = sandboxEnvironment(sandbox);
    const ordered = await terminal.run(await order('A fox', ['--wait', '--json']), {
      environment,
    });
    const { id } = parseJob(JSON.parse(ordered.stdout));
    const command = 'gatehouse prices set h3 --video-second 480p=AMOUNT';
    expect(ordered.stderr).toContain(
      `No price is known, so what it costs is not. To set one:\n  ${command}\n`,
    );
    const before = await terminal.run(['video', 'list']);
    expect(before.stdout).toContain('charged: no price known');
    expect(before.stderr).toContain(`To set a price that is not known:\n  ${command}\n`);
    expect((await terminal.run(['video', 'list', id])).stdout).toContain(command);
    await terminal.run(command.replace('AMOUNT', '0.05').split(' ').slice(1));
    const after = await terminal.run(['video', 'list']);
    expect(after.stdout).toContain('charged: $0.20 by your prices');
    expect(after.stderr).not.toContain('prices set');
    const shown = await terminal.run(['video', 'list', id]);
    expect(shown.stdout).toContain('charged: $0.20 by your prices');
    expect(shown.stdout).not.toContain('prices set');
    const second = await terminal.run(await order('A hen', ['--wait']), { environment });
    expect(second.stderr).toContain('One order is one charge. By your prices it costs $0.20.');
    const two = await terminal.run(await order('Two', ['--image', await image('two.png')]), {
      environment,
    });
    expect(two.stderr).toContain('2 charges. By your prices they cost $0.40, each $0.20.');
    const long = await terminal.run(await order('Long', ['--field', 'seconds="long"']), {
      environment,
    });
    expect(long.stderr).toContain('What it costs is not known, because its length is not.');
    expect(second.stderr).toMatch(/is finished \(.*; charged: \$0\.20 by your prices\):/u);
  });

  test('of two commands at once one runs the queue, and the other takes it over when that one has ended', async ({
    terminal,
    order,
  }) => {
    await using sandbox = await openSandbox();
    const environment = sandboxEnvironment(sandbox);
    const begin = async (prompt: string) =>
      terminal.begin(await order(prompt, ['--wait', '--json']), { environment });
    await using first = await begin('A fox [scenario gate=1]');
    await first.errorSays('rendering');
    await using second = await begin('A hen [scenario gate=2]');
    await second.errorSays('rendering');
    sandbox.openGate(1);
    const one = await first.finished;
    sandbox.openGate(2);
    const ends = [one, await second.finished];
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(ends.map(({ stdout }) => parseJob(JSON.parse(stdout)).state)).toEqual(['done', 'done']);
    expect(sandbox.orders).toHaveLength(2);
  });

  test('a service of the environment is ordered from, and its key stays in memory', async ({
    terminal,
    order,
  }) => {
    await using sandbox = await openSandbox();
    const environment = { GATEHOUSE_UPSTREAM_URL: sandbox.url };
    const args = await order('A fox', ['--wait', '--json']);
    const keyless = await terminal.run(args, { environment });
    expect([keyless.code, keyless.stdout]).toEqual([1, '']);
    expect(keyless.stderr).toContain('key set');
    const call = { environment: { ...environment, GATEHOUSE_UPSTREAM_KEY: sandbox.key } };
    const { code, stdout, stderr } = await terminal.run(args, call);
    expect(stderr).toContain(`It is ordered from ${sandbox.url}. One order is one charge.`);
    expect([code, parseJob(JSON.parse(stdout)).state]).toEqual([0, 'done']);
    expect(sandbox.orders).toHaveLength(1);
    expect(stdout + stderr).not.toContain(sandbox.key);
    const entries = await readdir(terminal.dataDir, { recursive: true, withFileTypes: true });
    for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
      expect((await readFile(join(parentPath, name))).includes(sandbox.key)).toBe(false);
    }
  });

  test('serve says what runs instead of it', async ({ terminal, order }) => {
    await using waiting = terminal.begin(await order('A [scenario render-ms=60000]', ['--wait']));
    await waiting.errorSays('rendering');
    const start = await terminal.run(['serve', '--port', '0']);
    expect([start.code, start.stdout]).toEqual([1, '']);
    expect(start.stderr).toContain('no video is lost');
    expect((await terminal.run(['open'])).stderr).toContain('without a window');
  });
});

describe.concurrent('where Gatehouse runs', () => {
  test('a job that waits because of a pause says why and how to continue, and is done afterwards', async ({
    terminal,
    folder,
    order,
  }) => {
    await using serving = await terminal.serve();
    await terminal.run(['pause']);
    const words = 'waiting: Gatehouse is paused; to continue: gatehouse resume';
    const out = join(folder, 'fox.mp4');
    await using waiting = terminal.begin(await order('A fox', ['--out', out]));
    await waiting.errorSays(words);
    const listed = await terminal.run(['video', 'list']);
    expect(listed.stdout).toContain(words);
    const [, id = ''] = /^([\da-f]{8})\s/mu.exec(listed.stdout) ?? [];
    expect((await terminal.run(['video', 'list', id])).stdout).toContain(words);
    await using watching = terminal.begin(['video', 'watch', id]);
    await watching.errorSays(words);
    await terminal.run(['resume']);
    expect((await waiting.finished).code).toBe(0);
    expect((await watching.finished).code).toBe(0);
    expect((await terminal.run(['video', 'list', id])).stdout).not.toContain('paused');
    expect(serving.port).toBeGreaterThan(0);
  });

  test('an order is put into its queue; watch, get and remove find it by the beginning of its id', async ({
    terminal,
    folder,
    order,
    orders,
  }) => {
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
    expect(again.stderr).toContain('already exists and was not changed');
    expect((await terminal.run([...get, '--force'])).code).toBe(0);
    expect(await isVideo(join(folder, 'a.mp4'))).toBe(true);
    const removed = await terminal.run(['video', 'remove', head]);
    expect([removed.code, existsSync(watched.stdout.trim())]).toEqual([0, true]);
    expect((await terminal.run(['video', 'watch', head])).code).toBe(1);
    expect(await orders()).toHaveLength(1);
  });

  test('an order goes to the service of this run, whatever is stored', async ({
    terminal,
    order,
    look,
  }) => {
    await terminal.run(
      ['key', 'set', '--upstream', 'https://models.example.com', '--plain-text-file'],
      {
        input: 'sk-0123456789abcdefgh',
      },
    );
    await using serving = await terminal.serve(['--sandbox']);
    expect(serving.banner).toContain('sandbox');
    const added = await terminal.run(await order('A fox'));
    expect(added.stderr).toContain('$0.20 (sandbox, not charged)');
    expect((await look(added.stdout.trim())).service.name).toBe('Sandbox');
  });

  test('Ctrl-C stops the waiting only; when Gatehouse stops, whoever waits runs the queue', async ({
    terminal,
    order,
  }) => {
    await using sandbox = await openSandbox();
    const environment = sandboxEnvironment(sandbox);
    await using serving = await terminal.serve([], { environment });
    const args = await order('A [scenario gate=1]', ['--wait']);
    await using first = terminal.begin(args, { environment });
    await first.errorSays('rendering');
    first.child.kill('SIGINT');
    const { code, stderr } = await first.finished;
    expect(code).toBe(1);
    expect(stderr).toContain(`Gatehouse (pid ${serving.child.pid}) continues with the video.`);
    await using second = terminal.begin(['video', 'watch', '--json'], { environment });
    await second.errorSays('rendering');
    await serving.stop('SIGINT');
    sandbox.openGate(1);
    expect(parseJob(JSON.parse((await second.finished).stdout)).state).toBe('done');
    expect(sandbox.orders).toHaveLength(1);
  });
});
