import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, readlink, rm, truncate, writeFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, type Page, test } from '@playwright/test';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { createClip } from '../../../../sandbox/clip.ts';
import { seedJob } from '../../../kit/ui/seed/video-jobs.ts';
import { DesktopApp } from '../../../kit/desktop/kit.ts';
import { type Folder, openFolder } from '../served.ts';

/** A finished video in a data folder. */
async function putVideo(
  repositories: Repositories,
  more = 0,
): Promise<{ id: string; clip: Buffer }> {
  // A box that players pass over (ISO/IEC 14496-12, section 8.1.2).
  const box = Buffer.concat([Buffer.from('\0\0\0\0free'), randomBytes(more)]);
  box.writeUInt32BE(box.length);
  const clip = Buffer.concat([await createClip(4), box]);
  const path = join(repositories.host.dataDir, 'fox.mp4');
  await writeFile(path, clip);
  const bytes = clip.length;
  const file = { name: 'fox.mp4', path, type: 'video/mp4', bytes, sha256: 'a'.repeat(64) };
  return {
    id: await seedJob(repositories, { state: 'done', charged: 'yes', orders: 1, file }),
    clip,
  };
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** Fetches an address of its own origin in the page. */
async function get(page: Page, address: string, init: Asked = {}) {
  return await page.evaluate(
    async ([url, options]) => {
      const answer = await fetch(url, options);
      const bytes = [...new Uint8Array(await answer.arrayBuffer())];
      return { status: answer.status, headers: Object.fromEntries(answer.headers), bytes };
    },
    [address, init] as const,
  );
}

interface Shown extends AsyncDisposable {
  readonly app: DesktopApp;
  readonly folder: Folder;
  readonly clip: Buffer;
  readonly file: string;
  /** The address of the file for the page. */
  readonly address: string;
}

/** The app with a video in its window; `more`: so many bytes more. */
async function showVideo(page: Page, more = 0): Promise<Shown> {
  let put: { id: string; clip: Buffer } | null = null;
  const folder = await openFolder(
    undefined,
    async (repositories) => (put = await putVideo(repositories, more)),
  );
  const { id = '', clip = Buffer.alloc(0) } = Object(put);
  const app = await DesktopApp.start(folder);
  const end = async (): Promise<void> => {
    await app[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  await app.attachPage(page);
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  await page.evaluate(
    (value) => window.postMessage({ channel: 'gatehouse:go', value }, location.origin),
    `/videos?video=${id}`,
  );
  const video = page.locator('video[controls]');
  await expect(video).toHaveJSProperty('duration', 4);
  const address = (await video.getAttribute('src')) ?? '';
  expect(address).toMatch(/^\/media\/[\w-]{43}$/u);
  const file = join(folder.dataDir, 'fox.mp4');
  return { app, folder, clip, file, address, [Symbol.asyncDispose]: end };
}

/** Asks for a part of a video as a player does, without the browser's own limit of connections; `url`: where the page is. */
function begin(url: string, address: string, range: string): ClientRequest {
  const { host, port } = new URL(url);
  const headers = { host, range };
  return request({ host: '127.0.0.1', port, path: address, agent: false, headers }).end();
}

async function answerOf(asking: ClientRequest): Promise<IncomingMessage> {
  const [answer] = await once(asking, 'response');
  return answer;
}

/** Counts how many times a process has a file open. */
async function timesOpen(pid: number, file: string): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const links = (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => ''));
  return (await Promise.all(links)).filter((path) => path.startsWith(file)).length;
}

test('the page can load its own files and offered files, and nothing else of this disk', async ({
  page,
}) => {
  await using shown = await showVideo(page);
  const { folder, clip, address } = shown;

  const part = await get(page, address, { headers: { range: 'bytes=100-199' } });
  expect([part.status, Buffer.from(part.bytes)]).toEqual([206, clip.subarray(100, 200)]);
  expect(part.headers).toMatchObject({
    'content-range': `bytes 100-199/${clip.length}`,
    'content-type': 'video/mp4',
    'content-security-policy': expect.stringContaining('sandbox'),
    'x-content-type-options': 'nosniff',
  });
  const whole = await get(page, `${address}?save`, {
    headers: { range: 'bytes=0-9', 'if-range': '"older"' },
  });
  expect([whole.status, Buffer.from(whole.bytes).equals(clip)]).toEqual([200, true]);
  expect(whole.headers['content-disposition']).toMatch(/^attachment; filename="fox\.mp4"/u);
  const head = await get(page, address, { method: 'HEAD' });
  expect([head.status, head.headers['content-length']]).toEqual([200, String(clip.length)]);
  expect((await get(page, address, { headers: { range: 'bytes=99999999-' } })).status).toBe(416);

  const nothing = [
    `${address}x`,
    '/media/',
    '/media/..%2fmain.js',
    '/..%2f..%2fdesktop/main.js',
    '/..%5c..%5cdesktop%5cmain.js',
    '/%2e%2e/desktop/main.js',
    '/assets/../../desktop/main.js',
    '/%00',
    `${folder.dataDir}/serving.json`,
  ];
  for (const path of nothing) {
    expect((await get(page, path)).status, path).toBe(404);
  }
  for (const method of ['POST', 'PUT', 'DELETE']) {
    expect((await get(page, address, { method })).status, method).toBe(405);
  }
});

test('a thousand simultaneous seeks in a video leave no file open', async ({ page }) => {
  await using shown = await showVideo(page, 24_000_000);
  const { app, clip, file, address, folder } = shown;
  // The player of the page holds one of its own.
  await page.evaluate(
    (value) => window.postMessage({ channel: 'gatehouse:go', value }, location.origin),
    '/history',
  );
  await expect.poll(() => timesOpen(app.pid, file)).toBe(0);
  const url = page.url();
  const seek = async (turn: number): Promise<void> => {
    const first = (turn * 104_729) % clip.length;
    const asking = begin(url, address, `bytes=${first}-`);
    if (turn % 3 === 0) {
      // The page navigates away before the response.
      asking.on('error', () => undefined);
      await once(asking, 'finish');
      return void asking.destroy();
    }
    const answer = await answerOf(asking);
    if (turn % 3 === 1) return void answer.destroy();
    const [piece] = await once(answer, 'data');
    expect(clip.subarray(first, first + piece.length).equals(piece)).toBe(true);
    answer.destroy();
  };
  await Promise.all(Array.from({ length: 1_000 }, (_, turn) => seek(turn)));
  const ask = async (from: number) => await answerOf(begin(url, address, `bytes=${from}-`));
  for (const from of [0, 1, 12_345_678]) {
    expect((await buffer(await ask(from))).equals(clip.subarray(from))).toBe(true);
  }
  await expect.poll(() => timesOpen(app.pid, file)).toBe(0);

  const cut = await ask(0);
  await truncate(file, 1_000_000);
  await expect(buffer(cut)).rejects.toThrow('aborted');
  const gone = await ask(0);
  await rm(file);
  expect((await buffer(gone)).length).toBe(1_000_000);
  expect((await ask(0)).statusCode).toBe(404);
  await expect.poll(() => timesOpen(app.pid, file)).toBe(0);
  expect(app.snapshot.dialogs).toEqual([]);
  expect(await readFile(join(folder.dataDir, 'logs', 'engine.log'), 'utf8')).not.toContain('fault');
});

test('unusual ranges of a video are answered as the standard says', async ({ page }) => {
  await using shown = await showVideo(page);
  const { clip, address } = shown;
  const url = page.url();
  const all = clip.length;
  const parts: readonly (readonly [string, number, number])[] = [
    ['bytes=0-0', 206, 1],
    ['bytes=-1', 206, 1],
    [`bytes=${all - 1}-`, 206, 1],
    [`bytes=0-${'9'.repeat(9_000)}`, 206, all],
    [`bytes=-${'9'.repeat(9_000)}`, 206, all],
    [`bytes=${all}-`, 416, 0],
    [`bytes=${'9'.repeat(9_000)}-`, 416, 0],
    ['bytes=-0', 416, 0],
    ['bytes=5-2', 200, all],
    ['bytes=-', 200, all],
    ['bytes=0-1,5-6', 200, all],
    [`bytes=${'0-0,'.repeat(2_000)}0-0`, 200, all],
    ['bytes=-1-1', 200, all],
    ['bytes=0x10-', 200, all],
    ['items=0-1', 200, all],
    ['bytes', 200, all],
  ];
  await Promise.all(
    parts.map(async ([range, status, length]) => {
      const answer = await answerOf(begin(url, address, range));
      const bytes = await buffer(answer);
      expect([answer.statusCode, bytes.length], range.slice(0, 40)).toEqual([status, length]);
    }),
  );
});
