import { readFile } from 'node:fs/promises';
import { assert, describe, expect, test } from 'vitest';
import { order, startQuickHouse, whenJob, whenState } from './queue.ts';

const QUICK_RENDER = '[scenario render-ms=50]';

test('a video is made from an image: uploaded, ordered once, asked about, fetched whole', async () => {
  await using house = await startQuickHouse();
  const { id } = await order(house, `A fox. ${QUICK_RENDER}`);
  const done = await whenState(house.rooms, id, 'done', 'failed');
  expect(done).toMatchObject({ state: 'done', charged: 'yes', problem: null, word: 'completed' });
  const [only] = house.sandbox.orders;
  assert(only && done.file);
  expect(house.sandbox.orders).toHaveLength(1);
  expect(done.taskId).toBe(only.id);
  const bytes = await readFile(done.file.path);
  expect(bytes.equals(await house.sandbox.video(only))).toBe(true);
  expect(done.file).toMatchObject({ present: true, bytes: bytes.length, type: 'video/mp4' });
  const { answers } = await house.rooms.videos.get(id);
  expect(new Set(answers.map(({ stage }) => stage))).toEqual(
    new Set(['upload', 'submit', 'identify', 'poll']),
  );
  const map = await house.rooms.videos.fields(done.service.gone ? '' : house.sandbox.url);
  expect(map).toMatchObject({ fileUrl: '/file_url', taskId: '/task_id' });
  const records = await house.records();
  const routes = records
    .filter(({ clientName }) => clientName === 'Videos')
    .map(({ route }) => route);
  expect(routes).toEqual(
    expect.arrayContaining(['files', 'video-submit', 'video-status', 'video-content']),
  );
});

describe('an order', () => {
  test('that may have arrived is unsure, and only a person sends it again', async () => {
    await using house = await startQuickHouse();
    const { id } = await order(house, `A fox. ${QUICK_RENDER} [scenario lost-answer]`);
    const unsure = await whenState(house.rooms, id, 'unsure');
    expect(unsure).toMatchObject({ charged: 'maybe', nextAt: null });
    expect(house.sandbox.orders).toHaveLength(1);
    const [only] = house.sandbox.orders;
    assert(only);
    await house.rooms.videos.act(id, { act: 'give-id', taskId: only.id });
    const done = await whenState(house.rooms, id, 'done');
    expect(done.charged).toBe('yes');
    expect(house.sandbox.orders).toHaveLength(1);
  });

  test('is sent again when a person says so', async () => {
    await using house = await startQuickHouse();
    const { id } = await order(house, `A fox. ${QUICK_RENDER} [scenario order-error]`);
    await whenState(house.rooms, id, 'unsure');
    await house.rooms.videos.act(id, { act: 'submit-again' });
    await whenJob(
      house.rooms,
      id,
      ({ state }) => state === 'unsure' && house.sandbox.orders.length === 2,
    );
    expect((await house.rooms.videos.act(id, { act: 'cancel' })).charged).toBe('maybe');
  });
});
