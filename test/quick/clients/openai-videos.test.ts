import { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { OTHER_FIELDS } from '../../../sandbox/fields.ts';
import type { ExchangeRecord, RouteName } from '../../../shared/exchange/exchange.ts';
import { requestsAt, headerValues } from '../../kit/gateway/sandbox-requests.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { jsonAnswer } from '../../kit/net/scripted-upstream.ts';
import { countOrders } from '../../kit/videos/video-order.ts';
import { openai } from './sdks.ts';

const PROMPT = 'A cat turns its head. [scenario render-ms=0]';
const PICTURE = Buffer.from('a picture of a cat');

async function reference(name = 'cat.png') {
  return await toFile(PICTURE, name, { type: 'image/png' });
}

async function createVideo(harness: Harness, change: object = {}) {
  return await openai(harness).videos.create({
    model: 'h3',
    prompt: PROMPT,
    seconds: '4',
    input_reference: await reference(),
    ...change,
  });
}

describe('videos.create of the official SDK', () => {
  test('makes a video that can be polled and downloaded', async () => {
    await using harness = await startHarness();
    const client = openai(harness);
    const { id } = await createVideo(harness);
    expect(id).toMatch(/^task-/);
    expect(await client.videos.retrieve(id)).toMatchObject({ id, status: 'completed' });
    const content = await client.videos.downloadContent(id);
    const bytes = Buffer.from(await content.arrayBuffer());
    expect(bytes.toString('latin1', 4, 8)).toBe('ftyp');
    expect(harness.sandbox.charges).toBe(1);
  });

  test('receives the changes to its form in the response, and they are in the history', async () => {
    await using harness = await startHarness();
    await createVideo(harness);
    const order = await recordFor('video-submit', harness);
    const upload = await recordFor('files', harness);
    expect(order).toMatchObject({
      route: 'video-submit',
      status: 200,
      modelAsked: 'h3',
      modelSent: 'h3',
      attempts: 1,
      endedBy: 'service',
      repairs: [{ code: 'video-form-to-json' }, { code: 'video-id-added' }],
    });
    expect(upload).toMatchObject({
      route: 'files',
      clientName: 'Test',
      pathSent: '/v1/files',
      status: 200,
      attempts: 1,
      endedBy: 'service',
    });
    const sent = await sentAsJson(harness);
    expect(sent).toEqual({
      model: 'h3',
      prompt: PROMPT,
      seconds: '4',
      task: 'ref2va',
      resolution: '480p',
      conditions: [{ type: 'image', url: expect.stringMatching(/^http/) }],
    });
  });

  test('works with a service whose fields have other names', async () => {
    await using harness = await startHarness({ sandbox: { fields: OTHER_FIELDS } });
    const { id } = await createVideo(harness);
    expect(await openai(harness).videos.retrieve(id)).toMatchObject({ id, status: 'completed' });
  });

  test.for(['numeric-id=9', 'numeric-id=19', 'decoy-ids'])(
    'finds its task in any form of response: %s',
    async (scenario) => {
      await using harness = await startHarness();
      const { id } = await createVideo(harness, { prompt: `${PROMPT} [scenario ${scenario}]` });
      expect(id).toMatch(scenario.startsWith('numeric') ? /^\d+$/ : /^task-/);
      expect(await openai(harness).videos.retrieve(id)).toMatchObject({ id, status: 'completed' });
    },
  );

  test('accepts a short model name, and passes other fields on', async () => {
    await using harness = await startHarness();
    await createVideo(harness, { model: 'H3', task: 'ref2va', resolution: '480p', seed: '7' });
    const order = await recordFor('video-submit', harness);
    expect(codesOf(order)).toEqual(['video-form-to-json', 'model-id', 'video-id-added']);
    expect(await sentAsJson(harness)).toMatchObject({ model: 'h3', seed: '7' });
  });

  test('pays once for two identical videos, and uploads the image once', async () => {
    await using harness = await startHarness();
    const first = await createVideo(harness);
    const { data, response } = await openai(harness)
      .videos.create({
        model: 'h3',
        prompt: PROMPT,
        seconds: '4',
        input_reference: await reference('other-name.png'),
      })
      .withResponse();
    expect(data.id).toBe(first.id);
    expect(response.headers.has('x-gatehouse-replayed')).toBe(true);
    expect(harness.sandbox.charges).toBe(1);
    expect(uploadsAt(harness)).toBe(1);
  });

  test('pays once for two simultaneous identical videos, too', async () => {
    await using harness = await startHarness();
    const [first, second] = await Promise.all([createVideo(harness), createVideo(harness)]);
    expect(first.id).toBe(second.id);
    expect(harness.sandbox.charges).toBe(1);
  });

  test('uploads an image again that the service has lost, and orders once', async () => {
    await using harness = await startHarness();
    const once = await reference('cat [scenario file-once].png');
    const first = await createVideo(harness, { input_reference: once });
    const second = await createVideo(harness, { input_reference: once, seconds: '5' });
    expect(second.id).not.toBe(first.id);
    expect(uploadsAt(harness)).toBe(2);
    expect(countOrders(harness)).toBe(3);
    expect(harness.sandbox.charges).toBe(2);
  });

  test('does not repeat a possible order on its own', async () => {
    await using harness = await startHarness();
    const client = openai(harness, { maxRetries: 2 });
    const order = client.videos.create({
      model: 'h3',
      prompt: `${PROMPT} [scenario lost-answer]`,
      input_reference: await reference(),
    });
    await expect(order).rejects.toMatchObject({ status: 502 });
    expect(countOrders(harness)).toBe(1);
  });

  test('orders with the one of two addresses that serves the image', async () => {
    await using harness = await startHarness();
    const picture = await reference('cat [scenario two-urls].png');
    const video = await createVideo(harness, { input_reference: picture });
    expect(video.id).toBe(harness.sandbox.orders[0]?.id);
    expect(harness.sandbox.uploads).toBe(1);
  });

  test.for(['twin-urls', 'no-url'])(
    'receives an error when the address of its image is unknown: %s',
    async (scenario) => {
      await using harness = await startHarness();
      const picture = await reference(`cat [scenario ${scenario}].png`);
      await expect(createVideo(harness, { input_reference: picture })).rejects.toMatchObject({
        status: 422,
        code: 'upload_unclear',
      });
      expect(countOrders(harness)).toBe(0);
    },
  );

  test("receives the service's rejection of the image, and nothing is ordered", async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const asked = expect(createVideo(harness, { model: 'm' })).rejects.toMatchObject({
      status: 413,
      code: 'too_large',
    });
    const { connection, head } = await upstream.next();
    expect(head).toMatch(/^POST \/v1\/files /);
    connection.send(jsonAnswer(413, { error: { message: 'Too large.', code: 'too_large' } }));
    await asked;
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('receives an error when the image could not be uploaded', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const asked = expect(createVideo(harness, { model: 'm' })).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('no video was ordered'),
    });
    const { connection } = await upstream.next();
    connection.socket.destroy();
    await asked;
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('makes one order also in strict mode, when the service answers 500 after accepting it', async () => {
    await using scripted = await startScriptedHarness({ strict: true });
    const { harness, upstream } = scripted;
    const client = openai(harness, { maxRetries: 2 });
    const order = async () =>
      await client.videos.create({
        model: 'm',
        prompt: PROMPT,
        input_reference: await reference(),
      });
    const asked = expect(order()).rejects.toMatchObject({ status: 500 });
    const { connection } = await upstream.next();
    connection.send(jsonAnswer(500, { error: { message: 'Broken.', code: 'broken' } }));
    await asked;
    await expect(order()).rejects.toMatchObject({ status: 409, code: 'order_unsure' });
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('is forwarded unchanged in strict mode', async () => {
    await using harness = await startHarness({ strict: true });
    await expect(createVideo(harness)).rejects.toMatchObject({ status: 400 });
    const [arrival] = requestsAt(harness);
    expect(headerValues(arrival?.rawHeaders ?? [], 'content-type')[0]).toMatch(/^multipart\//);
  });
});

test('the response to an order in JSON is forwarded byte for byte, also when its task is polled', async () => {
  await using harness = await startHarness();
  const client = openai(harness);
  await createVideo(harness);
  const { conditions } = await sentAsJson(harness);
  const body = {
    model: 'h3',
    task: 'ref2va',
    prompt: PROMPT,
    seconds: '1',
    resolution: '480p',
    conditions,
  };
  const created: object = await client.post('/videos', { body });
  expect(created).not.toHaveProperty('id');
  expect(created).toHaveProperty('task_id');
  const id = 'task_id' in created ? String(created.task_id) : '';
  expect(await client.videos.retrieve(id)).not.toHaveProperty('id');
  const [poll] = await harness.recorded(4);
  expect(codesOf(poll)).toEqual([]);
});

function uploadsAt({ sandbox }: Harness): number {
  return sandbox.requests.filter(({ method, url }) => method === 'POST' && url === '/v1/files')
    .length;
}

/** Returns the record of the only exchange on that route; an order and its upload are two exchanges. */
async function recordFor(route: RouteName, harness: Harness): Promise<ExchangeRecord | undefined> {
  return (await harness.recorded(2)).find((record) => record.route === route);
}

function codesOf(record: ExchangeRecord | undefined): string[] {
  return record?.repairs.map(({ code }) => code) ?? [];
}

/** Returns the latest order as it reached the sandbox. */
async function sentAsJson({ sandbox }: Harness): Promise<{ conditions?: object }> {
  const order = sandbox.requests.findLast(({ url }) => url === '/v1/videos');
  if (order === undefined) throw new Error('Nothing was ordered.');
  expect(headerValues(order.rawHeaders, 'content-type')).toEqual(['application/json']);
  return JSON.parse((await order.body).toString());
}
