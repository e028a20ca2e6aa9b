import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base } from 'vitest';
import { createKeyMask } from '../../keys/key-mask.ts';
import type { LocalVideo } from './video-orders.ts';
import { relay } from '../response/relay.ts';
import { respondWithVideoFile } from './video-file.ts';

const CONTENT = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
const SHA256 = 'a'.repeat(64);
const ETAG = `"${SHA256}"`;

/** Starts a server that answers every path with one file of 1,000 bytes. */
// oxlint-disable-next-line no-empty-pattern -- vitest wants the pattern to see what is used
const test = base.extend('video', { scope: 'file' }, async ({}, { onCleanup }) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-file-'));
  const path = join(folder, 'cat.mp4');
  await writeFile(path, CONTENT);
  const video: LocalVideo = { path, type: 'video/mp4', bytes: CONTENT.length, sha256: SHA256 };
  const server = createServer((request, response) => {
    const wanted = request.url === '/gone' ? { ...video, path: join(folder, 'none') } : video;
    const kept = request.url === '/other' ? { ...wanted, bytes: 999 } : wanted;
    void respondWithVideoFile(request, kept, 0).then(async (answer) => {
      if (answer === null) return response.writeHead(404).end();
      response.writeHead(answer.status, answer.statusText, answer.headers);
      const signal = new AbortController().signal;
      const { body } = answer;
      const none = {
        meter: null,
        filter: null,
        limit: null,
        captured: null,
        mask: createKeyMask(null),
        stream: null,
      };
      return await relay({ body, response, signal, ...none });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});

async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const answer = await fetch(url, { headers, method });
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

test('a video is sent completely, with its type, length and etag', async ({ video }) => {
  const { answer, bytes } = await get(video);
  expect(answer.status).toBe(200);
  expect(bytes).toEqual(CONTENT);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': '1000',
    'accept-ranges': 'bytes',
    etag: ETAG,
  });
});

test('a range request gets the requested part', async ({ video }) => {
  const { answer, bytes } = await get(video, { range: 'bytes=990-' });
  expect(answer.status).toBe(206);
  expect(answer.headers.get('content-range')).toBe('bytes 990-999/1000');
  expect(answer.headers.get('content-length')).toBe('10');
  expect(bytes).toEqual(CONTENT.subarray(990));
});

test('a part is sent only of the file version that the client has already received', async ({
  video,
}) => {
  const same = await get(video, { range: 'bytes=0-9', 'if-range': ETAG });
  expect(same.answer.status).toBe(206);
  const another = await get(video, { range: 'bytes=0-9', 'if-range': '"other"' });
  expect(another.answer.status).toBe(200);
  expect(another.bytes).toEqual(CONTENT);
});

test('a range outside of the file is rejected with its size', async ({ video }) => {
  const { answer } = await get(video, { range: 'bytes=1000-' });
  expect(answer.status).toBe(416);
  expect(answer.headers.get('content-range')).toBe('bytes */1000');
});

test('a client that already has the file gets 304', async ({ video }) => {
  const { answer } = await get(video, { 'if-none-match': `"x", W/${ETAG}` });
  expect(answer.status).toBe(304);
  expect(answer.headers.get('content-length')).toBeNull();
});

test('HEAD gets the head for the complete file, whatever range it names', async ({ video }) => {
  const { answer, bytes } = await get(video, { range: 'bytes=0-9' }, 'HEAD');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-length')).toBe('1000');
  expect(bytes).toHaveLength(0);
});

test('a file that is gone or was replaced is not sent', async ({ video }) => {
  expect((await get(`${video}/gone`)).answer.status).toBe(404);
  expect((await get(`${video}/other`)).answer.status).toBe(404);
});

test('a path that cannot be opened counts as missing, so that the service is asked', async ({
  onTestFinished,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-file-'));
  const path = join(folder, 'socket');
  const server = createServer().listen(path);
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  await once(server, 'listening');
  const video: LocalVideo = { path, type: 'video/mp4', bytes: 0, sha256: SHA256 };
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  expect(await respondWithVideoFile(request, video, 0)).toBeNull();
});
