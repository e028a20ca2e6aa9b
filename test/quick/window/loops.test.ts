import { describe, expect, test } from 'vitest';
import { sendRequest, beginRequest } from '../../kit/gateway/request.ts';
import { openUpstream } from '../../kit/net/scripted-upstream.ts';
import { post, startWindow } from '../../kit/gateway/window.ts';

const FORMS = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0'];

describe('nothing is forwarded to the port of the window', () => {
  test.each(FORMS)('not as the target of a redirect: %s', async (host) => {
    await using upstream = await openUpstream({ models: ['m'] });
    await using window = await startWindow({ baseUrl: upstream.url });
    const client = await beginRequest(window.harness, { path: '/v1/videos/t1/content' });
    const { connection } = await upstream.next();
    const location = `http://${host}:${window.port}/`;
    connection.send(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 502 [^]*redirect_refused/u);
  });

  test.each(FORMS)('not as a service that is saved: %s', async (host) => {
    await using window = await startWindow();
    const { lines } = await window.signIn();
    const connecting = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
    const form = { name: '', baseUrl: `http://${host}:${window.port}`, ...connecting };
    const body = JSON.stringify({ json: form });
    const answer = await post(window.port, '/rpc/upstreams/add', { lines, body });
    expect(answer.status).toBe(422);
    expect(JSON.parse(answer.body)).toMatchObject({ json: { data: { field: 'baseUrl' } } });
  });

  test('not as a service saved earlier', async () => {
    await using before = await openUpstream({ models: ['m'] });
    await using window = await startWindow({ baseUrl: before.url });
    // The window later gets the port that a service had until now.
    window.harness.gateway.reservePort(before.port);
    const answer = await sendRequest(window.harness, { path: '/v1/other' });
    expect(answer.status).toBe(502);
    expect(answer.body).toContain('loop_detected');
    expect(before.arrivals).toEqual([]);
  });
});
