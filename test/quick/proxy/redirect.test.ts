import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { followRedirects } from '../../../gateway/http/redirect.ts';
import { openConnections } from '../../../gateway/http/connections.ts';
import { isPublicAddress } from '../../../gateway/http/public-address.ts';
import { UpstreamBody } from '../../../gateway/http/upstream-body.ts';
import { openConnectProxy } from '../../kit/net/connect-proxy.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, beginRequest } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';

/** The public address of a service. */
const ELSEWHERE = {
  origin: 'https://models.example.com',
  connectMs: 10_000,
  ownPorts: new Set<number>(),
};

/** Orders a video at the sandbox, waits for it, and returns the path of its content. */
async function orderVideo(harness: Harness): Promise<string> {
  const form =
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nabc\r\n--x--\r\n';
  const upload = await sendRequest(harness, {
    path: '/v1/files',
    headers: ['Content-Type: multipart/form-data; boundary=x'],
    body: form,
  });
  const url = /"(http:[^"]+)"/.exec(upload.body)?.[1];
  const task = await sendRequest(harness, {
    path: '/v1/videos',
    headers: ['Content-Type: application/json', 'x-sandbox-render-ms: 0'],
    body: JSON.stringify({
      model: 'h3',
      task: 'ref2va',
      prompt: 'a boat',
      seconds: '1',
      resolution: '480p',
      conditions: [{ type: 'image', url }],
    }),
  });
  return `/v1/videos/${/task-[0-9a-f]+/.exec(task.body)?.[0]}/content`;
}

const sha = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

function redirectTo(url: string): string {
  return `HTTP/1.1 307 Elsewhere\r\nlocation: ${url}\r\ncontent-length: 0\r\n\r\n`;
}

