import { sql } from 'kysely';
import { assert, expect, test } from 'vitest';
import { z } from 'zod';
import { openSandbox } from '../../../sandbox/server.ts';
import type { SettingsChange } from '../../../shared/settings.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';
import { anId } from '../../kit/videos/video-id.ts';
import { type Engine, createEngineSetup } from '../../kit/videos/engine-setup.ts';
import { FAST_TIMING, whenState } from '../../kit/videos/queue.ts';
import { imageFile } from '../../kit/videos/videos-folder.ts';

const Uploaded = z.object({ file_url: z.string() });

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly replayed: string | null;
}

/** Creates a client that repeats one order. */
async function createClient(engine: Engine, sandbox: { url: string; key: string }) {
  const form = new FormData();
  form.append('file', new Blob([Buffer.from('x')], { type: 'image/png' }), 'fox.png');
  const headers = { authorization: `Bearer ${sandbox.key}` };
  const uploaded = await fetch(`${sandbox.url}/v1/files`, { method: 'POST', headers, body: form });
  const { file_url: url } = Uploaded.parse(await uploaded.json());
  const { key } = await engine.repositories.clients.add('Script');
  return async (at: Engine, prompt: string, more: Record<string, string> = {}): Promise<Answer> => {
    const conditions = [{ type: 'image', url }];
    const answer = await fetch(`http://127.0.0.1:${at.gateway.port}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
      body: JSON.stringify({
        model: 'h3',
        task: 'ref2va',
        prompt,
        seconds: '4',
        resolution: '480p',
        conditions,
      }),
    });
    const replayed = answer.headers.get('x-gatehouse-replayed');
    return { status: answer.status, text: await answer.text(), replayed };
  };
}

async function onlyJob({ repositories }: Engine) {
  const { jobs } = await repositories.videos.page({ filter: {}, limit: 10 });
  const [job] = jobs;
  assert(job);
  expect(jobs).toHaveLength(1);
  return job;
}

test('a repeated order is recognised for ten minutes, even after a restart', async () => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  const first = await setup.start(FAST_TIMING);
  const orderVideo = await createClient(first, sandbox);
  const answer = await orderVideo(first, 'A fox. [scenario render-ms=600000]');
  expect(answer).toMatchObject({ status: 200, replayed: null });
  await first.stop();
  await using second = await setup.start(FAST_TIMING);
  const again = await orderVideo(second, 'A fox. [scenario render-ms=600000]');
  expect(again).toMatchObject({ status: 200, text: answer.text });
  expect(again.replayed).not.toBeNull();
  expect(sandbox.orders).toHaveLength(1);
  setup.ahead = 10 * 60_000;
  setup.elapsed = 10 * 60_000;
  expect((await orderVideo(second, 'A fox. [scenario render-ms=600000]')).replayed).toBeNull();
  expect(sandbox.orders).toHaveLength(2);
});

test.for([
  ['11 minutes', 11 * 60_000],
  ['two hours', 2 * 3_600_000],
  ['100 days', 100 * 24 * 3_600_000],
] as const)(
  'a clock that is set forward by %s while nothing runs repeats no order',
  async ([, ahead]) => {
    await using sandbox = await openSandbox();
    await using setup = await createEngineSetup(sandbox);
    const prompt = 'A fox. [scenario render-ms=600000]';
    const first = await setup.start(FAST_TIMING);
    const orderVideo = await createClient(first, sandbox);
    const answer = await orderVideo(first, prompt);
    await first.stop();
    setup.ahead = ahead;
    await using second = await setup.start(FAST_TIMING);
    expect(await orderVideo(second, prompt)).toMatchObject({ status: 200, text: answer.text });
    expect(sandbox.orders).toHaveLength(1);
  },
);

test('after a restart of the machine, only its clock determines when the ten minutes end', async () => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  const prompt = 'A fox. [scenario render-ms=600000]';
  const first = await setup.start(FAST_TIMING);
  const orderVideo = await createClient(first, sandbox);
  const answer = await orderVideo(first, prompt);
  await first.stop();
  // The machine has now run a minute longer than it had when the order was settled.
  setup.bootId = 'second';
  setup.elapsed = 60_000;
  setup.ahead = 9 * 60_000;
  await using second = await setup.start(FAST_TIMING);
  expect(await orderVideo(second, prompt)).toMatchObject({ status: 200, text: answer.text });
  expect(sandbox.orders).toHaveLength(1);
  setup.ahead = 30 * 60_000;
  expect(await orderVideo(second, prompt)).toMatchObject({ status: 200, replayed: null });
  expect(sandbox.orders).toHaveLength(2);
});

test('simultaneous identical orders in two processes on one data folder are one order', async () => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  await using first = await setup.start(FAST_TIMING);
  const orderVideo = await createClient(first, sandbox);
  await using second = await setup.start(FAST_TIMING);
  const runs = [first, second, first, second, first, second];
  const slow = 'A fox. [scenario render-ms=600000]';
  const answers = await Promise.all(runs.map((run) => orderVideo(run, slow)));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
  expect(sandbox.orders).toHaveLength(1);
  const lost = await Promise.all(
    runs.map((run) => orderVideo(run, 'Lost. [scenario lost-answer]')),
  );
  const statuses = lost.map(({ status }) => status);
  expect(statuses.filter((status) => status === 409)).toHaveLength(5);
  expect(statuses.filter((status) => status === 502)).toHaveLength(1);
  expect(sandbox.orders).toHaveLength(2);
});

test('an order with unknown outcome is not sent again, neither by Gatehouse nor through it', async () => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  const first = await setup.start(FAST_TIMING);
  const orderVideo = await createClient(first, sandbox);
  const prompt = 'A fox. [scenario lost-answer]';
  expect((await orderVideo(first, prompt)).status).toBeGreaterThanOrEqual(500);
  const job = await onlyJob(first);
  expect(job).toMatchObject({ state: 'unsure', origin: 'client', clientName: 'Script' });
  expect((await orderVideo(first, prompt)).status).toBe(409);
  const again = first.repositories.videos.act(job.id, { type: 'submit-again' });
  await expect(again).rejects.toThrow('only that client can order it again');
  await first.stop();
  await using second = await setup.start(FAST_TIMING);
  expect((await orderVideo(second, prompt)).status).toBe(409);
  expect(sandbox.orders).toHaveLength(1);
  const meant = await orderVideo(second, prompt, { 'x-gatehouse-allow-duplicate': '1' });
  expect(meant.status).not.toBe(409);
  expect(sandbox.orders).toHaveLength(2);
});

test.for([
  "state = 'wibble'",
  "data = '{broken'",
  // Simulates Gatehouse being killed while the order is being sent.
  "state = 'submitting', data = '{broken'",
])(
  'an order whose row is damaged (%s) is not sent again, neither by Gatehouse nor through it',
  async (damage) => {
    await using sandbox = await openSandbox();
    await using setup = await createEngineSetup(sandbox);
    const first = await setup.start(FAST_TIMING);
    const orderVideo = await createClient(first, sandbox);
    const prompt = 'A fox. [scenario lost-answer]';
    expect((await orderVideo(first, prompt)).status).toBeGreaterThanOrEqual(500);
    await sql.raw(`update video_job set ${damage}`).execute(first.repositories.store.db);
    expect((await orderVideo(first, prompt)).status).toBe(409);
    await first.stop();
    await using second = await setup.start(FAST_TIMING);
    expect((await orderVideo(second, prompt)).status).toBe(409);
    expect(await second.repositories.videos.page({ filter: {}, limit: 10 })).toMatchObject({
      jobs: [],
    });
    expect(await second.repositories.videos.damaged()).toHaveLength(1);
    expect(sandbox.orders).toHaveLength(1);
  },
);

test('an order whose video was removed from the list is still recognised', async () => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  await using engine = await setup.start(FAST_TIMING);
  const orderVideo = await createClient(engine, sandbox);
  const prompt = 'A fox. [scenario render-ms=600000]';
  const first = await orderVideo(engine, prompt);
  const { id } = await onlyJob(engine);
  await whenState(engine.repositories, id, 'rendering');
  await engine.repositories.videos.act(id, { type: 'cancel' });
  await engine.repositories.videos.remove(id, false);
  const again = await orderVideo(engine, prompt);
  expect(again).toMatchObject({ status: 200, text: first.text });
  expect(again.replayed).not.toBeNull();
  expect(sandbox.orders).toHaveLength(1);
});

test('an order with unknown outcome may be sent again once a user gave it up and removed it', async () => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  await using engine = await setup.start(FAST_TIMING);
  const orderVideo = await createClient(engine, sandbox);
  const prompt = 'A fox. [scenario lost-answer]';
  await orderVideo(engine, prompt);
  const { id } = await onlyJob(engine);
  await engine.repositories.videos.act(id, { type: 'cancel' });
  expect((await orderVideo(engine, prompt)).status).toBe(409);
  await engine.repositories.videos.remove(id, false);
  expect((await orderVideo(engine, prompt)).status).not.toBe(409);
  expect(sandbox.orders).toHaveLength(2);
});

test.each([
  [{ keepClientVideos: true }, true],
  [{ keepClientVideos: false }, false],
])('with %j a client’s video is polled, and its file is downloaded: %s', async (change, isHere) => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  await using engine = await setup.start(FAST_TIMING);
  const settings: SettingsChange = change;
  await engine.gateway.changeSettings(settings);
  const orderVideo = await createClient(engine, sandbox);
  await orderVideo(engine, 'A fox. [scenario render-ms=50]');
  const { id } = await onlyJob(engine);
  const done = await whenState(engine.repositories, id, 'done');
  expect(done).toMatchObject({ charged: 'yes', request: { prompt: expect.any(String) } });
  expect(done.file !== null).toBe(isHere);
  if (isHere) return;
  await engine.repositories.videos.act(id, { type: 'fetch-again' });
  expect((await whenState(engine.repositories, id, 'done')).file?.present).toBe(true);
});

test('an order of the maximum nesting depth is forwarded once like the others', async () => {
  await using service = await openUpstream({ models: ['h3'] });
  await using setup = await createEngineSetup({ url: service.url, key: 'sk-of-the-service' });
  await using engine = await setup.start(FAST_TIMING);
  const { key } = await engine.repositories.clients.add('Script');
  const body = `{"model":"h3","prompt":"A fox","deep":${'['.repeat(500)}${']'.repeat(500)}}`;
  const orderVideo = async () =>
    await fetch(`http://127.0.0.1:${engine.gateway.port}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
  const first = orderVideo();
  const { connection, body: sent } = await service.next();
  expect(sent).toBe(body);
  connection.send(Buffer.from(jsonAnswer(200, { nr: 'task-77' }), 'latin1'));
  expect((await first).status).toBe(200);
  expect((await orderVideo()).headers.get('x-gatehouse-replayed')).not.toBeNull();
  expect(await onlyJob(engine)).toMatchObject({ origin: 'client', charged: 'yes' });
});

test('clients do not use the places of our own videos in the queue', async () => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  await using engine = await setup.start(FAST_TIMING);
  await engine.gateway.changeSettings({ videosAtOnce: 1 });
  const orderVideo = await createClient(engine, sandbox);
  await orderVideo(engine, 'A fox. [scenario render-ms=600000]');
  const { hash } = await engine.repositories.videos.images.importFile(
    await imageFile(engine.repositories),
  );
  const video = { model: 'h3', task: 'ref2va', seconds: '4', resolution: '480p', more: {} };
  const own = await engine.repositories.videos.add({
    id: anId(),
    video: { ...video, prompt: 'Own. [scenario render-ms=50]', image: hash, waitMinutes: 5 },
    confirmed: true,
    origin: 'command',
    service: sandbox.url,
  });
  await whenState(engine.repositories, own.id, 'done');
});
