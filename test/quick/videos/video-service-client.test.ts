import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findUrls, findIdentifiers } from '../../../gateway/videos/service/detect-fields.ts';
import type { Reply } from '../../../gateway/videos/service/types.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { openUnresponsivePort } from '../../kit/net/unresponsive-port.ts';
import { freePort } from '../../kit/net/free-port.ts';
import {
  openVideoServiceTestBed,
  VIDEO_SERVICE_KEY,
  type VideoServiceTestBed,
} from '../../kit/videos/video-service-test-bed.ts';
import {
  jsonAnswer,
  openUpstream,
  type ScriptedUpstream,
} from '../../kit/net/scripted-upstream.ts';

const REQUEST = {
  model: 'h3',
  task: 'ref2va',
  prompt: 'A boat on the sea',
  seconds: '1',
  resolution: '480p',
};

type Answer = Extract<Reply, { kind: 'answer' }>;

function requireAnswer(result: Reply): Answer {
  if (result.kind === 'none') throw new Error(result.sentence);
  return result;
}

async function imageIn(bench: VideoServiceTestBed, bytes: Buffer, name = 'cat.png') {
  const path = join(bench.folder, 'image');
  await writeFile(path, bytes);
  return { path, name, type: 'image/png', bytes: bytes.length };
}

interface Scripted extends AsyncDisposable {
  readonly upstream: ScriptedUpstream;
  readonly bench: VideoServiceTestBed;
}

