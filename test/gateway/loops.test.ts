import { expect, test } from 'vitest';
import { formFor } from '../kit/form.ts';
import { freePort } from '../kit/free-port.ts';
import { startHouse } from '../kit/house.ts';
import { ask, begin } from '../kit/request.ts';
import { startScriptedHouse } from '../kit/scripted-house.ts';
import { openUpstream } from '../kit/upstream.ts';
import { parseAnswer } from '../kit/raw.ts';

const NAMES = ['127.0.0.1', 'localhost', '[::1]', 'anything.localhost'];

test.each(NAMES)(
  'an upstream or a proxy at %s with a port of ours is refused when it is saved',
  async (name) => {
    await using house = await startHouse();
    const window = await freePort();
    house.gateway.guardPort(window);
    for (const port of [house.port, window]) {
      const url = `http://${name}:${port}`;
      await expect(house.gateway.addUpstream(formFor(url))).rejects.toMatchObject({
        name: 'Refused',
        field: 'baseUrl',
      });
      await expect(
        house.gateway.addUpstream(formFor('https://models.example.com', { proxyUrl: url })),
      ).rejects.toMatchObject({ name: 'Refused', field: 'proxyUrl' });
    }
  },
);

test('a service whose port became ours later gets nothing', async () => {
  await using window = await openUpstream();
  await using house = await startHouse({ baseUrl: window.url });
  house.gateway.guardPort(window.port);
  const answer = await ask(house, { path: '/v1/models' });
  expect(answer.status).toBe(502);
  expect(answer.body).toContain('loop_detected');
  expect(window.arrivals).toEqual([]);
});

test('a redirect to the window is not followed', async () => {
  await using window = await openUpstream();
  await using both = await startScriptedHouse();
  const { house, upstream } = both;
  house.gateway.guardPort(window.port);
  const client = await begin(house, { path: '/v1/videos/task-1/content' });
  const { wire } = await upstream.next();
  const location = `http://localhost:${window.port}/file`;
  wire.send(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
  const answer = parseAnswer(await client.rest());
  expect(answer.status).toBe(502);
  expect(answer.body).toContain('it leads back to Gatehouse');
  expect(window.arrivals).toEqual([]);
});

test('a port that the proxy has left may be a service again', async () => {
  await using house = await startHouse();
  const before = house.port;
  await house.gateway.changeSettings({ port: await freePort() });
  await expect
    .poll(
      async () =>
        await house.gateway.addUpstream(formFor(`http://127.0.0.1:${before}`)).catch(() => null),
      { timeout: 5_000 },
    )
    .toMatchObject({ baseUrl: `http://127.0.0.1:${before}` });
});