describe('The content of a video', () => {
  test('is fetched completely from the other origin, without any credential', async () => {
    await using harness = await startHarness();
    const path = await orderVideo(harness);
    const answer = await sendRequest(harness, { path, headers: ['Cookie: a=b'] });
    // The sandbox's media origin refuses requests with a credential.
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('video/mp4');
    expect(answer.body.length).toBe(Number(answer.headers.get('content-length')));
    expect(answer.body.slice(4, 8)).toBe('ftyp');
    expect(answer.headers.get('x-gatehouse-repairs')).toBe('redirect-followed');
    expect(answer.headers.has('location')).toBe(false);
    // The queue asks for the video that was ordered, too.
    const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
    expect(record).toMatchObject({ route: 'video-content', status: 200 });
    expect(record.bytesOut).toBe(answer.body.length);
  });

  test('can be fetched in ranges', async () => {
    await using harness = await startHarness();
    const path = await orderVideo(harness);
    const complete = await sendRequest(harness, { path });
    const size = complete.body.length;
    const half = Math.floor(size / 2);
    let parts = '';
    for (const range of [`0-${half - 1}`, `${half}-`]) {
      const part = await sendRequest(harness, { path, headers: [`Range: bytes=${range}`] });
      expect(part.status).toBe(206);
      expect(part.headers.get('content-range')).toMatch(new RegExp(`/${size}$`));
      parts += part.body;
    }
    expect(sha(parts)).toBe(sha(complete.body));
    const outside = await sendRequest(harness, { path, headers: [`Range: bytes=${size}-`] });
    expect(outside.status).toBe(416);
    expect(outside.headers.get('content-range')).toBe(`bytes */${size}`);
    const head = await sendRequest(harness, { method: 'HEAD', path });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(size));
    expect(head.body).toBe('');
  });

  test('is redirected to the client in strict mode', async () => {
    await using harness = await startHarness({ strict: true });
    const answer = await sendRequest(harness, { path: await orderVideo(harness) });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toContain(harness.sandbox.mediaUrl);
  });

  test('fails when it redirects to itself', async () => {
    await using harness = await startHarness();
    const path = await orderVideo(harness);
    const headers = ['x-sandbox-scenario: redirect-loop'];
    const answer = await sendRequest(harness, { path, headers });
    expect(answer.status).toBe(502);
    expect(answer.body).toContain('redirect_refused');
    const requests = harness.sandbox.requests.filter(({ url }) => url === path);
    expect(requests.length).toBeLessThanOrEqual(6);
  });

  test.each([404, 409, 410, 500, 503])('keeps the error status %i', async (status) => {
    await using both = await startScriptedHarness();
    await using media = await openUpstream();
    const client = await beginRequest(both.harness, { path: '/v1/videos/t1/content' });
    const { connection } = await both.upstream.next();
    connection.send(
      `HTTP/1.1 302 Found\r\nlocation: ${media.url}/v.mp4\r\ncontent-length: 0\r\n\r\n`,
    );
    const body = { error: { message: 'No file.', code: 'gone' } };
    (await media.next()).connection.send(jsonAnswer(status, body));
    expect(await client.rest()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*No file\\.`));
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ status, errorCode: 'gone' });
  });

  test('keeps the error of the service when it is not rendered yet', async () => {
    await using harness = await startHarness();
    const answer = await sendRequest(harness, { path: '/v1/videos/task-none/content' });
    expect(answer.status).toBe(404);
    expect(answer.body).toContain('task_not_found');
  });

  test('is requested without the key at another origin and with it at the service', async () => {
    await using both = await startScriptedHarness();
    await using media = await openUpstream();
    const { harness, upstream } = both;
    const client = await beginRequest(harness, {
      path: '/v1/videos/t1/content',
      headers: ['Cookie: a=b'],
    });
    const first = await upstream.next();
    expect(first.head.toLowerCase()).toContain('authorization: bearer');
    first.connection.send(redirectTo('/v1/elsewhere?a=1'));
    const second = await upstream.next();
    expect(second.head).toMatch(/^GET \/v1\/elsewhere\?a=1 /);
    expect(second.head.toLowerCase()).toContain('authorization: bearer');
    second.connection.send(redirectTo(`${media.url}/one`));
    const third = await media.next();
    expect(third.head.toLowerCase()).not.toMatch(/authorization|x-api-key|cookie|sandbox-/);
    expect(third.head.match(/\r\nhost: .*/i)?.[0]).toContain(String(media.port));
    third.connection.send('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nmp4');
    expect(await client.rest()).toMatch(/\r\n\r\nmp4$/);
  });

  test('has an error that does not blame the base URL when its origin does not answer', async () => {
    await using both = await startScriptedHarness();
    const client = await beginRequest(both.harness, { path: '/v1/videos/t1/content' });
    const { connection } = await both.upstream.next();
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    connection.send(redirectTo(`${nowhere}/v`));
    const answer = await client.rest();
    expect(answer).toMatch(/^HTTP\/1\.1 502 [^]*redirect_unreachable/);
    expect(answer).toContain(`could not reach the target of the redirect at ${nowhere}.`);
    expect(answer).not.toContain('base address');
    // The service answered, so no alarm may say that it cannot be reached.
    await both.harness.recorded(1);
    expect((await both.harness.gateway.status()).reach.state).not.toBe('unreachable');
  });

  test('is aborted at its origin when the client disconnects', async () => {
    await using both = await startScriptedHarness();
    await using media = await openUpstream();
    const client = await beginRequest(both.harness, { path: '/v1/videos/t1/content' });
    const { connection } = await both.upstream.next();
    connection.send(`HTTP/1.1 302 Found\r\nlocation: ${media.url}/v\r\ncontent-length: 0\r\n\r\n`);
    const onward = await media.next();
    client.socket.destroy();
    await onward.connection.closed;
    const [record] = await both.harness.recorded(1);
    expect(record).toMatchObject({ endedBy: 'client' });
  });

  test.each([
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:text/plain,x'],
    ['a script', 'javascript:1'],
    ['ftp', 'ftp://127.0.0.1/x'],
    ['an invalid URL', 'http://[bad/'],
    ['Gatehouse', 'http://127.0.0.1:{PORT}/v1/models'],
    ['Gatehouse by name', 'http://localhost:{PORT}/v1/models'],
    ['Gatehouse by IPv6', 'http://[::1]:{PORT}/'],
    ['Gatehouse in IPv6', 'http://[::ffff:127.0.0.1]:{PORT}/'],
    ['Gatehouse as a number', 'http://2130706433:{PORT}/'],
    ['Gatehouse as any address', 'http://0.0.0.0:{PORT}/'],
    ['Gatehouse with a dot', 'http://localhost.:{PORT}/'],
  ])('is not fetched from %s', async (_name, target) => {
    await using both = await startScriptedHarness();
    const { harness, upstream } = both;
    const client = await beginRequest(harness, { path: '/v1/videos/t1/content' });
    const { connection } = await upstream.next();
    const location = target.replace('{PORT}', String(harness.port));
    connection.send(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
    const answer = await client.rest();
    expect(answer).toMatch(/^HTTP\/1\.1 502 [^]*redirect_refused/);
    expect(await harness.recorded(1)).toHaveLength(1);
  });
});

describe('For a service on the internet, nothing is fetched from this machine or its network', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.8.9.10:81/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://localhost/',
    'http://localhost./',
    'http://app.localhost/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
  ])('nothing is fetched from %s', async (location) => {
    const connections = openConnections(ELSEWHERE);
    expect(connections.privateAllowed).toBe(false);
    const body = new UpstreamBody({ pause: () => {}, resume: () => {}, abort: () => {} });
    body.end();
    const first = { status: 302, statusText: 'Found', headers: ['location', location], body };
    const requests = {
      origin: 'https://models.example.com',
      path: '/v1/videos/t/content',
      method: 'GET',
      headers: [],
      body: null,
    };
    const signal = new AbortController().signal;
    const following = followRedirects(first, requests, {
      connections,
      ownPorts: ELSEWHERE.ownPorts,
      signal,
    });
    await expect(following).rejects.toMatchObject({ code: 'redirect_refused' });
    await connections.close();
  });

  test('the origin of the service itself is allowed, because the user configured it', async () => {
    await using service = await openUpstream();
    await using proxy = await openConnectProxy();
    const origin = `http://10.1.2.3:${service.port}`;
    const connections = openConnections({ ...ELSEWHERE, origin, proxyUrl: proxy.url });
    const signal = new AbortController().signal;
    const follow = (location: string) =>
      followRedirects(
        {
          status: 302,
          statusText: 'Found',
          headers: ['location', location],
          body: new UpstreamBody({ pause: () => {}, resume: () => {}, abort: () => {} }),
        },
        { origin, path: '/v1/videos/t/content', method: 'GET', headers: ['a', 'b'], body: null },
        { connections, ownPorts: ELSEWHERE.ownPorts, signal },
      );
    const followed = follow('/film.mp4');
    const { head, connection } = await service.next();
    expect(head).toMatch(/^GET \/film\.mp4 [^]*\r\na: b/);
    connection.send('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    expect((await followed).response.status).toBe(200);
    const beside = follow(`http://10.1.2.4:${service.port}/film.mp4`);
    await expect(beside).rejects.toMatchObject({ code: 'redirect_refused' });
    expect(proxy.asked).toEqual([`10.1.2.3:${service.port}`]);
    await connections.close();
  });

  test('a name is judged by the address to which it is connected', async () => {
    await using media = await openUpstream();
    const connections = openConnections(ELSEWHERE);
    const origin = `http://localhost:${media.port}`;
    const asking = connections.elsewhere.request({ origin, path: '/', method: 'GET' });
    await expect(asking).rejects.toMatchObject({ code: 'PRIVATE_ADDRESS' });
    expect(media.arrivals).toHaveLength(0);
    await connections.close();
  });

  test('a name is checked before the proxy gets it', async () => {
    await using proxy = await openConnectProxy();
    await using media = await openUpstream();
    const connections = openConnections({ ...ELSEWHERE, proxyUrl: proxy.url });
    const origin = `http://localhost:${media.port}`;
    const asking = connections.elsewhere.request({ origin, path: '/', method: 'GET' });
    await expect(asking).rejects.toMatchObject({ code: 'PRIVATE_ADDRESS' });
    expect([proxy.asked, media.arrivals]).toEqual([[], []]);
    await connections.close();
  });

  test.each([
    ['8.8.8.8', true],
    ['2606:4700::1111', true],
    ['::ffff:8.8.8.8', true],
    ['127.0.0.1', false],
    ['10.0.0.1', false],
    ['172.31.255.255', false],
    ['192.168.1.1', false],
    ['169.254.169.254', false],
    ['100.127.255.254', false],
    ['0.0.0.0', false],
    ['192.0.2.1', false],
    ['198.18.0.1', false],
    ['224.0.0.1', false],
    ['240.0.0.1', false],
    ['::', false],
    ['::1', false],
    ['::127.0.0.1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['fc00::1', false],
    ['fd12:3456::1', false],
    ['fe80::1', false],
    ['ff02::1', false],
    ['64:ff9b::a00:1', false],
    ['2002:a00:1::', false],
    ['2001:db8::1', false],
    ['not an address', false],
    ['', false],
  ])('the address "%s" is public: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });
});
