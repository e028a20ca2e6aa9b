import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { readFolder, findLeaks } from '../../kit/secret-leak.ts';
import { createEngineSetup, type EngineSetup } from '../../kit/videos/engine-setup.ts';
import { order, FAST_TIMING, whenState } from '../../kit/videos/queue.ts';

/** A key of visible ASCII only, with every character that a program may escape. */
const makeKey = () => `sk-"\\/+%&=<>'?#;~${randomBytes(24).toString('base64')}Z`;

/** Starts a service that repeats the received key in every field of every response. */
async function openEcho(key: string) {
  const echo = { secret: `Bearer ${key}`, [key]: [key, encodeURIComponent(key)] };
  const answers: Record<string, readonly [number, object]> = {
    'POST /v1/files': [200, { url: 'http://127.0.0.1/a.png', ...echo }],
    'POST /v1/videos': [200, { nr: 'task-1', ...echo }],
    'GET /v1/videos/task-1': [200, { status: `failed ${key}`, why: `Because of ${key}`, ...echo }],
  };
  let requests = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    await text(request);
    requests += 1;
    const refusal = [404, { error: { message: `No such thing for ${key}` } }] as const;
    const [status, body] = answers[`${request.method} ${request.url}`] ?? refusal;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('the service key is in no row, no file and no line of the log, whatever the service repeats', async () => {
  const key = makeKey();
  await using service = await openEcho(key);
  await using setup = await createEngineSetup({ url: service.url, key });
  const engine = await setup.start(FAST_TIMING);
  const job = await order(engine, 'A fox.');
  await whenState(engine.repositories, job.id, 'rendering', 'needs-answer');
  const { state } = (await engine.repositories.videos.get(job.id)).job;
  if (state === 'needs-answer') {
    await engine.repositories.videos.act(job.id, { type: 'give-id', taskId: 'task-1' });
  }
  await expect
    .poll(async () => (await engine.repositories.videos.get(job.id)).job.word)
    .not.toBeNull();
  await engine.repositories.videos.act(job.id, { type: 'explain-word', meaning: 'failed' });
  const failed = await whenState(engine.repositories, job.id, 'failed');
  expect(failed.reason ?? failed.reasons.map(({ value }) => value).join()).toContain('Because of');
  const shown = JSON.stringify(await engine.repositories.videos.get(job.id));
  // The service repeated the key, and Gatehouse masked it.
  expect(shown.split('<service key>').length).toBeGreaterThan(10);
  await engine.stop();
  expect(await findTraces(key, setup, new Map([['shown', Buffer.from(shown)]]))).toEqual([]);
  expect(service.requests()).toBeGreaterThan(3);
});

test('the service key is in none of them either when a client orders, with JSON or a form, polls, and gets a stored response', async () => {
  const key = makeKey();
  await using service = await openEcho(key);
  await using setup = await createEngineSetup({ url: service.url, key });
  const engine = await setup.start(FAST_TIMING);
  const { key: localKey } = await engine.repositories.clients.add('Script');
  const ask = async (path: string, body: string | FormData | null): Promise<Response> => {
    const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    return await fetch(`http://127.0.0.1:${engine.gateway.port}/v1/videos${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${localKey}`, ...json },
      body,
    });
  };
  const form = new FormData();
  form.append('model', 'h3');
  form.append('prompt', 'A fox.');
  form.append('input_reference', new Blob(['x'], { type: 'image/png' }), 'fox.png');
  for (const body of [JSON.stringify({ model: 'h3', prompt: `A fox with ${key}.` }), form]) {
    expect((await ask('', body)).status).toBe(200);
    const again = await ask('', body);
    expect(again.headers.get('x-gatehouse-replayed')).not.toBeNull();
    expect(await again.text()).toContain('<service key>');
  }
  await ask('/task-1', null);
  expect(await (await ask('/task-1', null)).text()).toContain('<service key>');
  const { jobs } = await engine.repositories.videos.page({ filter: {}, limit: 10 });
  expect(jobs).toHaveLength(2);
  await engine.stop();
  const shown = Buffer.from(JSON.stringify(jobs));
  expect(await findTraces(key, setup, new Map([['shown', shown]]))).toEqual([]);
});

/** Returns the places where the key occurs in what Gatehouse wrote or showed. */
async function findTraces(
  key: string,
  setup: EngineSetup,
  shown: ReadonlyMap<string, Buffer>,
): Promise<readonly string[]> {
  const log = Buffer.from(setup.logged.join('\n'));
  const places = new Map([...(await readFolder(setup.dataDir)), ...shown, ['log', log]]);
  return [...places].flatMap(([name, bytes]) =>
    findLeaks(key, bytes).map((form) => `${form} in ${name}`),
  );
}
