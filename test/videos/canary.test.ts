import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { readFolder, tracesOf } from '../kit/canary.ts';
import { makePlace } from './engine.ts';
import { order, QUICK, whenState } from './queue.ts';

/** Visible ASCII only, with everything in it that some writer escapes. */
const makeKey = () => `sk-"\\/+%&=<>'?#;~${randomBytes(24).toString('base64')}Z`;

/** A service that repeats the key it was sent in every answer, in every place. */
async function openEcho(key: string) {
  const echo = { said: `Bearer ${key}`, [key]: [key, encodeURIComponent(key)] };
  const answers: Record<string, readonly [number, object]> = {
    'POST /v1/files': [200, { url: 'http://127.0.0.1/a.png', ...echo }],
    'POST /v1/videos': [200, { nr: 'task-1', ...echo }],
    'GET /v1/videos/task-1': [200, { status: `failed ${key}`, why: `Because of ${key}`, ...echo }],
  };
  let asked = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    await text(request);
    asked += 1;
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
    asked: () => asked,
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
  await using place = await makePlace({ url: service.url, key });
  const engine = await place.start(QUICK);
  const job = await order(engine, 'A fox.');
  await whenState(engine.rooms, job.id, 'rendering', 'needs-answer');
  const { state } = (await engine.rooms.videos.get(job.id)).job;
  if (state === 'needs-answer') {
    await engine.rooms.videos.act(job.id, { act: 'give-id', taskId: 'task-1' });
  }
  await expect.poll(async () => (await engine.rooms.videos.get(job.id)).job.word).not.toBeNull();
  await engine.rooms.videos.act(job.id, { act: 'explain-word', meaning: 'failed' });
  const failed = await whenState(engine.rooms, job.id, 'failed');
  expect(failed.reason ?? failed.reasons.map(({ value }) => value).join()).toContain('Because of');
  const shown = JSON.stringify(await engine.rooms.videos.get(job.id));
  // It was repeated, and masked.
  expect(shown.split('<service key>').length).toBeGreaterThan(10);
  await engine.stop();
  const places = new Map([
    ...(await readFolder(place.dataDir)),
    ['shown', Buffer.from(shown)],
    ['log', Buffer.from(place.logged.join('\n'))],
  ]);
  const found = [...places].flatMap(([name, bytes]) =>
    tracesOf(key, bytes).map((form) => `${form} in ${name}`),
  );
  expect(found).toEqual([]);
  expect(service.asked()).toBeGreaterThan(3);
});
