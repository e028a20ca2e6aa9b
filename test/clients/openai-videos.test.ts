import { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { OTHER_FIELDS } from '../../sandbox/fields.ts';
import type { ExchangeRecord, RouteName } from '../../shared/exchange.ts';
import { arrivedAt, valuesOf } from '../kit/arrived.ts';
import { type House, startHouse } from '../kit/house.ts';
import { startScriptedHouse } from '../kit/scripted-house.ts';
import { jsonAnswer } from '../kit/upstream.ts';
import { ordersAt } from '../kit/video-order.ts';
import { openai } from './sdks.ts';

const PROMPT = 'A cat turns its head. [scenario render-ms=0]';
const PICTURE = Buffer.from('a picture of a cat');

async function reference(name = 'cat.png') {
  return await toFile(PICTURE, name, { type: 'image/png' });
}

async function createVideo(house: House, change: object = {}) {
  return await openai(house).videos.create({
    model: 'h3',
    prompt: PROMPT,
    seconds: '4',
    input_reference: await reference(),
    ...change,
  });
}

describe('videos.create of the official SDK', () => {
  test('makes a video that it can look after and download', async () => {
    await using house = await startHouse();
    const client = openai(house);
    const { id } = await createVideo(house);
    expect(id).toMatch(/^task-/);
    expect(await client.videos.retrieve(id)).toMatchObject({ id, status: 'completed' });
    const content = await client.videos.downloadContent(id);
    const bytes = Buffer.from(await content.arrayBuffer());
    expect(bytes.toString('latin1', 4, 8)).toBe('ftyp');
    expect(house.sandbox.charges).toBe(1);
  });

  test('is told what was made of its form, in the answer and in the history', async () => {
    await using house = await startHouse();
    await createVideo(house);
    const order = await recordFor('video-submit', house);
    const upload = await recordFor('files', house);
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
    const sent = await sentAsJson(house);
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
    await using house = await startHouse({ sandbox: { fields: OTHER_FIELDS } });
    const { id } = await createVideo(house);
    expect(await openai(house).videos.retrieve(id)).toMatchObject({ id, status: 'completed' });
  });

  test.for(['numeric-id=9', 'numeric-id=19', 'decoy-ids'])(
    'finds its task whatever the answer looks like: %s',
    async (scenario) => {
      await using house = await startHouse();
      const { id } = await createVideo(house, { prompt: `${PROMPT} [scenario ${scenario}]` });
      expect(id).toMatch(scenario.startsWith('numeric') ? /^\d+$/ : /^task-/);
      expect(await openai(house).videos.retrieve(id)).toMatchObject({ id, status: 'completed' });
    },
  );

  test('names a model as people do, and sends its other fields along', async () => {
    await using house = await startHouse();
    await createVideo(house, { model: 'H3', task: 'ref2va', resolution: '480p', seed: '7' });
    const order = await recordFor('video-submit', house);
    expect(codesOf(order)).toEqual(['video-form-to-json', 'model-id', 'video-id-added']);
    expect(await sentAsJson(house)).toMatchObject({ model: 'h3', seed: '7' });
  });

  test('pays once for the same video twice, and uploads its picture once', async () => {
    await using house = await startHouse();
    const first = await createVideo(house);
    const { data, response } = await openai(house)
      .videos.create({
        model: 'h3',
        prompt: PROMPT,
        seconds: '4',
        input_reference: await reference('other-name.png'),
      })
      .withResponse();
    expect(data.id).toBe(first.id);
    expect(response.headers.has('x-gatehouse-replayed')).toBe(true);
    expect(house.sandbox.charges).toBe(1);
    expect(uploadsAt(house)).toBe(1);
  });

  test('pays once also when both come at the same moment', async () => {
    await using house = await startHouse();
    const [first, second] = await Promise.all([createVideo(house), createVideo(house)]);
    expect(first.id).toBe(second.id);
    expect(house.sandbox.charges).toBe(1);
  });

  test('uploads a picture again that is gone at the service, and orders once', async () => {
    await using house = await startHouse();
    const once = await reference('cat [scenario file-once].png');
    const first = await createVideo(house, { input_reference: once });
    const second = await createVideo(house, { input_reference: once, seconds: '5' });
    expect(second.id).not.toBe(first.id);
    expect(uploadsAt(house)).toBe(2);
    expect(ordersAt(house)).toBe(3);
    expect(house.sandbox.charges).toBe(2);
  });

  test('does not repeat on its own what may have been ordered', async () => {
    await using house = await startHouse();
    const client = openai(house, { maxRetries: 2 });
    const order = client.videos.create({
      model: 'h3',
      prompt: `${PROMPT} [scenario lost-answer]`,
      input_reference: await reference(),
    });
    await expect(order).rejects.toMatchObject({ status: 502 });
    expect(ordersAt(house)).toBe(1);
  });

  test('orders with the one of two addresses that gives its picture back', async () => {
    await using house = await startHouse();
    const picture = await reference('cat [scenario two-urls].png');
    const video = await createVideo(house, { input_reference: picture });
    expect(video.id).toBe(house.sandbox.orders[0]?.id);
    expect(house.sandbox.uploads).toBe(1);
  });

  test.for(['twin-urls', 'no-url'])(
    'is told when the address of its picture cannot be told: %s',
    async (scenario) => {
      await using house = await startHouse();
      const picture = await reference(`cat [scenario ${scenario}].png`);
      await expect(createVideo(house, { input_reference: picture })).rejects.toMatchObject({
        status: 422,
        code: 'upload_unclear',
      });
      expect(ordersAt(house)).toBe(0);
    },
  );

  test('is told what the service says against its picture, and nothing is ordered', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const asked = expect(createVideo(house, { model: 'm' })).rejects.toMatchObject({
      status: 413,
      code: 'too_large',
    });
    const { wire, head } = await upstream.next();
    expect(head).toMatch(/^POST \/v1\/files /);
    wire.send(jsonAnswer(413, { error: { message: 'Too large.', code: 'too_large' } }));
    await asked;
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('is told when the picture could not be uploaded', async () => {
    await using scripted = await startScriptedHouse();
    const { house, upstream } = scripted;
    const asked = expect(createVideo(house, { model: 'm' })).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('no video was ordered'),
    });
    const { wire } = await upstream.next();
    wire.socket.destroy();
    await asked;
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('makes one order also in strict mode, when the service answers 500 after taking it', async () => {
    await using scripted = await startScriptedHouse({ strict: true });
    const { house, upstream } = scripted;
    const client = openai(house, { maxRetries: 2 });
    const order = async () =>
      await client.videos.create({
        model: 'm',
        prompt: PROMPT,
        input_reference: await reference(),
      });
    const asked = expect(order()).rejects.toMatchObject({ status: 500 });
    const { wire } = await upstream.next();
    wire.send(jsonAnswer(500, { error: { message: 'Broken.', code: 'broken' } }));
    await asked;
    await expect(order()).rejects.toMatchObject({ status: 409, code: 'order_unsure' });
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('is passed on as it is in strict mode', async () => {
    await using house = await startHouse({ strict: true });
    await expect(createVideo(house)).rejects.toMatchObject({ status: 400 });
    const [arrival] = arrivedAt(house);
    expect(valuesOf(arrival?.rawHeaders ?? [], 'content-type')[0]).toMatch(/^multipart\//);
  });
});

test('an order that came as JSON is answered byte for byte, also when its task is looked after', async () => {
  await using house = await startHouse();
  const client = openai(house);
  await createVideo(house);
  const { conditions } = await sentAsJson(house);
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
  const [poll] = await house.recorded(4);
  expect(codesOf(poll)).toEqual([]);
});

function uploadsAt({ sandbox }: House): number {
  return sandbox.seen.filter(({ method, url }) => method === 'POST' && url === '/v1/files').length;
}

/** The record of the only exchange on that route; the order and its upload are two. */
async function recordFor(route: RouteName, house: House): Promise<ExchangeRecord | undefined> {
  return (await house.recorded(2)).find((record) => record.route === route);
}

function codesOf(record: ExchangeRecord | undefined): string[] {
  return record?.repairs.map(({ code }) => code) ?? [];
}

/** The latest order as it reached the sandbox. */
async function sentAsJson({ sandbox }: House): Promise<{ conditions?: object }> {
  const order = sandbox.seen.findLast(({ url }) => url === '/v1/videos');
  if (order === undefined) throw new Error('Nothing was ordered.');
  expect(valuesOf(order.rawHeaders, 'content-type')).toEqual(['application/json']);
  return JSON.parse((await order.body).toString());
}
