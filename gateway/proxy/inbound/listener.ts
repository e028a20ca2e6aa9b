import { asksForWebSocket } from './admit.ts';
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
import { bindAddress, bindLoopback } from '../../lib/bind-server.ts';
import type { ClientRequest, Limits } from '../context.ts';
import { toOwnOrigin } from '../../http/request-head.ts';
import { CancelSource } from '../../http/cancel-signal.ts';
import { ClientDisconnectedError } from '../../http/errors.ts';
import { toFailureResponse } from '../response/send-problem.ts';
import { InFlightCounter } from './concurrency-limit.ts';
import { setTimeout as pause } from 'node:timers/promises';

export interface Listener {
  readonly port: number;
  /** Accepts no new connections and closes idle ones. Exchanges in flight go on. */
  stop(): void;
  /** Closes every connection and frees the port. */
  close(): Promise<void>;
}

export interface ListenerOptions {
  /** An address of this machine; left out for the loopback addresses. */
  readonly address?: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly limits: Limits;
  readonly onCall: (call: ClientRequest) => void;
  /** Is called for bytes that are no valid request. Returns headers for the answer. */
  readonly onMalformed: (problem: Problem) => readonly string[];
}

const MAX_HEADER_BYTES = 64 * 1024;
const KEEP_ALIVE_MS = 75_000;
/** Number of Node's checks for late heads within their timeout: every 5 seconds for 15 seconds. Node makes them without a connection, too. */
const HEAD_CHECKS = 3;

/** Listens on one address, or on 127.0.0.1 and, where the system has it, on ::1. @throws PortInUseError, PortAccessError */
async function openListener(options: ListenerOptions): Promise<Listener> {
  const create = () => createListenerServer(options);
  const { address } = options;
  const { port, servers, close } = await (address === undefined
    ? bindLoopback(create, options.port)
    : bindAddress(create, { address, port: options.port }));
  return {
    port,
    stop: () => {
      for (const server of servers) {
        server.close();
        server.closeIdleConnections();
      }
    },
    close,
  };
}

/** Returns the server options that close a connection whose head is late, at most a third of its timeout later. */
export function toHeadTimeoutOptions({ headMs }: Pick<Limits, 'headMs'>) {
  return { headersTimeout: headMs, connectionsCheckingInterval: Math.ceil(headMs / HEAD_CHECKS) };
}

function createListenerServer({ limits, onCall, onMalformed }: ListenerOptions): Server {
  const serverOptions: ServerOptions = {
    ...toHeadTimeoutOptions(limits),
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // We answer a missing Host with 421 and a message; Node's own answer is empty.
    requireHostHeader: false,
    // Any other upgrade is ignored (RFC 9110 section 7.8): Java clients send `Upgrade: h2c` by default.
    shouldUpgradeCallback: (request) => asksForWebSocket(request),
  };
  /** Open connections, each with its latest response. */
  const open = new Map<Duplex, ServerResponse | null>();
  const accept = (call: ClientRequest): void => {
    open.set(call.request.socket, call.response);
    onCall(call);
  };
  const server = createServer(serverOptions, (request, response) =>
    accept(createClientRequest(request, response)),
  );
  // The size of a head is limited. A limit on the number of fields would drop some silently.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => {
    open.set(socket, null);
    socket.once('close', () => open.delete(socket));
  });
  // Node's own method counts a connection as idle although its response is still being sent to a slow reader.
  server.closeIdleConnections = () => {
    for (const [socket, answer] of open) {
      if (answer?.writableFinished !== false) socket.destroy();
    }
  };
  // `100 Continue` is sent once the local key is known to be valid.
  server.on('checkContinue', (request, response) =>
    accept(createClientRequest(request, response, true)),
  );
  // Other expectations are ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) =>
    accept(createClientRequest(request, response)),
  );
  server.on('upgrade', (request, socket) => onCall(createRawClientRequest(request, socket)));
  server.on('connect', (request, socket) => onCall(createRawClientRequest(request, socket)));
  server.on('clientError', (error: ClientError, socket) => {
    const answer = open.get(socket) ?? null;
    const running = answer?.writableFinished === false;
    const isIncomplete = answer?.req.complete === false;
    if (((running || isIncomplete) && answer.headersSent) || !socket.writable) {
      // The refusal of a body that cannot be read is already written and must still be sent.
      if (isIncomplete && socket instanceof Socket) socket.destroySoon();
      else socket.destroy();
      return;
    }
    const problem =
      answer === null && isTls(error.rawPacket) && socket instanceof Socket
        ? tlsProblem(socket)
        : malformedProblem(error.code);
    // A failure in the middle of a request is recorded by its exchange.
    answerMalformed(socket, problem, running || isIncomplete ? [] : onMalformed(problem));
  });
  return server;
}

