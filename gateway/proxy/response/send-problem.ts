import { isFree } from '../../../shared/money/charge.ts';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem, type ProblemCode, PROBLEMS, toWireCode } from '../../../shared/problem.ts';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import type { ClientRequest, ProxyContext } from '../context.ts';
import { InFlightExchange, gatehouseHeaders } from '../in-flight-exchange.ts';
import { hasFaultyFraming, readRequestHead } from '../../http/request-head.ts';
import { hasBody } from '../inbound/request-body.ts';

export interface ProblemContext {
  readonly proxy: ProxyContext;
  readonly inFlight: InFlightExchange;
  readonly protocol: TextProtocol | null;
  /** See `isOrder`. */
  readonly order: boolean;
}

/** A client that is still sending is read from for so long, so that it can read the response. */
const LINGER_MS = 2_000;

/** Additional headers of some problems (RFC 9110 sections 11.6.1, 15.5.22, 10.2.3). */
const EXTRA_HEADERS: Partial<Record<ProblemCode, readonly string[]>> = {
  missing_local_key: ['www-authenticate', 'Bearer realm="Gatehouse"'],
  malformed_local_key: ['www-authenticate', 'Bearer realm="Gatehouse"'],
  invalid_local_key: ['www-authenticate', 'Bearer realm="Gatehouse"'],
  expired_local_key: ['www-authenticate', 'Bearer realm="Gatehouse"'],
  // Official SDKs repeat it otherwise, and the allowance would not be back.
  local_limit_reached: ['x-should-retry', 'false'],
  local_model_refused: ['x-should-retry', 'false'],
  local_agent_stopped: ['x-should-retry', 'false'],
  local_request_refused: ['x-should-retry', 'false'],
  upgrade_not_supported: ['upgrade', 'HTTP/1.1'],
  too_many_exchanges: ['retry-after', '1'],
  shutting_down: ['retry-after', '5'],
  service_changed: ['retry-after', '1'],
  memory_full: ['retry-after', '2'],
  // A person ends the pause, so clients need not ask more often.
  paused: ['retry-after', '10'],
};

/** Problems whose usual status, 402 or 403, the clients of Responses repeat (RFC 9110 sections 15.5.3 and 15.5.4). */
const REPEATED: ReadonlySet<ProblemCode> = new Set([
  'local_limit_reached',
  'local_agent_stopped',
  'local_model_refused',
  'local_request_refused',
]);

/** Problems after which it is unknown whether the service got the request. */
const MAY_HAVE_ARRIVED: ReadonlySet<ProblemCode> = new Set([
  'upstream_connection_lost',
  'upstream_invalid_answer',
  'internal_error',
  'order_unsure',
]);

/** Stops the official SDKs from retrying after a 502: a video would be made and paid twice (spec section 3, rule 5). */
const NO_RETRY = ['x-should-retry', 'false'];

/** Sends a problem in the error shape of the service. Once a response has begun, the connection is cut instead. */
export async function sendProblem(
  call: ClientRequest,
  error: unknown,
  context: ProblemContext,
): Promise<void> {
  const { inFlight, proxy, protocol, order } = context;
  const problem = withHints(
    error instanceof Problem ? error : toInternalError(error, proxy),
    inFlight,
  );
  inFlight.errorCode = problem.code;
  inFlight.errorMessage = problem.message;
  inFlight.endedBy = blamesService(problem.code) ? 'service' : 'gateway';
  if (call.response.headersSent) {
    call.response.destroy();
    return;
  }
  const { status, body } = toFailureResponse(problem, protocol);
  inFlight.status = status;
  // Counting may replace the id that the response names.
  proxy.unknownClients.count(inFlight);
  inFlight.bytesOut = Buffer.byteLength(body);
  const headers = [
    'content-type',
    'application/json',
    'content-length',
    String(inFlight.bytesOut),
    ...(EXTRA_HEADERS[problem.code] ?? []),
    ...(problem.retryAfterS === null ? [] : ['retry-after', String(problem.retryAfterS)]),
    ...(order && MAY_HAVE_ARRIVED.has(problem.code) ? NO_RETRY : []),
    ...toErrorHeaders(inFlight, problem),
  ];
  inFlight.headerSnapshots.returned = headers;
  inFlight.captured
    ?.respond({ contentType: 'application/json', coding: null }, false)
    .push(Buffer.from(body));
  if (hasFaultyFraming(readRequestHead(call.request))) call.response.shouldKeepAlive = false;
  // Node marks a body whose last byte has just been read as complete later in this turn.
  if (hasReadBody(call.request, inFlight)) await nextTurn();
  await writeResponse(call, { status, headers, body });
}

