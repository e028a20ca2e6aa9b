import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { SERVICE_KEY } from '../data/exchange.ts';
import { serveParent } from './serve-parent.ts';

// A service for videos: an order whose prompt is a number immediately becomes a video of that many bytes; any other renders forever.

const Order = z.object({ prompt: z.string() });
const films = new Map<string, number>();
let hash = createHash('sha256');
let polls = 0;
let port = 0;

const server = createServer((request, response) => {
  void serve(request, response);
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(request, 'end');
  const [, , resource, id = '', content] = (request.url ?? '').split('/');
  if (resource === 'films') return await sendFilm(response, films.get(id) ?? 0);
  if (request.headers.authorization !== `Bearer ${SERVICE_KEY}`) return answer(response, 401, {});
  if (resource !== 'videos') return answer(response, 404, {});
  if (request.method === 'POST') return takeOrder(response, Buffer.concat(chunks));
  if (!films.has(id)) return answer(response, 404, {});
  if (content !== undefined) {
    response.writeHead(302, { location: `http://127.0.0.1:${port}/v1/films/${id}` }).end();
    return;
  }
  polls += 1;
  answer(response, 200, { id, status: (films.get(id) ?? 0) > 0 ? 'completed' : 'queued' });
}

function takeOrder(response: ServerResponse, body: Buffer): void {
  const { prompt } = Order.parse(JSON.parse(body.toString()));
  const id = `task-${String(films.size).padStart(12, '0')}`;
  films.set(id, /^\d+$/u.test(prompt) ? Number(prompt) : 0);
  answer(response, 200, { id, status: 'queued' });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

const HEAD = Buffer.concat([
  box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2mp41')),
  box('moov', Buffer.alloc(8)),
]);
const LONG_HEAD_BYTES = 16;
const CHUNK = Buffer.alloc(1024 * 1024, 'film');

/** Creates a box of an MP4 (ISO/IEC 14496-12). */
function box(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** Creates bytes of this size with the structure of an MP4. */
async function sendFilm(response: ServerResponse, bytes: number): Promise<void> {
  hash = createHash('sha256');
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes });
  await pipeline(Readable.from(film(bytes)), response);
}

function* film(bytes: number): Generator<Buffer> {
  const rest = Buffer.alloc(LONG_HEAD_BYTES);
  rest.writeUInt32BE(1);
  rest.write('mdat', 4, 'latin1');
  rest.writeBigUInt64BE(BigInt(bytes - HEAD.length), 8);
  let remaining = bytes;
  for (const chunk of [HEAD, rest]) {
    remaining -= chunk.length;
    hash.update(chunk);
    yield chunk;
  }
  while (remaining > 0) {
    const chunk = CHUNK.subarray(0, Math.min(remaining, CHUNK.length));
    remaining -= chunk.length;
    hash.update(chunk);
    yield chunk;
  }
}

serveParent(
  {
    open: async () => {
      server.listen({ port: 0, host: '127.0.0.1' });
      await once(server, 'listening');
      const address = server.address();
      port = typeof address === 'object' && address !== null ? address.port : 0;
      return { port };
    },
    polls: () => Promise.resolve(polls),
    /** Returns the hash of the video that was sent last. */
    sha256: () => Promise.resolve(hash.copy().digest('hex')),
  },
  () => {
    server.closeAllConnections();
    return Promise.resolve();
  },
);