function createClientRequest(
  request: IncomingMessage,
  response: ServerResponse,
  waits = false,
): ClientRequest {
  const disconnected = new CancelSource();
  const closed = new Promise<void>((resolve) => {
    // Comes after the last byte was sent, too.
    response.on('close', () => {
      if (!response.writableFinished)
        disconnected.abort(new ClientDisconnectedError('The client disconnected.'));
      resolve();
    });
  });
  // A failed write means that the client left, which `close` reports.
  response.on('error', () => undefined);
  let waiting = waits;
  const sendContinue = (): void => {
    if (waiting) response.writeContinue();
    waiting = false;
  };
  return {
    request,
    response,
    signal: disconnected,
    sendContinue,
    isWaiting: () => waiting,
    closed,
  };
}

/** Wraps the bare socket that Node passes for upgrades and CONNECT. They are always refused, over HTTP. */
function createRawClientRequest(request: IncomingMessage, socket: Duplex): ClientRequest {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  socket.on('error', () => undefined);
  if (socket instanceof Socket) {
    response.assignSocket(socket);
    // The connection closes although the client may keep its half open.
    response.on('finish', () => socket.destroySoon());
  }
  return createClientRequest(request, response);
}

/** Node's error for bytes that are no valid request. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Whether a connection begins with a TLS handshake (RFC 8446 section 5.1: a record of type 22, version 3.x). */
function isTls(packet: Buffer | undefined): boolean {
  return packet?.[0] === 0x16 && packet[1] === 0x03;
}

function tlsProblem(socket: Socket): Problem {
  return new Problem(
    'https_not_supported',
    `This client used https://. Use ${toOwnOrigin(socket)}/v1.`,
  );
}

function malformedProblem(code = 'parse error'): Problem {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? new Problem('request_timeout', 'The headers of the request did not arrive in time.')
    : new Problem('malformed_request', `This is not a valid HTTP/1.1 request (${code}).`);
}

/** Writes the response to the socket: Node has no ServerResponse for a request that it could not parse. */
function answerMalformed(socket: Duplex, problem: Problem, headers: readonly string[]): void {
  const { status, body } = toFailureResponse(problem, null);
  socket.end(
    `HTTP/1.1 ${status} ${status === 408 ? 'Request Timeout' : 'Bad Request'}\r\n` +
      'content-type: application/json\r\nconnection: close\r\n' +
      headers.map((text, index) => text + (index % 2 === 0 ? ': ' : '\r\n')).join('') +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** A port that the proxy listens on. */
export interface PortListener {
  readonly port: number;
  /**
   * Accepts new connections for `graceMs` more, because clients may be connecting. Then closes every connection once no exchange
   * runs on it. Resolves when the last one is closed.
   */
  drain(graceMs: number): Promise<void>;
  /** Frees the port now. Exchanges in flight go on. */
  stopAccepting(): void;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

export interface PortListenerOptions extends Omit<ListenerOptions, 'onCall'> {
  /** Is called for each request, and calls `done` when the last byte of its response was sent. */
  readonly onCall: (call: ClientRequest, done: () => void) => void;
}

/** Opens a listener that can be retired while exchanges are in flight. @throws PortInUseError, PortAccessError */
export async function openPortListener(options: PortListenerOptions): Promise<PortListener> {
  const inFlight = new InFlightCounter();
  let retired = false;
  const listener = await openListener({
    ...options,
    onCall: (call) => {
      inFlight.add();
      options.onCall(call, () => {
        inFlight.remove();
        if (retired) listener.stop();
      });
    },
  });
  const stopAccepting = (): void => {
    retired = true;
    listener.stop();
  };
  return {
    port: listener.port,
    drain: async (graceMs) => {
      if (graceMs > 0) await pause(graceMs, undefined, { ref: false });
      stopAccepting();
      await inFlight.whenIdle();
      await listener.close();
    },
    stopAccepting,
    close: () => listener.close(),
  };
}
