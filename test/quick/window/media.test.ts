import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMediaRegistry, sendMedia } from '../../../gateway/api/http/media.ts';

const media = createMediaRegistry((size) => randomBytes(size));
const server = createServer((request, response) => {
  void sendMedia(request, response, { media, session: 'me' }).catch(() => response.destroy());
});
let folder = '';
let home = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-media-'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = addressOf();
  home = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

function addressOf(): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen.');
  return address;
}

async function showing(type: string, content: Buffer | string) {
  const path = join(folder, 'file');
  await writeFile(path, content);
  const file = { path, name: 'file', type, bytes: content.length };
  return home + media.issueUrl('me', file);
}

test.each([
  'image/svg+xml',
  'text/html',
  'application/xhtml+xml',
  'image/png\r\nx: y',
  'video/',
  '',
])('content that may hold a script is only downloaded, never shown: %j', async (type) => {
  const { headers } = await fetch(await showing(type, '<svg onload="alert(1)"/>'));
  expect(headers.get('content-type')).toBe('application/octet-stream');
  expect(headers.get('content-disposition')).toMatch(/^attachment/u);
});

test('a large video is sent completely and in order, and in the requested ranges', async () => {
  const content = randomBytes(3_000_000);
  const address = await showing('video/mp4', content);
  const whole = await fetch(address);
  expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
  const part = await fetch(address, { headers: { range: 'bytes=1000000-1999999' } });
  expect(part.headers.get('content-type')).toBe('video/mp4');
  const bytes = Buffer.from(await part.arrayBuffer());
  expect(bytes.equals(content.subarray(1_000_000, 2_000_000))).toBe(true);
});

test('a missing file is not found, and neither is a folder', async () => {
  const address = await showing('video/mp4', 'x');
  await rm(join(folder, 'file'));
  expect((await fetch(address)).status).toBe(404);
  const file = { path: folder, name: 'folder', type: 'video/mp4', bytes: 0 };
  expect((await fetch(home + media.issueUrl('me', file))).status).toBe(404);
});

test('an empty file is sent', async () => {
  const answer = await fetch(await showing('image/png', ''));
  expect([answer.status, await answer.text()]).toEqual([200, '']);
});
