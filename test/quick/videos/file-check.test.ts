import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import {
  openVideoServiceTestBed,
  sha256,
  type VideoServiceTestBed,
  VIDEO_SERVICE_KEY,
} from '../../kit/videos/video-service-test-bed.ts';
import { openUpstream } from '../../kit/net/scripted-upstream.ts';

const FILE = Buffer.from('the bytes of an image');
const MARK = { bytes: FILE.length, sha256: sha256(FILE) };

/** Returns whether an address serves the file, as far as this test can tell. */
async function servesFile(
  { client, connection, signal }: VideoServiceTestBed,
  address: string,
): Promise<boolean> {
  return await client.givesFile({ connection, address, file: MARK, signal });
}

/** Starts a server that has a file. */
async function openFileServer(bytes: Buffer, status = 200) {
  const heads: string[] = [];
  const server = createServer((request, response) => {
    heads.push(request.rawHeaders.join('\n').toLowerCase());
    response.writeHead(status).end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/file`,
    origin: `http://127.0.0.1:${port}`,
    port,
    heads,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

test('a file is recognised by its bytes, and the key is sent to the origin of the service only', async () => {
  await using service = await openFileServer(FILE);
  await using server = await openFileServer(FILE);
  await using bench = await openVideoServiceTestBed({ url: service.origin });
  expect(await servesFile(bench, server.url)).toBe(true);
  expect(await servesFile(bench, service.url)).toBe(true);
  expect(server.heads.join()).not.toContain(VIDEO_SERVICE_KEY.toLowerCase());
  expect(service.heads.join()).toContain(VIDEO_SERVICE_KEY.toLowerCase());
});

test.each([
  ['another file', Buffer.from('the bytes of an imagE'), 200],
  ['a shorter one', FILE.subarray(1), 200],
  ['a longer one', Buffer.concat([FILE, FILE]), 200],
  ['nothing', Buffer.alloc(0), 200],
  ['the file as an error', FILE, 404],
])('%s is rejected', async (_name, bytes, status) => {
  await using server = await openFileServer(bytes, status);
  await using bench = await openVideoServiceTestBed({ url: server.origin });
  expect(await servesFile(bench, server.url)).toBe(false);
});

test('only as many bytes are read as the file has', async () => {
  await using upstream = await openUpstream();
  await using bench = await openVideoServiceTestBed({ url: upstream.url });
  const asked = servesFile(bench, `${upstream.url}/endless`);
  const { connection } = await upstream.next();
  connection.send(`HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n${'x'.repeat(1000)}`);
  expect(await asked).toBe(false);
  await connection.closed;
});

test.each(['ftp://127.0.0.1/x', 'http://127.0.0.1:{PORT}/', 'http://[bad/'])(
  'the address %s is not requested',
  async (address) => {
    await using server = await openFileServer(FILE);
    const ownPorts = new Set([server.port]);
    await using bench = await openVideoServiceTestBed({ url: 'http://127.0.0.1:9', ownPorts });
    expect(await servesFile(bench, address.replace('{PORT}', String(server.port)))).toBe(false);
    expect(server.heads).toEqual([]);
  },
);

test('no address on this machine is requested when the service is on the internet', async () => {
  await using server = await openFileServer(FILE);
  await using bench = await openVideoServiceTestBed({ url: 'https://models.example.com' });
  expect(await servesFile(bench, server.url)).toBe(false);
  expect(server.heads).toEqual([]);
});

test('an aborted check rejects', async () => {
  await using upstream = await openUpstream();
  await using bench = await openVideoServiceTestBed({ url: upstream.url });
  const leaving = new AbortController();
  const { client, connection } = bench;
  const address = `${upstream.url}/silent`;
  const asked = client.givesFile({ connection, address, file: MARK, signal: leaving.signal });
  await upstream.next();
  leaving.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});