async function startScripted(limits = {}): Promise<Scripted> {
  await using opened = new AsyncDisposableStack();
  const upstream = opened.use(await openUpstream());
  const bench = opened.use(await openVideoServiceTestBed({ url: upstream.url, limits }));
  const all = opened.move();
  return { upstream, bench, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test('an image is uploaded, a video ordered and polled, at the sandbox', async () => {
  await using sandbox = await openSandbox();
  await using bench = await openVideoServiceTestBed({ url: sandbox.url, key: sandbox.key });
  const { client, connection: wire, signal } = bench;
  const image = randomBytes(300_000);
  const file = await imageIn(bench, image, 'Mein "Bild" ü.png');
  const uploaded = requireAnswer(await client.upload(wire, file, signal));
  expect(uploaded.status).toBe(200);
  const [address, ...others] = findUrls(uploaded.json);
  expect(others).toEqual([]);
  const media = await fetch(address?.value ?? '');
  expect(Buffer.from(await media.arrayBuffer()).equals(image)).toBe(true);
  expect(media.headers.get('content-type')).toBe('image/png');

  const request = { ...REQUEST, conditions: [{ type: 'image', url: address?.value }] };
  const body = Buffer.from(JSON.stringify(request));
  const ordered = requireAnswer(await client.submit(wire, body, signal));
  expect(ordered.status).toBe(200);
  expect(sandbox.charges).toBe(1);
  const candidates = findIdentifiers(ordered.json, request);
  const polls = await Promise.all(
    candidates.map(async ({ value }) => requireAnswer(await client.ask(wire, value, signal))),
  );
  expect(polls.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(polls.find(({ status }) => status === 200)?.json).toMatchObject({ status: 'queued' });
  expect(sandbox.charges).toBe(1);
});

describe('An upload', () => {
  test('is a form with one file, and states its length', async () => {
    await using scripted = await startScripted();
    const { bench, upstream } = scripted;
    const file = await imageIn(bench, Buffer.from('image'), 'a"b\r\n.png');
    const result = bench.client.upload(bench.connection, file, bench.signal);
    const { head, body, connection } = await upstream.next();
    connection.send(jsonAnswer(200, {}));
    expect(requireAnswer(await result)).toMatchObject({
      status: 200,
      json: {},
      retryAfterMs: null,
    });
    const boundary = /boundary=(\w+)/.exec(head)?.[1];
    expect(head).toMatch(/^POST \/v1\/files HTTP/);
    expect(head.toLowerCase()).toContain(`authorization: bearer ${VIDEO_SERVICE_KEY}`);
    expect(head.toLowerCase()).not.toContain('transfer-encoding');
    expect(body).toBe(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a%22b%0D%0A.png"\r\n` +
        `Content-Type: image/png\r\n\r\nimage\r\n--${boundary}--\r\n`,
    );
  });

  test('of a missing file sends nothing', async () => {
    await using scripted = await startScripted();
    const { bench, upstream } = scripted;
    const file = { path: join(bench.folder, 'none'), name: 'cat.png', type: 'image/png', bytes: 1 };
    const result = await bench.client.upload(bench.connection, file, bench.signal);
    expect(result).toMatchObject({ kind: 'none', nothingSent: true });
    expect(upstream.arrivals).toEqual([]);
  });

  test('of a file that has become shorter gets no response', async () => {
    await using scripted = await startScripted();
    const { bench } = scripted;
    const file = await imageIn(bench, Buffer.from('image'));
    const result = await bench.client.upload(
      bench.connection,
      { ...file, bytes: 99 },
      bench.signal,
    );
    expect(result).toMatchObject({ kind: 'none', nothingSent: false });
  });
});

describe('An order', () => {
  const body = Buffer.from('{"prompt": "exactly  these ü"}');

  test('is sent byte for byte, once', async () => {
    await using scripted = await startScripted();
    const { bench, upstream } = scripted;
    const result = bench.client.submit(bench.connection, body, bench.signal);
    const arrival = await upstream.next();
    expect(Buffer.from(arrival.body, 'latin1').equals(body)).toBe(true);
    expect(arrival.head).toMatch(/^POST \/v1\/videos HTTP/);
    expect(arrival.head.toLowerCase()).toContain('content-type: application/json');
    arrival.connection.send(jsonAnswer(429, { error: { message: 'x' } }, ['retry-after: 3']));
    expect(requireAnswer(await result)).toMatchObject({ status: 429, retryAfterMs: 3000 });
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('whose connection is lost may have arrived', async () => {
    await using scripted = await startScripted();
    const { bench, upstream } = scripted;
    const result = bench.client.submit(bench.connection, body, bench.signal);
    (await upstream.next()).connection.socket.destroy();
    expect(await result).toEqual({
      kind: 'none',
      nothingSent: false,
      sentence: `The connection to the service at ${upstream.url} was lost before it answered. The order may have arrived and may be charged.`,
    });
  });

  test('that is refused by the system has not been sent', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await using bench = await openVideoServiceTestBed({ url });
    const result = await bench.client.submit(bench.connection, body, bench.signal);
    expect(result).toMatchObject({ kind: 'none', nothingSent: true });
    expect(result.kind === 'none' && result.sentence).not.toContain('may be charged');
  });

  test('to a service that accepts no connection has not been sent', async () => {
    await using deaf = await openUnresponsivePort();
    await using bench = await openVideoServiceTestBed({ url: `http://127.0.0.1:${deaf.port}` });
    const result = await bench.client.submit(bench.connection, body, bench.signal);
    expect(result).toMatchObject({ kind: 'none', nothingSent: true });
  });

  test('without a key has not been sent', async () => {
    await using upstream = await openUpstream();
    await using bench = await openVideoServiceTestBed({ url: upstream.url, key: null });
    const result = await bench.client.submit(bench.connection, body, bench.signal);
    expect(result).toEqual({
      kind: 'none',
      nothingSent: true,
      sentence: 'There is no service key. Nothing was sent.',
    });
    expect(upstream.arrivals).toEqual([]);
  });

  test('that was accepted stays so when the rest of the response never comes', async () => {
    await using scripted = await startScripted({ submitMs: 2_000 });
    const { bench, upstream } = scripted;
    for (const end of ['cut', 'late']) {
      const result = bench.client.submit(bench.connection, body, bench.signal);
      const { connection } = await upstream.next();
      connection.send('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n123');
      if (end === 'cut') connection.socket.end();
      expect(await result).toMatchObject({ kind: 'answer', status: 200, text: '123' });
      expect(requireAnswer(await result).json).toBeUndefined();
    }
  });

  test('that gets no response may have arrived', async () => {
    await using scripted = await startScripted({ submitMs: 200 });
    const { bench, upstream } = scripted;
    const result = bench.client.submit(bench.connection, body, bench.signal);
    const { connection } = await upstream.next();
    expect(await result).toMatchObject({ kind: 'none', nothingSent: false });
    await connection.closed;
  });

  test('that is aborted rejects with the reason and closes the connection', async () => {
    await using scripted = await startScripted();
    const { bench, upstream } = scripted;
    const stop = new AbortController();
    const result = bench.client.submit(bench.connection, body, stop.signal);
    const { connection } = await upstream.next();
    stop.abort(new Error('Gatehouse stops.'));
    await expect(result).rejects.toThrow('Gatehouse stops.');
    await connection.closed;
  });

  test('that was aborted before sends nothing', async () => {
    await using scripted = await startScripted();
    const { bench, upstream } = scripted;
    const result = bench.client.submit(
      bench.connection,
      body,
      AbortSignal.abort(new Error('Stopped.')),
    );
    await expect(result).rejects.toThrow('Stopped.');
    expect(upstream.arrivals).toEqual([]);
  });
});

async function answered(raw: string | Buffer): Promise<Answer> {
  await using scripted = await startScripted();
  const { bench, upstream } = scripted;
  const result = bench.client.ask(bench.connection, 'a b/c?d#é', bench.signal);
  const { head, connection } = await upstream.next();
  expect(head).toMatch(/^GET \/v1\/videos\/a%20b%2Fc%3Fd%23%C3%A9 HTTP/);
  connection.send(raw);
  connection.socket.end();
  return requireAnswer(await result);
}

describe('A response', () => {
  test('that is a page is reported as it is', async () => {
    const result = await answered('HTTP/1.1 200 OK\r\n\r\n<html>\u00e4');
    expect(result).toMatchObject({ status: 200, text: '<html>\uFFFD' });
    expect(result.json).toBeUndefined();
  });

  test('keeps the digits of a large identifier', async () => {
    const result = await answered('HTTP/1.1 200 OK\r\n\r\n{"id":12345678901234567890}');
    expect(result.json).toEqual({ id: '12345678901234567890' });
  });

  test('is read up to 1 MiB, and the rest is dropped', async () => {
    const huge = `"${'x'.repeat(3 * 1024 * 1024)}"`;
    const result = await answered(
      `HTTP/1.1 200 OK\r\ncontent-length: ${huge.length}\r\n\r\n${huge}`,
    );
    expect(result.text).toHaveLength(1024 * 1024);
    expect(result.json).toBeUndefined();
  });

  test('does not repeat the service key', async () => {
    const message = `Incorrect API key: ${VIDEO_SERVICE_KEY}.`;
    const result = await answered(jsonAnswer(401, { error: { message } }));
    expect(JSON.stringify(result)).not.toContain(VIDEO_SERVICE_KEY);
    expect(result.json).toEqual({ error: { message: 'Incorrect API key: <service key>.' } });
  });

  test('that redirects is not followed', async () => {
    const result = await answered(
      'HTTP/1.1 302 Found\r\nlocation: /v1/models\r\ncontent-length: 0\r\n\r\n',
    );
    expect(result.status).toBe(302);
  });

  test('sets a delay of a day at most', async () => {
    const result = await answered(jsonAnswer(503, {}, ['retry-after: 999999']));
    expect(result.retryAfterMs).toBe(24 * 60 * 60 * 1000);
  });
});
