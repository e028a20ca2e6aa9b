import type { ServerResponse } from 'node:http';
import { Problem, type ProblemCode, PROBLEMS } from '../../../shared/problem.ts';
import type { TextProtocol } from '../../../shared/chat.ts';
import type { ClientRequest } from '../inbound/client-request.ts';
import { InFlightExchange } from '../in-flight-exchange.ts';
import { hasFaultyFraming, readRequestHead } from '../../http/request-head.ts';
import { toFailureResponse } from './failure-response.ts';
import type { ProxyContext } from '../context.ts';
import { gatehouseHeaders } from './gatehouse-headers.ts';
import { hasBody } from '../inbound/request-body.ts';

export interface ProblemContext {
  readonly parts: ProxyContext;
  readonly draft: InFlightExchange;
  readonly protocol: TextProtocol | null;
  /** See `isOrder`. */
  readonly order: boolean;
}

/** How long a client that is still sending is listened to, so that it can read why it was refused. */
const LINGER_MS = 2_000;

/** Headers that belong to one kind of refusal (RFC 9110 sections 11.6.1, 15.5.22, 10.2.3). */
const EXTRA_HEADERS: Partial<Record<ProblemCode, readonly string[]>> = {
  missing_local_key: ['www-authenticate', 'Bearer realm="Gatehouse"'],
  malformed_local_key: ['www-authenticate', 'Bearer realm="Gatehouse"'],
  invalid_local_key: ['www-authenticate', 'Bearer realm="Gatehouse"'],
  upgrade_not_supported: ['upgrade', 'HTTP/1.1'],
  too_many_exchanges: ['retry-after', '1'],
  shutting_down: ['retry-after', '5'],
  service_changed: ['retry-after', '1'],
  memory_full: ['retry-after', '2'],
  // A person ends it: often enough for a program that waits, seldom enough for a computer that is to be quiet.
  paused: ['retry-after', '10'],
};

/** Failures after which nobody knows whether the service took the request. */
const MAY_HAVE_ARRIVED: ReadonlySet<ProblemCode> = new Set([
  'upstream_connection_lost',
  'upstream_invalid_answer',
  'internal_error',
  'order_unsure',
]);

/** The official SDKs repeat a request after a 502 by themselves, unless told not to; a video would be made and paid twice (spec section 3, rule 5). */
const NO_RETRY = ['x-should-retry', 'false'];

/** Answers what could not be done, in the service's error shape; once the answer has begun, the connection is cut instead. */
export async function sendProblem(
  call: ClientRequest,
  error: unknown,
  refusal: ProblemContext,
): Promise<void> {
  const { draft, parts, protocol, order } = refusal;
  const problem = explained(
    error instanceof Problem ? error : toInternalError(error, parts),
    draft,
  );
  draft.errorCode = problem.code;
  draft.errorMessage = problem.message;
  draft.endedBy = blamesService(problem.code) ? 'service' : 'gateway';
  if (call.reply.headersSent) {
    call.reply.destroy();
    return;
  }
  const { status, body } = toFailureResponse(problem, protocol);
  draft.status = status;
  // Before the answer names its exchange.
  parts.unknownCallers.count(draft);
  draft.bytesOut = Buffer.byteLength(body);
  const headers = [
    'content-type',
    'application/json',
    'content-length',
    String(draft.bytesOut),
    ...(EXTRA_HEADERS[problem.code] ?? []),
    ...(problem.retryAfterS === null ? [] : ['retry-after', String(problem.retryAfterS)]),
    ...(order && MAY_HAVE_ARRIVED.has(problem.code) ? NO_RETRY : []),
    ...refusalMarks(draft, problem),
  ];
  draft.headerSnapshots.returned = headers;
  if (hasFaultyFraming(readRequestHead(call.request))) call.reply.shouldKeepAlive = false;
  await writeResponse(call, { status, headers, body });
}

function explained(problem: Problem, draft: InFlightExchange): Problem {
  const { code, message } = problem;
  return blamesService(code) ? new Problem(code, draft.withSleepHint(message)) : problem;
}

/** Records what could not be read as a request, and gives the headers that mark its answer. */
export function recordMalformed(problem: Problem, parts: ProxyContext): string[] {
  const startedAt = parts.now();
  const id = parts.ids.next(startedAt);
  const { redact } = parts;
  const nothing = { method: '', path: '', userAgent: null, headers: null };
  const draft = new InFlightExchange({ id, startedAt, redact, ...nothing });
  draft.errorCode = problem.code;
  draft.errorMessage = problem.message;
  draft.status = PROBLEMS[problem.code].status;
  parts.unknownCallers.count(draft);
  parts.record(draft.toRecord(), draft.headerSnapshots);
  return refusalMarks(draft, problem);
}

/** Tells our answers from those of the service, and why exactly they are refusals. */
function refusalMarks(draft: InFlightExchange, { code }: Problem): string[] {
  return ['x-gatehouse-error', code, ...gatehouseHeaders(draft)];
}

/** Sends an answer of our own; to a client that is still sending, it stays readable for a moment. */
export async function writeResponse(
  { request, reply, isWaiting }: Pick<ClientRequest, 'request' | 'reply' | 'isWaiting'>,
  { status, headers, body }: { status: number; headers: readonly string[]; body: string },
): Promise<void> {
  if (request.complete || !hasBody(request)) {
    reply.writeHead(status, [...headers]);
    reply.end(body);
    return;
  }
  reply.writeHead(status, [...headers, 'connection', 'close']);
  reply.write(body);
  if (!isWaiting()) await sendingEnds(request, reply);
  reply.end();
}

function sendingEnds(request: ClientRequest['request'], reply: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', done);
    reply.once('close', done);
    request.resume();
  });
}

/** The form of error that a path most likely wants, for refusals before its route is known. */
export function protocolHint({ pathReceived }: InFlightExchange): TextProtocol | null {
  return /\/messages(?:[/?]|$)/i.test(pathReceived) ? 'messages' : null;
}

function blamesService(code: ProblemCode): boolean {
  return code.startsWith('upstream_');
}

function toInternalError(error: unknown, parts: ProxyContext): Problem {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  parts.log('error', `An exchange failed in a way nobody planned for: ${parts.redact(text)}`);
  return new Problem(
    'internal_error',
    'Gatehouse itself failed at this request; its log says why. Whether the request reached the service is not known.',
  );
}
