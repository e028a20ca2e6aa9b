import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { RawConnection } from './raw-connection.ts';

/** A request as it reached a scripted upstream. */
export interface ArrivedRequest {
  /** The connection it came on; the test answers by writing to it. */
  readonly connection: RawConnection;
  /** Request line and header lines, without the empty line. */
  readonly head: string;
  /** The body as framed by `content-length`; empty for other bodies, which are not read. */
  readonly body: string;
}

/** A service that does nothing but what the test writes, byte for byte. */
export interface ScriptedUpstream extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Requests so far. */
  readonly arrivals: readonly ArrivedRequest[];
  /** The next request that nobody has taken yet. */
  next(): Promise<ArrivedRequest>;
}

export interface ScriptedUpstreamOptions {
  /** Any free port unless given. */
  readonly port?: number;
  /** Answers `GET /v1/models` by itself with these ids; such a request is no arrival then. */
  readonly models?: readonly string[];
  /** Passes the connections to the test as they are, unread. */
  readonly onConnection?: (socket: Socket) => void;
}

export async function openUpstream(
  options: ScriptedUpstreamOptions = {},
): Promise<ScriptedUpstream> {
  const arrivals: ArrivedRequest[] = [];
  const waiting: ((arrival: ArrivedRequest) => void)[] = [];
  const sockets = new Set<Socket>();
  let taken = 0;
  const { models } = options;
  const arrive = (arrival: ArrivedRequest): void => {
    if (models !== undefined && arrival.head.startsWith('GET /v1/models ')) {
      const data = models.map((id) => ({ id, object: 'model' }));
      arrival.connection.send(jsonAnswer(200, { object: 'list', data }));
      return;
    }
    arrivals.push(arrival);
    const first = waiting.shift();
    if (first === undefined) return;
    taken += 1;
    first(arrival);
  };
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (options.onConnection === undefined) void serveConnection(new RawConnection(socket), arrive);
    else options.onConnection(socket);
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    arrivals,
    next: async () => {
      const present = arrivals[taken];
      if (present === undefined) return await new Promise((resolve) => waiting.push(resolve));
      taken += 1;
      return present;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Reads the requests of one connection, one after the other. */
async function serveConnection(
  connection: RawConnection,
  arrive: (arrival: ArrivedRequest) => void,
): Promise<void> {
  for (;;) {
    const head = await connection.until('\r\n\r\n').catch(() => null);
    if (head === null) return;
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    const body = await connection.take(length).catch(() => null);
    if (body === null) return;
    arrive({ connection, head: head.slice(0, -4), body });
  }
}

/** Head of a streamed answer; its chunks follow. */
export const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
/** The end of a chunked body. */
export const LAST_CHUNK = '0\r\n\r\n';

/** Formats one chunk of a chunked body. Text is latin1. */
export function chunk(text: string | Buffer): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
}

/** A whole answer with a JSON body. */
export function jsonAnswer(status: number, body: object, headers: readonly string[] = []): string {
  const text = JSON.stringify(body);
  const lines = [...headers, 'content-type: application/json', `content-length: ${text.length}`];
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}
