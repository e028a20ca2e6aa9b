import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSessions } from '../../../gateway/api/http/sessions.ts';
import { findLeaks } from '../../kit/secret-leak.ts';
import { composeRequest, dial, parseAnswer, readAnswer, sendRaw } from '../../kit/net/raw-http.ts';
import {
  type SignedInBrowser,
  post,
  startWindow,
  exchangeCode,
  type WindowHarness,
} from '../../kit/gateway/window.ts';

let window: WindowHarness;
let browser: SignedInBrowser;
beforeAll(async () => {
  window = await startWindow();
  browser = await window.signIn();
});
afterAll(async () => await window[Symbol.asyncDispose]());

const get = async (path: string, lines: readonly string[] = []) =>
  await sendRaw(window.port, composeRequest({ ask: `GET ${path}`, port: window.port, lines }));
const call = async (lines: readonly string[]) =>
  await post(window.port, '/rpc/upstreams/read', {
    lines,
    body: '{"json":{"text":"https://models.example.com/v1"}}',
  });

/** Requests a file like an image or a video of the page. */
const fetchFile = async (what: string, lines: readonly string[] = [`Cookie: ${browser.cookie}`]) =>
  await sendRaw(window.port, composeRequest({ ask: what, port: window.port, lines }));
/** Returns the address of an image for a session. */
const addressFor = async ({ lines }: SignedInBrowser, hash: string): Promise<string> => {
  const body = JSON.stringify({ json: { kind: 'image', hash } });
  const answer = await post(window.port, '/rpc/videos/media', { lines, body });
  expect(answer.status).toBe(200);
  return /\/media\/[\w-]+/u.exec(answer.body)?.[0] ?? 'none';
};

describe('authentication', () => {
  test('a browser with both parts of a session is answered', async () => {
    const answer = await call(browser.lines);
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('https://models.example.com');
  });

  test.each([
    ['nothing at all', () => []],
    ['the cookie alone', () => [`Cookie: ${browser.cookie}`]],
    ['the token alone', () => [`x-gatehouse-window: ${browser.token}`]],
    ['a guessed token', () => [`Cookie: ${browser.cookie}`, 'x-gatehouse-window: guess']],
    ['a guessed cookie', () => ['Cookie: gatehouse_window=x', browser.lines[1] ?? '']],
  ])('%s is not enough', async (_name, lines) => {
    const answer = await call(lines());
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({ json: { code: 'UNAUTHORIZED' } });
  });

  test('the parts of two sessions do not match', async () => {
    const other = await window.signIn();
    const mixed = [`Cookie: ${browser.cookie}`, `x-gatehouse-window: ${other.token}`];
    expect((await call(mixed)).status).toBe(401);
  });

  test.each([
    ['before it', (mine: string, other: string) => `${other}; ${mine}`],
    ['behind it', (mine: string, other: string) => `${mine}; ${other}`],
    ['a hundred times', (mine: string, other: string) => `${`${other}; `.repeat(100)}${mine}`],
  ])('a cookie of the same name with another value does no harm %s', async (_name, both) => {
    const name = browser.cookie.split('=')[0] ?? '';
    const cookie = both(browser.cookie, `${name}=%E0%A4%A`);
    const lines = [`Cookie: ${cookie}`, `x-gatehouse-window: ${browser.token}`];
    expect((await call(lines)).status).toBe(200);
  });

  test('the cookie is not accessible to scripts and other sites', async () => {
    const answer = await exchangeCode(window.port, await window.makeCode());
    const cookie = answer.headers.get('set-cookie');
    expect(cookie).toMatch(/^gatehouse_window_\d+=[\w-]{43}; /u);
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).toContain('Path=/');
    expect(cookie).not.toContain('Domain');
  });

  test('codes and sessions are stored as hashes only', async () => {
    const code = await window.makeCode();
    const { db } = window.harness.repositories.store;
    const codes = await db.selectFrom('window_code').selectAll().execute();
    const sessions = await db.selectFrom('window_session').selectAll().execute();
    const stored = JSON.stringify([codes, sessions]);
    const secrets = [code, browser.token, browser.cookie.replace(/^[^=]*=/u, '')];
    expect([codes.length > 0, sessions.length > 0]).toEqual([true, true]);
    expect(secrets.filter((secret) => stored.includes(secret))).toEqual([]);
  });
});

