import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { StreamWriter } from '../event-stream.ts';
import {
  ANSWER_BODY,
  CHAT_PATH,
  MAX_INSTANT_BYTES,
  MODELS_BODY,
  MODELS_PATH,
  SERVICE_KEY,
} from '../data/exchange.ts';
import { serveParent } from './serve-parent.ts';

// The service of the bench: answers immediately, streams events with time stamps, and reports the checksums of large bodies.

const StreamRequest = z.object({
  stream: z.literal(true),
  bench: z.object({ events: z.number(), everyMs: z.number() }),
});

/** Number of open streams, and its peak. */
const streams = { running: 0, peak: 0 };

/** Certificate and key (PEM) of a service that speaks TLS 1.3 only. */
const Opening = z.object({ tls: z.object({ cert: z.string(), key: z.string() }).optional() });

function isFar(input: unknown): boolean {
  return Opening.parse(input).tls !== undefined;
}

let server: Server | null = null;

function createService(input: unknown): Server {
  const { tls } = Opening.parse(input);
  if (tls === undefined) return createServer(onRequest);
  return createTlsServer({ ...tls, minVersion: 'TLSv1.3' }, onRequest);
}

function onRequest(request: IncomingMessage, response: ServerResponse): void {
  void serve(request, response);
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(request, 'end');
  const body = Buffer.concat(chunks);
  if (request.headers.authorization !== `Bearer ${SERVICE_KEY}`) return answer(response, 401, '{}');
  if (request.url === MODELS_PATH) return answer(response, 200, MODELS_BODY);
  if (request.url !== CHAT_PATH) return answer(response, 404, '{}');
  if (body.length > MAX_INSTANT_BYTES) {
    return answer(response, 200, JSON.stringify({ bytes: body.length, crc32: crc32(body) }));
  }
  const streamRequest = StreamRequest.safeParse(JSON.parse(body.toString()));
  if (streamRequest.success) stream(response, streamRequest.data.bench);
  else answer(response, 200, ANSWER_BODY);
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function stream(response: ServerResponse, plan: { events: number; everyMs: number }): void {
  const writer = new StreamWriter();
  streams.running += 1;
  streams.peak = Math.max(streams.peak, streams.running);
  let remaining = plan.events;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer = setInterval(() => {
    if (remaining > 0) response.write(writer.next());
    else response.end(writer.last());
    remaining -= 1;
  }, plan.everyMs);
  response.on('close', () => {
    clearInterval(timer);
    streams.running -= 1;
  });
  response.on('finish', () => clearInterval(timer));
}

serveParent(
  {
    open: async (input) => {
      server = createService(input);
      // The far service keeps connections open without saying so, as servers other than Node's do: a client is told nothing about when an
      // idle one ends.
      server.keepAliveTimeout = isFar(input) ? 0 : 300_000;
      server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
      await once(server, 'listening');
      const address = server.address();
      return { port: typeof address === 'object' && address !== null ? address.port : 0 };
    },
    'peak-streams': () => Promise.resolve(streams.peak),
  },
  () => {
    server?.closeAllConnections();
    return Promise.resolve();
  },
);
