import { expect, test } from 'vitest';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, beginRequest } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { openUpstream } from '../../kit/net/scripted-upstream.ts';
import { parseAnswer } from '../../kit/net/raw-http.ts';

const NAMES = ['127.0.0.1', 'localhost', '[::1]', 'anything.localhost'];

test.each(NAMES)(
  'an upstream or a proxy at %s with a port of ours is refused when it is saved',
  async (name) => {
    await using harness = await startHarness();
    const window = await freePort();
    harness.gateway.reservePort(window);
    for (const port of [harness.port, window]) {
      const url = `http://${name}:${port}`;
      await expect(harness.gateway.addUpstream(upstreamFormFor(url))).rejects.toMatchObject({
        name: 'UserError',
        field: 'baseUrl',
      });
      await expect(
        harness.gateway.addUpstream(
          upstreamFormFor('https://models.example.com', { proxyUrl: url }),
        ),
      ).rejects.toMatchObject({ name: 'UserError', field: 'proxyUrl' });
    }
  },
);

test('a service whose port became ours later gets nothing', async () => {
  await using window = await openUpstream();
  await using harness = await startHarness({ baseUrl: window.url });
  harness.gateway.reservePort(window.port);
  const answer = await sendRequest(harness, { path: '/v1/models' });
  expect(answer.status).toBe(502);
  expect(answer.body).toContain('loop_detected');
  expect(window.arrivals).toEqual([]);
});

test('a redirect to the window is not followed', async () => {
  await using window = await openUpstream();
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  harness.gateway.reservePort(window.port);
  const client = await beginRequest(harness, { path: '/v1/videos/task-1/content' });
  const { connection } = await upstream.next();
  const location = `http://localhost:${window.port}/file`;
  connection.send(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
  const answer = parseAnswer(await client.rest());
  expect(answer.status).toBe(502);
  expect(answer.body).toContain('it leads back to Gatehouse');
  expect(window.arrivals).toEqual([]);
});

test('a port that the proxy has left may be a service again', async () => {
  await using harness = await startHarness();
  const before = harness.port;
  await harness.gateway.changeSettings({ port: await freePort() });
  await expect
    .poll(
      async () =>
        await harness.gateway
          .addUpstream(upstreamFormFor(`http://127.0.0.1:${before}`))
          .catch(() => null),
    )
    .toMatchObject({ baseUrl: `http://127.0.0.1:${before}` });
});