describe('codes', () => {
  test('a code works once', async () => {
    const code = await window.makeCode();
    expect((await exchangeCode(window.port, code)).status).toBe(200);
    const again = await exchangeCode(window.port, code);
    expect([again.status, again.headers.get('set-cookie')]).toEqual([401, undefined]);
    expect(again.body).toContain('gatehouse open');
  });

  test('one of many simultaneous uses of a code succeeds', async () => {
    const code = await window.makeCode();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => exchangeCode(window.port, code)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 401, 401, 401, 401,
    ]);
  });

  test('a code has at least 128 bits and expires after ten minutes', async () => {
    await using own = await startWindow();
    const code = await own.makeCode();
    expect(Buffer.from(code, 'base64url').length * 8).toBeGreaterThanOrEqual(128);
    own.wait(10 * 60_000 + 1);
    expect((await exchangeCode(own.port, code)).status).toBe(401);
  });

  test('guessing is blocked for a minute, and a valid code still works', async () => {
    await using own = await startWindow();
    const guesses: number[] = [];
    for (let i = 0; i < 12; i += 1)
      guesses.push((await exchangeCode(own.port, `guess-${i}`)).status);
    expect(guesses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const blocked = await exchangeCode(own.port, 'guess-12');
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await exchangeCode(own.port, await own.makeCode())).status).toBe(200);
    expect((await exchangeCode(own.port, 'guess-13')).status).toBe(429);
    own.wait(61_000);
    expect((await exchangeCode(own.port, 'guess-14')).status).toBe(401);
  });

  test('of 57 simultaneous guesses ten are checked, and a valid code among them works', async () => {
    await using own = await startWindow();
    const code = await own.makeCode();
    const codes = Array.from({ length: 58 }, (_, index) =>
      index === 40 ? code : `guess-${index}`,
    );
    const answers = await Promise.all(codes.map((one) => exchangeCode(own.port, one)));
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    // The valid code may count as one of the first ten until it is known to be valid.
    expect([9, 10]).toContain(count(401));
    expect(count(401) + count(429)).toBe(57);
    expect(answers[40]?.status).toBe(200);
  });

  test.each(['', '{', '[]', '{"code":5}', '{"code":""}', `{"code":"${'x'.repeat(200)}"}`])(
    'the body %j is not a code',
    async (body) => {
      await using own = await startWindow();
      expect([400, 401]).toContain((await post(own.port, '/session', { body })).status);
    },
  );
});

describe('sessions', () => {
  test('a session ends 30 days after its last use', async () => {
    await using own = await startWindow();
    const guest = await own.signIn();
    const ask = async () => (await post(own.port, '/rpc/none', { lines: guest.lines })).status;
    const days = 24 * 3_600_000;
    own.wait(29 * days);
    expect(await ask()).toBe(404);
    own.wait(29 * days);
    expect(await ask()).toBe(404);
    own.wait(31 * days);
    expect(await ask()).toBe(401);
  });

  test('signing out ends the session and its streams, and no other', async () => {
    const leaving = await window.signIn();
    const listening = await dial(window.port);
    listening.write(
      composeRequest({
        ask: 'POST /rpc/status/events',
        port: window.port,
        lines: ['Content-Type: application/json', ...leaving.lines],
        body: '{}',
      }),
    );
    await once(listening, 'data');
    const cut = once(listening, 'close');
    listening.resume();
    listening.on('error', () => undefined);
    const out = await post(window.port, '/session/end', { lines: leaving.lines });
    expect(out.status).toBe(200);
    await cut;
    expect((await call(leaving.lines)).status).toBe(401);
    expect((await call(browser.lines)).status).toBe(200);
  });
});

