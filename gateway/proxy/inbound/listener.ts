import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Problem } from '../../../shared/problem.ts';
import { closeServer, bindServer, PortInUseError } from '../../lib/bind-server.ts';
import type { ClientRequest, Limits } from '../context.ts';
import { ClientDisconnectedError } from '../../http/errors.ts';
import { toFailureResponse } from '../response/failure-response.ts';

export interface Listener {
  readonly port: number;
  /** Takes no new connections and ends idle ones; running exchanges go on. */
  stop(): void;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

export interface ListenerOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly limits: Limits;
  readonly onCall: (call: ClientRequest) => void;
  /** Told of what is no request at all; gives the headers that mark its answer. */
  readonly onMalformed: (problem: Problem) => readonly string[];
}

const MAX_HEADER_BYTES = 64 * 1024;
const KEEP_ALIVE_MS = 75_000;
/** How often Node looks for heads that are late until the time of one is over: of 15 seconds, every second. */
const HEAD_LOOKS = 15;

/** Listens on 127.0.0.1 and, where the system has it, on ::1. Rejects with PortTaken or PortForbidden. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const first = createListenerServer(options);
  const port = await bindServer(first, '127.0.0.1', options.port);
  const second = createListenerServer(options);
  const servers = [first];
  try {
    await bindServer(second, '::1', port);
    servers.push(second);
  } catch (error) {
    if (error instanceof PortInUseError) {
      await closeServer(first);
      throw error;
    }
  }
  return {
    port,
    stop: () => {
      for (const server of servers) {
        server.close();
        server.closeIdleConnections();
      }
    },
    close: async () => {
      await Promise.all(servers.map(closeServer));
    },
  };
}

/** Options of a server that ends a connection whose head is not complete in time, at most a fifteenth of that time later. */
export function headLimit({ headMs }: Pick<Limits, 'headMs'>) {
  return { headersTimeout: headMs, connectionsCheckingInterval: Math.ceil(headMs / HEAD_LOOKS) };
}

function createListenerServer({ limits, onCall, onMalformed }: ListenerOptions): Server {
  const serverOptions: ServerOptions = {
    ...headLimit(limits),
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // A missing Host gets our own answer (421), not Node's empty one.
    requireHostHeader: false,
    // Anything but a WebSocket is answered as if nothing had been asked for (RFC 9110 section 7.8): Java sends `Upgrade: h2c` unasked.
    shouldUpgradeCallback: (request) => asksForWebSocket(request),
  };
  const answers = new WeakMap<Duplex, ServerResponse>();
  const take = (call: ClientRequest): void => {
    answers.set(call.request.socket, call.response);
    onCall(call);
  };
  const server = createServer(serverOptions, (request, response) =>
    take(createClientRequest(request, response)),
  );
  // The size of a head is limited; a limit on their number would drop fields silently.
  server.maxHeadersCount = 0;
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // Node's own takes a connection for idle once its answer was ended, though that may still be on its way to a slow reader.
  server.closeIdleConnections = () => {
    for (const socket of open) {
      if (answers.get(socket)?.writableFinished !== false) socket.destroy();
    }
  };
  // Told to go on only once its local key is known.
  server.on('checkContinue', (request, response) =>
    take(createClientRequest(request, response, true)),
  );
  // Expectations we do not know are left to the service, which does not see them (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) =>
    take(createClientRequest(request, response)),
  );
  server.on('upgrade', (request, socket) => onCall(rawCall(request, socket)));
  server.on('connect', (request, socket) => onCall(rawCall(request, socket)));
  server.on('clientError', (error: ClientError, socket) => {
    const answer = answers.get(socket);
    const running = answer?.writableFinished === false;
    const midway = answer?.req.complete === false;
    if (((running || midway) && answer.headersSent) || !socket.writable) {
      // The refusal of a body that cannot be read is written by then, and still goes out.
      if (midway && socket instanceof Socket) socket.destroySoon();
      else socket.destroy();
      return;
    }
    const problem =
      answer === undefined && isTls(error.rawPacket) && socket instanceof Socket
        ? spokenTls(socket)
        : malformed(error.code);
    // What goes wrong in the middle of a request belongs to its exchange, which has a record of its own.
    answerMalformed(socket, problem, running || midway ? [] : onMalformed(problem));
  });
  return server;
}

/** Whether a request asks to go on as a WebSocket. */
export function asksForWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase().includes('websocket') === true;
}

function createClientRequest(
  request: IncomingMessage,
  response: ServerResponse,
  waits = false,
): ClientRequest {
  const leaving = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) leaving.abort(new ClientDisconnectedError('The client left.'));
  });
  // A write that fails is a caller that left; 'close' tells.
  response.on('error', () => undefined);
  let waiting = waits;
  const goOn = (): void => {
    if (waiting) response.writeContinue();
    waiting = false;
  };
  return {
    request,
    response,
    signal: leaving.signal,
    sendContinue: goOn,
    isWaiting: () => waiting,
  };
}

/** Node hands over the bare socket for upgrades and CONNECT; we only ever refuse, in HTTP. */
function rawCall(request: IncomingMessage, socket: Duplex): ClientRequest {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  socket.on('error', () => undefined);
  if (socket instanceof Socket) {
    response.assignSocket(socket);
    // A client that keeps its half open must not keep the connection.
    response.on('finish', () => socket.destroySoon());
  }
  return createClientRequest(request, response);
}

/** What Node says of bytes that are no request. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Whether a connection begins with a TLS handshake (RFC 8446 section 5.1: a record of type 22, version 3.x). */
function isTls(packet: Buffer | undefined): boolean {
  return packet?.[0] === 0x16 && packet[1] === 0x03;
}

function spokenTls({ localPort }: Socket): Problem {
  return new Problem(
    'malformed_request',
    `A client speaks https to 127.0.0.1:${localPort}, where Gatehouse speaks http. Use http://127.0.0.1:${localPort} as its base address; nothing leaves this machine on that way.`,
  );
}

function malformed(code = 'parse error'): Problem {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? new Problem('request_timeout', 'The head of the request did not come in time.')
    : new Problem('malformed_request', `This is not a valid HTTP/1.1 request (${code}).`);
}

/** Answers by hand: where Node could not read a request, it has no reply to give. */
function answerMalformed(socket: Duplex, problem: Problem, marks: readonly string[]): void {
  const { status, body } = toFailureResponse(problem, null);
  socket.end(
    `HTTP/1.1 ${status} ${status === 408 ? 'Request Timeout' : 'Bad Request'}\r\n` +
      'content-type: application/json\r\nconnection: close\r\n' +
      marks.map((text, index) => text + (index % 2 === 0 ? ': ' : '\r\n')).join('') +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
