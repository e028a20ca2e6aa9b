import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../../../kit/videos/video-test.ts';

test('the list shows a queue in a table, filtered by state', async ({ terminal, order }) => {
  await terminal.run(await order('A red fox'));
  const { stdout } = await terminal.run(['video', 'list']);
  expect(stdout).toMatch(/^Id\s+State\s+Prompt/u);
  expect(stdout).toMatch(/[\da-f]{8} +waiting +A red fox +h3 +no charge \(sandbox\)/u);
  expect((await terminal.run(['video', 'list', '--state', 'done'])).stdout).toContain('No video');
});

describe('calling', () => {
  test.for<[string[], string]>([
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
  ])('video %j is called wrongly: 2, and told why', async ([args, words], { terminal }) => {
    const { code, stdout, stderr } = await terminal.run(['video', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/\n {4}at /u);
  });

  test.for(['new', 'list', 'watch', 'get', 'answer', 'resume', 'cancel', 'remove'])(
    'video %s explains itself',
    async (name, { terminal }) => {
      const { code, stdout } = await terminal.run(['video', name, '--help']);
      expect(code).toBe(0);
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(92);
    },
  );

  test('what is not there, is no image or has nowhere to go stops an order before anything is sent', async ({
    terminal,
    folder,
    image,
  }) => {
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
      expect(stderr).not.toContain('error in Gatehouse');
    }
    expect(failures[1]?.stderr).toContain(`${text}: This is not an image`);
    expect(await readFile(taken, 'utf8')).toBe('mine');
    expect(await terminal.json(['video', 'list'])).toMatchObject({ videos: [] });
  });

  test('without a terminal and without --yes nothing is sent', async ({
    terminal,
    image,
    orders,
  }) => {
    const args = ['video', 'new', '--image', await image(), '--prompt', 'A fox', '--wait'];
    const { code, stdout, stderr } = await terminal.run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--yes');
    expect(await terminal.json(['video', 'list'])).toMatchObject({ videos: [] });
    expect(await orders()).toEqual([]);
  });
});
