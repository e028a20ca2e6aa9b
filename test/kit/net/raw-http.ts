import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An HTTP/1.1 answer, read byte for byte from a socket. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** The body as sent, without chunk framing. */
  readonly body: string;
  /** The whole answer as it came. */
  readonly raw: string;
}

/** Opens a connection to a local port. */
export async function dial(port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  return socket;
}

/** Sends exactly these bytes and reads until the connection ends. Ask for `connection: close`. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = await dial(port);
  socket.write(bytes);
  return await readAnswer(socket);
}

/** Reads until the connection ends. */
export async function readAnswer(socket: Socket): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return parseAnswer(Buffer.concat(chunks).toString('latin1'));
}

/** A request head and body as bytes, for a connection that closes afterwards. `lines` come after `Host`, as they are. */
export function composeRequest(request: {
  /** Method and target, such as `GET /v1/models`. */
  readonly ask: string;
  readonly port: number;
  readonly lines?: readonly string[];
  readonly body?: string | Buffer | undefined;
}): Buffer {
  const { ask, port, lines = [], body } = request;
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [
    `${ask} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: close',
    ...lines,
    ...length,
  ];
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1');
  return body === undefined ? bytes : Buffer.concat([bytes, Buffer.from(body)]);
}

/** Reads an answer from the bytes of a connection. The last of several headers with the same name counts. */
export function parseAnswer(raw: string): RawAnswer {
  const final = raw.replace(/^(?:HTTP\/1\.1 1\d\d[^]*?\r\n\r\n)+/, '');
  const end = final.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = final.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const rest = final.slice(end + 4);
  const body = headers.get('transfer-encoding') === 'chunked' ? unchunk(rest) : rest;
  return { status: Number(statusLine.split(' ')[1]), headers, body, raw };
}

function unchunk(text: string): string {
  let body = '';
  let at = 0;
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (lineEnd === -1 || !(size > 0)) return body;
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
}
