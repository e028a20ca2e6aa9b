import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { flood, whenSettled } from '../../kit/net/flood.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { usedBytes } from '../../kit/process/memory.ts';
import { dial } from '../../kit/net/raw-http.ts';
import { sendRequest, question, requestBytes } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import {
  chunk,
  jsonAnswer,
  LAST_CHUNK,
  openUpstream,
  STREAM_HEAD,
} from '../../kit/net/scripted-upstream.ts';

const DONE = 'data: [DONE]\n\n';

describe('Backpressure', () => {
  const CHUNK_BYTES = 64 * 1024;
  const TIMES = 1024;

  test('of a slow reader pauses the service, and the reader gets everything in the end', async () => {
    await using both = await startScriptedHarness({ limits: { heartbeatMs: 50 } });
    const client = await dial(both.harness.port);
    client.write(requestBytes(both.harness, question('chat', { stream: true, model: 'm' })));
    const { connection } = await both.upstream.next();
    const event = `data: ${'x'.repeat(CHUNK_BYTES - 8)}\n\n`;
    const before = usedBytes();
    connection.send(STREAM_HEAD);
    const flow = flood(connection.socket, chunk(event), TIMES);
    const probe = () => sendRequest(both.harness, { path: '/health' });
    const stalled = await whenSettled(() => flow.written, probe);
    expect(stalled).toBeLessThan(16 * 2 ** 20);
    expect(usedBytes() - before).toBeLessThan(16 * 2 ** 20);
    let read = 0;
    client.on('data', (bytes: Buffer) => (read += bytes.length));
    await flow.done;
    connection.send(chunk(DONE));
    connection.send(LAST_CHUNK);
    await once(client, 'close');
    expect(read).toBeGreaterThan(CHUNK_BYTES * TIMES);
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({
      bytesOut: CHUNK_BYTES * TIMES + DONE.length,
      endedBy: 'service',
      errorCode: null,
    });
  });

  test('of a slow service pauses an upload, and the service gets every byte in the end', async () => {
    const { promise: connected, resolve } = Promise.withResolvers<Socket>();
    await using upstream = await openUpstream({ onConnection: resolve });
    await using harness = await startHarness({ baseUrl: upstream.url });
    const client = await dial(harness.port);
    const before = usedBytes();
    client.write(
      `POST /v1/files HTTP/1.1\r\nHost: 127.0.0.1:${harness.port}\r\nAuthorization: Bearer ${harness.localKey}\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${CHUNK_BYTES * TIMES}\r\n\r\n`,
    );
    const chunkBytes = Buffer.alloc(CHUNK_BYTES, 'u');
    const flow = flood(client, chunkBytes, TIMES);
    const service = await connected;
    const probe = () => sendRequest(harness, { path: '/health' });
    const stalled = await whenSettled(() => flow.written, probe);
    expect(stalled).toBeLessThan(16 * 2 ** 20);
    expect(usedBytes() - before).toBeLessThan(16 * 2 ** 20);
    const hash = createHash('sha256');
    let size = 0;
    let head = '';
    const { promise: complete, resolve: arrived } = Promise.withResolvers<void>();
    service.on('data', (bytes: Buffer) => {
      let body = bytes;
      if (!head.includes('\r\n\r\n')) {
        head += bytes.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        body = end < 0 ? Buffer.alloc(0) : Buffer.from(head.slice(end + 4), 'latin1');
      }
      hash.update(body);
      size += body.length;
      if (size >= CHUNK_BYTES * TIMES) arrived();
    });
    await complete;
    expect(size).toBe(CHUNK_BYTES * TIMES);
    const expected = createHash('sha256');
    for (let i = 0; i < TIMES; i += 1) expected.update(chunkBytes);
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
    service.write(jsonAnswer(200, { url: 'u' }));
    await once(client, 'readable');
    client.destroy();
    const [record] = await harness.recorded(1);
    expect(record).toMatchObject({ route: 'files', bytesIn: CHUNK_BYTES * TIMES, status: 200 });
  });
});