describe('access control', () => {
  test.each([
    'evil.example',
    `evil.example:1`,
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
  ])('the host %s gets 421, the page included', async (host) => {
    for (const path of ['/', '/assets/main-1a2b.js', '/rpc/status/get']) {
      const bytes = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect((await sendRaw(window.port, bytes)).status).toBe(421);
    }
  });

  test('no host, two hosts, or a foreign one with our port get 421', async () => {
    const heads = [
      'Connection: close',
      `Host: 127.0.0.1:${window.port}\r\nHost: evil.example\r\nConnection: close`,
      `Host: evil.example:${window.port}\r\nConnection: close`,
    ];
    for (const head of heads) {
      const answer = await sendRaw(window.port, `GET / HTTP/1.1\r\n${head}\r\n\r\n`);
      expect(answer.status).toBe(421);
    }
  });

  test('an absolute URL as target is rejected', async () => {
    const target = `GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:${window.port}`;
    expect((await sendRaw(window.port, `${target}\r\nConnection: close\r\n\r\n`)).status).toBe(400);
  });

  test.each([
    'https://evil.example',
    'null',
    'http://127.0.0.1:1',
    'http://localhost:1',
    'https://127.0.0.1',
    'http://evil.example@127.0.0.1',
  ])('the origin %s gets 403, even with a session', async (origin) => {
    const lines = [`Origin: ${origin}`, ...browser.lines];
    const answer = await call(lines);
    expect(answer.status).toBe(403);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual(
      [],
    );
    const preflight = composeRequest({ ask: 'OPTIONS /rpc/status/get', port: window.port, lines });
    expect((await sendRaw(window.port, preflight)).status).toBe(403);
  });

  test('its own origin is accepted', async () => {
    const lines = [`Origin: ${window.url}`, 'Sec-Fetch-Site: same-origin', ...browser.lines];
    expect((await call(lines)).status).toBe(200);
  });

  test.each(['cross-site', 'same-site'])('a %s request is rejected', async (site) => {
    const lines = [`Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: script'];
    expect((await get('/assets/main-1a2b.js', lines)).status).toBe(403);
    expect((await get('/', lines)).status).toBe(403);
    expect((await call([...lines, ...browser.lines])).status).toBe(403);
    const frame = [`Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'];
    expect((await get('/', frame)).status).toBe(403);
    const form = [
      `Sec-Fetch-Site: ${site}`,
      'Sec-Fetch-Mode: navigate',
      'Sec-Fetch-Dest: document',
    ];
    expect((await call([...form, ...browser.lines])).status).toBe(403);
    expect((await get('/', form)).status).toBe(200);
  });

  test('a call must be a POST with JSON', async () => {
    const path = '/rpc/upstreams/read?data=%7B%22json%22%3A%7B%22text%22%3A%22x%22%7D%7D';
    expect((await get(path, browser.lines)).status).toBe(405);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ]) {
      const lines = [`Content-Type: ${type}`, ...browser.lines];
      const bytes = composeRequest({
        ask: 'POST /rpc/upstreams/read',
        port: window.port,
        lines,
        body: '{"json":{"text":"x"}}',
      });
      expect((await sendRaw(window.port, bytes)).status).toBe(415);
    }
    const untyped = composeRequest({
      ask: 'POST /rpc/upstreams/read',
      port: window.port,
      lines: browser.lines,
      body: '{"json":{"text":"x"}}',
    });
    expect((await sendRaw(window.port, untyped)).status).toBe(415);
  });
});

