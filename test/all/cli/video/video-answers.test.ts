import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { SCRIPT_INSTALLED } from '../../../kit/process/test-machine.ts';
import { parseJob, test } from '../../../kit/videos/video-test.ts';

describe.concurrent('what only a person can tell', () => {
  test('an address that could not be told is answered once, and the next image needs no answer', async ({
    terminal,
    image,
    orders,
  }) => {
    const name = 'fox [scenario twin-urls].png';
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

  test('a question is asked on stderr also beside JSON, with the command that answers it', async ({
    terminal,
    image,
  }) => {
    const path = await image('fox [scenario twin-urls].png');
    const order = ['--image', path, '--prompt', 'A fox', '--yes', '--wait', '--json'];
    const args = ['video', 'new', ...order];
    const { code, stdout, stderr } = await terminal.run(args);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ videos: [{ state: 'needs-answer' }] });
    expect(stderr).toContain('cannot find the address of the uploaded image in its answer');
    expect(stderr).toMatch(/^ {2}gatehouse video answer \w+ --pointer \S+$/mu);
  });

  test('an order without an answer is unsure; it is sent again only with the price told and a yes', async ({
    terminal,
    order,
    orders,
  }) => {
    const args = await order('A fox [scenario lost-answer]', ['--wait']);
    const { code, stderr } = await terminal.run(args);
    expect(code).toBe(1);
    expect(stderr).toContain('order again:');
    expect(stderr.replace('(sandbox, not charged)', '')).not.toMatch(/charg|you pay/iu);
    const head = /video resume (\w+) --submit-again/u.exec(stderr)?.[1] ?? '';
    const again = ['video', 'resume', head, '--submit-again'];
    const unpaid = await terminal.run(again);
    expect([
      unpaid.code,
      unpaid.stderr.includes('sent again as a new one: $0.20 (sandbox, not charged)'),
    ]).toEqual([2, true]);
    const plain = await terminal.run(['video', 'resume', head]);
    expect([plain.code, plain.stderr.includes('--submit-again')]).toEqual([1, true]);
    expect(await orders()).toHaveLength(1);
    const task = z.array(z.object({ id: z.string() })).parse(await orders())[0]?.id ?? '';
    const given = await terminal.run(['video', 'answer', head, '--id', task]);
    expect(given.code).toBe(0);
    expect((await terminal.run(['video', 'watch', head])).code).toBe(0);
    expect(await orders()).toHaveLength(1);
  });

  test('a word that is said to mean failed ends the waiting, and the next job by itself', async ({
    terminal,
    order,
  }) => {
    const args = await order('It will fail [scenario own-words]', ['--wait', '--json']);
    await using first = terminal.begin(args);
    await first.errorSays('rendering ("spoiled")');
    const { id } = parseJob(await terminal.json(['video', 'list']));
    expect((await terminal.run(['video', 'answer', id, '--word', 'failed'])).code).toBe(0);
    const { code, stdout } = await first.finished;
    const { state, charged } = parseJob(JSON.parse(stdout));
    expect([code, state, charged]).toEqual([1, 'failed', 'yes']);
    const second = await terminal.run(await order('It will fail [scenario own-words]', ['--wait']));
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toContain('The prompt asks for a failure');
    expect(second.stderr).toContain('(no charge)');
  });

  test('what goes on by itself is not resumed', async ({ terminal, order }) => {
    const { stdout } = await terminal.run(await order('A fox'));
    const { code, stderr } = await terminal.run(['video', 'resume', stdout.trim()]);
    expect([code, stderr.includes('It is already in progress')]).toEqual([1, true]);
  });
});

describe.runIf(SCRIPT_INSTALLED)('at a screen', { concurrent: true }, () => {
  test('a no sends nothing', async ({ terminal, image, orders }) => {
    const args = ['video', 'new', '--image', await image(), '--prompt', 'A fox'];
    await using screen = terminal.startAtScreen(args);
    await screen.waitFor('Order it?');
    screen.type('n');
    await screen.waitFor('Nothing was sent.');
    expect(await screen.ended).toBe(1);
    expect(await orders()).toEqual([]);
  });

  test('a yes runs the queue here, draws one line again and again, rings, and shows a notice', async ({
    terminal,
    folder,
    image,
  }) => {
    const bin = join(folder, 'bin');
    const reported = join(folder, 'told');
    await mkdir(bin);
    await writeFile(join(bin, 'notify-send'), `#!/bin/sh\nprintf '%s|' "$@" > '${reported}'\n`);
    await chmod(join(bin, 'notify-send'), 0o755);
    const args = ['video', 'new', '--image', await image(), '--prompt', 'A <fox>'];
    await using screen = terminal.startAtScreen(args, {
      DISPLAY: ':0',
      NO_COLOR: '1',
      PATH: `${bin}:${process.env['PATH']}`,
    });
    await screen.waitFor('Order it?');
    screen.type('y');
    expect(await screen.ended).toBe(0);
    const drawn = screen.output().split('\r\u001b[2K');
    expect(
      drawn.filter((line) => /^[\da-f]{8} rendering.*, checked \d+ s ago/u.test(line)).length,
    ).toBeGreaterThan(1);
    expect(screen.output()).toContain('\u0007');
    expect(screen.output()).toContain(' is finished (');
    expect(await readFile(reported, 'utf8')).toBe(
      '--app-name=Gatehouse|--|Video done|A &lt;fox&gt;|',
    );
    // Once a second is often enough; a change may come in between.
    expect(drawn.length).toBeLessThan(60);
  });
});
