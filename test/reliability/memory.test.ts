import { readFile } from 'node:fs/promises';
import zlib from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openTestMachine } from '../kit/process/test-machine.ts';
import { type Harness, startHarness } from '../kit/gateway/harness.ts';
import { dial, parseAnswer, type RawAnswer } from '../kit/net/raw-http.ts';
import { sendRequest, beginRequest, question, requestBytes } from '../kit/gateway/request.ts';
import { startScriptedHarness } from '../kit/gateway/scripted-harness.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../kit/net/scripted-upstream.ts';
import { RawConnection } from '../kit/net/raw-connection.ts';

const MIB = 1024 * 1024;
/** A request body of 64 MiB, compressed to 2 KB. */
const BOMB = zlib.zstdCompressSync(
  Buffer.from('{"model":"m","messages":[]}'.padEnd(64 * MIB - 1, ' ')),
);
const PACKED = {
  path: '/v1/chat/completions',
  headers: ['Content-Type: application/json', 'Content-Encoding: zstd'],
  body: BOMB,
};
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

function stringOfSize(size: number): string {
  return `{"model":"sandbox/echo","messages":[],"x":"${'x'.repeat(size)}"}`;
}

/** Waits until no exchange is running. */
async function waitForIdle({ gateway }: Harness): Promise<void> {
  await expect.poll(() => gateway.running, { timeout: 20_000 }).toBe(0);
}

describe('The memory limit for requests and answers', () => {
  test('limits the memory of one client with many parallel requests, while the stream of another continues', async () => {
    const limits = { heldBytes: 256 * MIB };
    await using scripted = await startScriptedHarness({ limits });
    const { harness, upstream } = scripted;
    const other = {
      port: harness.port,
      localKey: (await harness.repositories.clients.add('Other')).key,
    };
    const stream = await beginRequest(other, question('chat', { stream: true, model: 'm' }));
    const { connection } = await upstream.next();
    connection.send(STREAM_HEAD);
    connection.send(chunk('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'));
    await stream.until('"a"');
    const bombs = await Promise.all(
      Array.from({ length: 40 }, () => beginRequest(harness, PACKED)),
    );
    // One or two fit into the client's half; they wait for the service, which does not answer.
    const refused: RawAnswer[] = [];
    for (const bomb of bombs) {
      void bomb.rest().then((bytes) => refused.push(parseAnswer(bytes)));
    }
    await expect.poll(() => refused.length, { timeout: 25_000 }).toBeGreaterThanOrEqual(38);
    for (const { status, headers, body } of refused) {
      const message: unknown = expect.stringContaining('128 MiB for one client');
      const error = { type: 'api_error', code: 'memory_full', message };
      expect([status, JSON.parse(body)]).toEqual([503, { error }]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(harness.gateway.memory.held).toBeLessThanOrEqual(130 * MIB);
    connection.send(chunk(END));
    connection.send(LAST_CHUNK);
    await stream.until('[DONE]');
    for (const bomb of bombs) bomb.socket.destroy();
    stream.socket.destroy();
    await waitForIdle(harness);
    expect(harness.gateway.memory.held).toBe(0);
  });

  test('refuses an order when there is no memory for its answer', async () => {
    await using harness = await startHarness({ limits: { heldBytes: 200 * 1024 } });
    const order = { path: '/v1/videos', headers: ['Content-Type: application/json'] };
    const body = JSON.stringify({ model: 'h3', task: 'ref2va', prompt: 'A fox' });
    const answer = await sendRequest(harness, { ...order, body });
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([503, 'memory_full']);
    expect(harness.sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(harness.sandbox.charges).toBe(0);
    expect(harness.gateway.memory.held).toBe(0);
  });

  test('is released however concurrent exchanges end', async () => {
    await using harness = await startHarness({ limits: { heldBytes: 24 * MIB } });
    const json = ['Content-Type: application/json'];
    const form = ['Content-Type: multipart/form-data; boundary=b'];
    const part = `--b\r\nContent-Disposition: form-data; name="input_reference"; filename="a.png"\r\n\r\n${'p'.repeat(MIB)}\r\n`;
    const asks = [
      question('chat', { stream: true, text: 'Hello [scenario slow-stream=5]' }),
      question('messages', { headers: ['Accept-Encoding: gzip'] }),
      { path: '/v1/models' },
      { path: '/v1/chat/completions', headers: json, body: stringOfSize(3 * MIB) },
      { path: '/v1/responses', headers: json, body: stringOfSize(13 * MIB) },
      { path: '/v1/responses', headers: json, body: '[[[' },
      PACKED,
      { ...PACKED, body: BOMB.subarray(0, 1000) },
      {
        ...PACKED,
        headers: [...json, 'Content-Encoding: gzip'],
        body: zlib.gzipSync(stringOfSize(MIB)),
      },
      { path: '/v1/videos', headers: form, body: `${part}--b--\r\n` },
      { path: '/v1/videos', headers: form, body: part },
      { path: '/v1/videos', headers: json, body: '{"model":"h3","prompt":"A fox"}' },
      { path: '/v1/files', headers: form, body: `${part}--b--\r\n` },
    ];
    const visit = fc.record({
      what: fc.nat(asks.length - 1),
      /** Sent part of the request, in thousandths. */
      sent: fc.oneof(fc.constant(1000), fc.nat(1000)),
      leaves: fc.constantFrom('at once', 'after the head', 'never'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(visit, { minLength: 1, maxLength: 12 }), async (visits) => {
        await Promise.all(
          visits.map(async ({ what, sent, leaves }) => {
            const bytes = requestBytes(harness, asks[what] ?? {});
            const connection = new RawConnection(await dial(harness.port));
            connection.send(bytes.subarray(0, Math.ceil((bytes.length * sent) / 1000)));
            if (sent === 1000 && leaves === 'after the head')
              await connection.head().catch(() => '');
            if (sent === 1000 && leaves === 'never') await connection.rest();
            connection.socket.destroy();
          }),
        );
        await waitForIdle(harness);
        expect(harness.gateway.memory.held).toBe(0);
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  test.skipIf(process.platform !== 'linux')(
    'limits the process: 40 bodies of 64 MiB after decompression do not exhaust the machine',
    async () => {
      await using terminal = await openTestMachine();
      const environment = { NODE_OPTIONS: '--max-old-space-size=512' };
      await using serving = await terminal.serve([], { environment });
      const target = { port: serving.port, localKey: serving.localKey };
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => sendRequest(target, PACKED)),
      );
      const codes = answers.map(({ status }) => status);
      expect(codes).toContain(503);
      const status = await readFile(`/proc/${serving.child.pid}/status`, 'utf8');
      const peak = Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1]) / 1024;
      expect(peak).toBeLessThan(1024);
      expect((await sendRequest(target, { path: '/v1/models' })).status).toBe(200);
    },
    60_000,
  );
});