function hasReadBody(
  { headers }: ClientRequest['request'],
  { bytesIn }: InFlightExchange,
): boolean {
  return bytesIn > 0 && bytesIn === Number(headers['content-length']);
}

/** Adds the likely charge, unless the sandbox was asked, and a sleep of the machine as the likely reason. */
function withHints(problem: Problem, inFlight: InFlightExchange): Problem {
  const { code, message } = problem;
  if (!blamesService(code)) return problem;
  const mayCost = code === 'upstream_connection_lost' && !isFree(inFlight.service);
  return new Problem(
    code,
    inFlight.withSleepHint(mayCost ? `${message} It may be charged.` : message),
  );
}

/** Records bytes that are no valid request. Returns the headers of the answer to them. */
export function recordMalformed(problem: Problem, proxy: ProxyContext): string[] {
  const startedAt = proxy.now();
  const id = proxy.ids.next(startedAt);
  const { redact, service } = proxy;
  const unknown = { service, method: '', path: '', userAgent: null, headers: null };
  const inFlight = new InFlightExchange({ id, startedAt, redact, ...unknown });
  inFlight.errorCode = problem.code;
  inFlight.errorMessage = problem.message;
  inFlight.status = PROBLEMS[problem.code].status;
  proxy.unknownClients.count(inFlight);
  proxy.record(inFlight.toRecord(), inFlight.headerSnapshots);
  return toErrorHeaders(inFlight, problem);
}

/** Returns headers that tell our errors from those of the service, with the exact code. */
function toErrorHeaders(inFlight: InFlightExchange, { code }: Problem): string[] {
  return ['x-gatehouse-error', code, ...gatehouseHeaders(inFlight)];
}

/** Sends a response of Gatehouse. A client that is still sending gets a moment to read it. */
export async function writeResponse(
  { request, response, isWaiting }: Pick<ClientRequest, 'request' | 'response' | 'isWaiting'>,
  { status, headers, body }: { status: number; headers: readonly string[]; body: string },
): Promise<void> {
  if (request.complete || !hasBody(request)) {
    response.writeHead(status, [...headers]);
    response.end(body);
    return;
  }
  response.writeHead(status, [...headers, 'connection', 'close']);
  response.write(body);
  if (!isWaiting()) await requestEnded(request, response);
  response.end();
}

function requestEnded(request: ClientRequest['request'], response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', done);
    response.once('close', done);
    request.resume();
  });
}

function blamesService(code: ProblemCode): boolean {
  return code.startsWith('upstream_');
}

function toInternalError(error: unknown, proxy: ProxyContext): Problem {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  proxy.log('error', `An exchange failed unexpectedly: ${proxy.redact(text)}`);
  return new Problem(
    'internal_error',
    'Gatehouse failed to handle this request; its log says why. It is not known whether the request reached the service.',
  );
}

/** An answer of our own: the service's error body (spec section 7); on Messages routes also `type: "error"`. */
export interface FailureResponse {
  readonly status: number;
  readonly body: string;
}

export function toFailureResponse(
  problem: Problem,
  protocol: TextProtocol | null,
): FailureResponse {
  const { status: usual, type } = PROBLEMS[problem.code];
  const status = protocol === 'responses' && REPEATED.has(problem.code) ? 400 : usual;
  const error = { message: problem.message, type, code: toWireCode(problem.code) };
  const body = protocol === 'messages' ? { type: 'error', error } : { error };
  return { status, body: JSON.stringify(body) };
}
