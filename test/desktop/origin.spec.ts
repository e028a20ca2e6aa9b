import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import type { Rooms } from '../../gateway/gateway.ts';
import { clipOf } from '../../sandbox/clip.ts';
import { putJob } from '../ui/video-jobs.ts';
import { DesktopApp } from './kit.ts';
import { openFolder } from './served.ts';

/** A finished video in a data folder. */
async function putVideo(rooms: Rooms): Promise<{ id: string; clip: Buffer }> {
  const clip = await clipOf(4);
  const path = join(rooms.host.dataDir, 'fox.mp4');
  await writeFile(path, clip);
  const bytes = clip.length;
  const file = { name: 'fox.mp4', path, type: 'video/mp4', bytes, sha256: 'a'.repeat(64) };
  return { id: await putJob(rooms, { state: 'done', charged: 'yes', orders: 1, file }), clip };
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** What the page gets at an address of its own origin. */
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

test('the page finds its own files and what was offered to it, and nothing else of this disk', async ({
  page,
}) => {
  let put: { id: string; clip: Buffer } | null = null;
  await using folder = await openFolder(undefined, async (rooms) => (put = await putVideo(rooms)));
  const { id = '', clip = Buffer.alloc(0) } = Object(put);
  await using app = await DesktopApp.start(folder);
  await app.lend(page);
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  await page.evaluate(
    (value) => window.postMessage({ channel: 'gatehouse:go', value }, location.origin),
    `/videos?video=${id}`,
  );
  const video = page.locator('video[controls]');
  await expect(video).toHaveJSProperty('duration', 4);
  const address = (await video.getAttribute('src')) ?? '';
  expect(address).toMatch(/^\/media\/[\w-]{43}$/u);

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
