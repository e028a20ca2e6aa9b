import { expect } from 'vitest';
import { test } from '../../kit/videos/video-test.ts';

test('history with an id tells the headers that are kept, also those of the calls of the video queue', async ({
  terminal,
  order,
}) => {
  await using serving = await terminal.serve();
  await fetch(`http://127.0.0.1:${serving.port}/v1/models`, {
    headers: { authorization: `Bearer ${serving.localKey}`, 'x-trace': 'seen' },
  });
  await terminal.run(await order('A fox', ['--wait']));
  const rows = async () => {
    const { stdout } = await terminal.run(['history', '--json']);
    const { exchanges }: { exchanges: { id: string; route: string; userAgent: string | null }[] } =
      JSON.parse(stdout);
    return exchanges;
  };
  await expect
    .poll(async () => (await rows()).map(({ route }) => route))
    .toEqual(expect.arrayContaining(['models', 'video-submit', 'video-content']));
  const detailOf = async (wanted: string) => {
    const id = (await rows()).find(({ route }) => route === wanted)?.id ?? '';
    return JSON.parse((await terminal.run(['history', id, '--json'])).stdout);
  };
  const { headers } = await detailOf('models');
  expect(headers.received).toContainEqual(['x-trace', 'seen']);
  const submit = await detailOf('video-submit');
  expect(submit.headers.sent).toContainEqual(['content-type', 'application/json']);
  expect(submit.headers.sent).toContainEqual(['authorization', 'Bearer ••••']);
  expect(submit.headers.answered).toContainEqual(['content-type', expect.stringContaining('json')]);
  const content = await detailOf('video-content');
  expect(content.headers.answered).not.toBeNull();
  const id = (await rows()).find(({ route }) => route === 'video-submit')?.id ?? '';
  expect((await terminal.run(['history', id])).stdout).toContain('authorization: Bearer ••••');
});