describe('limits of requests', () => {
  test('a body over 1 MiB is rejected, announced or not', async () => {
    const head = [
      'POST /rpc/upstreams/read HTTP/1.1',
      `Host: 127.0.0.1:${window.port}`,
      'Content-Type: application/json',
      'Connection: close',
      ...browser.lines,
    ].join('\r\n');
    const announced = `${head}\r\nContent-Length: 1048577\r\n\r\n`;
    expect((await sendRaw(window.port, announced)).status).toBe(413);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const streamed = `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}`;
    expect((await sendRaw(window.port, streamed)).status).toBe(413);
  });

  test('a missing body is not waited for', async () => {
    await using impatient = await startWindow({ requestMs: 400 });
    const socket = await dial(impatient.port);
    const head = composeRequest({
      ask: 'POST /session',
      port: impatient.port,
      lines: ['Content-Type: application/json', 'Content-Length: 100'],
    });
    socket.write(Buffer.concat([head, Buffer.from('{"code":')]));
    const { status } = await readAnswer(socket);
    expect(status).toBe(408);
  });

  test('an incomplete head is not waited for', async () => {
    await using impatient = await startWindow({ requestMs: 400 });
    const socket = await dial(impatient.port);
    socket.write('GET / HTTP/1.1\r\nHost: ');
    expect((await readAnswer(socket)).status).toBe(408);
  });

  test('invalid, deeply nested and prototype-changing JSON does no harm', async () => {
    const bodies = [
      '{"json":',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      '{"json":{"__proto__":{"text":"x"}}}',
      '{"json":{"text":"x"},"meta":[[2,"__proto__","text"]]}',
      '{"json":{"text":"x"},"meta":"no list"}',
      '[]',
      '"text"',
      'null',
    ];
    for (const body of bodies) {
      const { status } = await post(window.port, '/rpc/upstreams/read', {
        lines: browser.lines,
        body,
      });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
    expect(Reflect.get({}, 'text')).toBeUndefined();
    expect((await call(browser.lines)).status).toBe(200);
  });

  test.each([
    '/rpc/__proto__/get',
    '/rpc/constructor',
    '/rpc/status',
    '/rpc/',
    '/rpc',
    '/rpc/status/get/more',
    '/rpc/%2e%2e/session',
  ])('there is no call at %s', async (path) => {
    expect((await post(window.port, path, { lines: browser.lines })).status).toBe(404);
  });
});

describe('files of videos', () => {
  /** A small image, in which a script could be hidden as well. */
  const PICTURE = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const NAME = 'a "fox"; x=\r\n\u202e ä%.png';
  let hash = '';
  let address = '';
  beforeAll(async () => {
    const { images } = window.gateway.videos;
    const upload = await images.begin({ name: NAME, bytes: PICTURE.length });
    await images.append(upload, PICTURE);
    ({ hash } = await images.finish(upload));
    address = await addressFor(browser, hash);
  });

  test('a file is only sent to the session that got its address, and cannot be a page', async () => {
    const { status, headers, raw: wire } = await fetchFile(`GET ${address}`);
    expect(status).toBe(200);
    expect(wire.endsWith(PICTURE.toString('latin1'))).toBe(true);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('content-length')).toBe(String(PICTURE.length));
    expect(headers.get('content-disposition')).toMatch(
      /^inline; filename="[\w .()-]+"; filename\*=/u,
    );
    expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/u);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    const saved = (await fetchFile(`GET ${address}?save`)).headers.get('content-disposition');
    expect(saved).toMatch(/^attachment; filename="[\w .()-]+"; filename\*=UTF-8''[\w%.-]+$/u);
  });

  test('a file has one address in a session, and another in another session', async () => {
    expect(await addressFor(browser, hash)).toBe(address);
    const other = await window.signIn();
    const others = await addressFor(other, hash);
    expect(others).not.toBe(address);
    expect(Buffer.from(others.replace('/media/', ''), 'base64url').length).toBe(32);
    const own = [`Cookie: ${other.cookie}`];
    expect((await fetchFile(`GET ${others}`, own)).status).toBe(200);
    expect((await fetchFile(`GET ${address}`, own)).status).toBe(404);
    expect((await fetchFile(`GET ${others}`)).status).toBe(404);
  });

  test.each([
    ['no cookie', (): string[] => []],
    ['the token instead of the cookie', () => [`x-gatehouse-window: ${browser.token}`]],
    ['a guessed cookie', () => [`Cookie: ${browser.cookie.replace(/=.*/u, '=guess')}`]],
  ])('with %s an address leads nowhere', async (_name, lines) => {
    expect((await fetchFile(`GET ${address}`, lines())).status).toBe(404);
  });

  test.each([
    () => '/media/',
    () => '/media/guess',
    () => address.slice(0, -1),
    () => `${address}/`,
    () => `${address}/../../etc/passwd`,
    () => `${address}%00`,
    () => `/media//etc/passwd`,
    () => `/media/..%2f..%2fetc%2fpasswd`,
    () => `/media/${hash}`,
    () => `/media/__proto__`,
  ])('a guessed address leads nowhere', async (path) => {
    const answer = await fetchFile(`GET ${path()}`);
    expect(answer.status).toBe(404);
    expect(answer.body).not.toMatch(/PNG|root:/u);
  });

  test('only reading is possible, and only from the window itself', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect((await fetchFile(`${method} ${address}`)).status).toBe(405);
    }
    const cookie = `Cookie: ${browser.cookie}`;
    expect(
      (await fetchFile(`GET ${address}`, [cookie, 'Origin: https://evil.example'])).status,
    ).toBe(403);
    for (const dest of ['image', 'video', 'iframe', 'script']) {
      const lines = [cookie, 'Sec-Fetch-Site: same-site', `Sec-Fetch-Dest: ${dest}`];
      expect((await fetchFile(`GET ${address}`, lines)).status).toBe(403);
    }
    const foreign = `GET ${address} HTTP/1.1\r\nHost: evil.example:${window.port}\r\n${cookie}\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(window.port, foreign)).status).toBe(421);
  });

  test('a requested range is sent', async () => {
    const size = PICTURE.length;
    const cookie = `Cookie: ${browser.cookie}`;
    const part = await fetchFile(`GET ${address}`, [cookie, 'Range: bytes=1-3']);
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1-3/${size}`]);
    expect(part.raw.endsWith('\r\n\r\nPNG')).toBe(true);
    const tail = await fetchFile(`GET ${address}`, [cookie, 'Range: bytes=-4']);
    expect(tail.headers.get('content-range')).toBe(`bytes ${size - 4}-${size - 1}/${size}`);
    const beyond = await fetchFile(`GET ${address}`, [cookie, `Range: bytes=${size}-`]);
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
    const etag = part.headers.get('etag') ?? '';
    const same = await fetchFile(`GET ${address}`, [
      cookie,
      'Range: bytes=0-0',
      `If-Range: ${etag}`,
    ]);
    const changed = await fetchFile(`GET ${address}`, [
      cookie,
      'Range: bytes=0-0',
      'If-Range: "old"',
    ]);
    expect([same.status, changed.status]).toEqual([206, 200]);
    const head = await fetchFile(`HEAD ${address}`);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)]);
    expect(head.raw.endsWith('\r\n\r\n')).toBe(true);
  });

  test('with the session its addresses end', async () => {
    const leaving = await window.signIn();
    const own = await addressFor(leaving, hash);
    const cookie = [`Cookie: ${leaving.cookie}`];
    expect((await fetchFile(`GET ${own}`, cookie)).status).toBe(200);
    await post(window.port, '/session/end', { lines: leaving.lines });
    expect((await fetchFile(`GET ${own}`, cookie)).status).toBe(404);
    expect((await fetchFile(`GET ${own}`)).status).toBe(404);
    expect((await fetchFile(`GET ${address}`)).status).toBe(200);
  });
});

describe('the page', () => {
  test.each([
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/assets/..%2f.hidden.json',
    '/assets/../.hidden.json',
    '/.hidden.json',
    '//etc/passwd',
    '/\\etc\\passwd',
    '/assets/none.js',
    '/index.html%00.js',
  ])('nothing else is at %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(answer.body).not.toMatch(/hidden|root:|"name"/u);
  });

  test('its own addresses return the page, each time with another nonce and a strict policy', async () => {
    const answers = [await get('/'), await get('/history?client=x'), await get('/index.html')];
    const nonces = answers.map(({ headers, body, status }) => {
      expect(status).toBe(200);
      const policy = headers.get('content-security-policy') ?? '';
      const nonce = /'nonce-([^']{22,})'/u.exec(policy)?.[1] ?? 'none';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-");
      expect(policy).toMatch(/base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/u);
      expect(policy).toContain("; media-src 'self'; ");
      expect(policy).not.toMatch(/unsafe|\*|http:|https:/u);
      expect(body.split(nonce)).toHaveLength(3);
      expect(body).not.toContain('__CSP_NONCE__');
      return nonce;
    });
    expect(new Set(nonces).size).toBe(3);
  });

  test('under another name of this machine it redirects the browser home, with its login code', async () => {
    for (const host of [
      `localhost:${window.port}`,
      `LOCALHOST:${window.port}`,
      `[::1]:${window.port}`,
    ]) {
      const head = `GET //history?q=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const { status, headers } = await sendRaw(window.port, head);
      expect([status, headers.get('location')]).toEqual([307, `${window.url}//history?q=1`]);
    }
  });

  test('its files may be cached, and everything else is never stored', async () => {
    const file = await get('/assets/main-1a2b.js');
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const etag = file.headers.get('etag') ?? '';
    expect((await get('/assets/main-1a2b.js', [`If-None-Match: ${etag}`])).status).toBe(304);
    const others = [
      await get('/'),
      await get('/none.txt'),
      await call(browser.lines),
      await call([]),
    ];
    for (const { headers } of others) expect(headers.get('cache-control')).toBe('no-store');
    for (const { headers } of [file, ...others]) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toContain('camera=()');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.has('server')).toBe(false);
    }
  });

  test('a new build is served without a restart, and a missing build reports what to do', async () => {
    await using own = await startWindow();
    const ask = async () =>
      await sendRaw(own.port, composeRequest({ ask: 'GET /', port: own.port }));
    expect((await ask()).body).toContain('page');
    await writeFile(join(own.pageDir, 'index.html'), 'built again');
    expect((await ask()).body).toBe('built again');
    await using bare = await startWindow();
    await rm(join(bare.pageDir, 'index.html'));
    const missing = await sendRaw(bare.port, composeRequest({ ask: 'GET /', port: bare.port }));
    expect(missing.status).toBe(503);
    expect(missing.body).toContain('npm run build:ui');
  });
});

test('closing the window server ends its streams, and the gateway keeps running', async () => {
  await using own = await startWindow();
  const guest = await own.signIn();
  const streams = await Promise.all(
    [1, 2, 3].map(async () => {
      const socket = await dial(own.port);
      const lines = ['Content-Type: application/json', ...guest.lines];
      const ask = { ask: 'POST /rpc/status/events', port: own.port, lines, body: '{}' };
      socket.write(composeRequest(ask));
      const [first] = await once(socket, 'data');
      expect(parseAnswer(String(first)).status).toBe(200);
      socket.on('error', () => undefined);
      return { ended: once(socket.resume(), 'close') };
    }),
  );
  await own.closeWindow();
  await Promise.all(streams.map(({ ended }) => ended));
  const health = await fetch(`${own.harness.url}/health`);
  expect(health.status).toBe(200);
  await health.text();
});

test('with a read-only database the window still opens, and reports the error', async () => {
  await using own = await startWindow();
  const { lines } = await own.signIn();
  await sql`pragma query_only = 1`.execute(own.harness.repositories.store.db);
  own.wait(2 * 3_600_000);
  const callApi = (name: string, body: string) => post(own.port, `/rpc/${name}`, { lines, body });
  expect((await callApi('status/get', '{}')).status).toBe(200);
  const refused = await callApi('clients/add', '{"json":{"name":"Editor"}}');
  expect(JSON.parse(refused.body)).toMatchObject({
    json: { code: 'REFUSED', message: expect.stringContaining('disk is writable') },
  });
});

test('a session survives a restart of the window server', async () => {
  const guest = await window.signIn();
  const { store, host } = window.harness.repositories;
  const reopened = createSessions({ store, now: host.now, randomBytes: host.randomBytes });
  const cookie = guest.cookie.replace(/^[^=]*=/u, '');
  expect(await reopened.find({ cookies: [cookie], token: guest.token })).not.toBeNull();
});

test('the service key is in no response', async () => {
  const { key } = window.harness.sandbox;
  const calls = [
    'status/get',
    'status/diagnostics',
    'upstreams/list',
    'settings/get',
    'settings/data',
    'models/list',
    'clients/list',
  ];
  const answers = await Promise.all(
    calls.map((path) => post(window.port, `/rpc/${path}`, { lines: browser.lines })),
  );
  expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 200));
  const responses = [...answers, await get('/')].map(({ raw: wire }) => wire).join('\n');
  expect(findLeaks(key, Buffer.from(responses, 'latin1'))).toEqual([]);
  expect(findLeaks(window.harness.gateway.windowKey, Buffer.from(responses, 'latin1'))).toEqual([]);
});
