import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Problem } from '../../shared/problem.ts';
import { admit } from './inbound/admit.ts';
import { readRequestHead } from '../http/request-head.ts';
import { type ClientRequest } from './inbound/client-request.ts';
import { ClientDisconnectedError } from '../http/errors.ts';
import { sendResponse } from './response/send-response.ts';
import { InFlightExchange } from './in-flight-exchange.ts';
import { respondFromLocalVideo, type ResolvedRoute } from './videos/local-video-response.ts';
import { type AuthenticatedRequest, authenticate } from './inbound/authenticate.ts';
import { asksForWebSocket } from './inbound/listener.ts';
import { allowOrigin } from './inbound/probes.ts';
import { callUpstream } from './outbound/call-upstream.ts';
import type { ProxyContext } from './context.ts';
import { type Prepared, prepare } from './outbound/prepare.ts';
import { protocolHint, sendProblem } from './response/send-problem.ts';
import { repairPath } from './repair/path.ts';
import { isOrder, findRoute } from './route.ts';
import type { UpstreamResponse, UpstreamRequest } from '../http/send.ts';
import { serviceCredentials } from '../keys/service-credentials.ts';
import { parseStrictPath } from './inbound/strict-path.ts';
import { pausedProblem } from '../service-limit/limit-problems.ts';
import type { ExchangeContext } from './exchange-context.ts';
import type { Release } from './inbound/wrong-key-throttle.ts';

/** One request's way through the gateway, top to bottom. Steps never call each other. Always recorded; rejects only when not even a refusal could be answered. */
export async function exchange(call: ClientRequest, parts: ProxyContext): Promise<void> {
  const draft = createInFlightExchange(call, parts);
  parts.inFlightExchanges.add(draft);
  const memory = parts.memory.open();
  const work = { call, parts, draft, memory };
  let protocol = protocolHint(draft);
  let order = false;
  let prepared: Prepared | null = null;
  let incoming: UpstreamResponse | null = null;
  try {
    admit(readRequestHead(call.request), parts.accessPolicy);
    allowOrigin(call);
    const turnedAway = parts.rejectionReason();
    if (turnedAway !== null) throw turnedAway;
    const identified = await authenticate(call.request, parts, draft);
    memory.assign(draft.client?.id ?? '');
    call.gone.throwIfAborted();
    refuseUpgrade(call.request);
    const located = resolveRoute(identified, work);
    parts.onRunning();
    ({ protocol } = located.route);
    order = isOrder(located.route);
    incoming = await respondFromLocalVideo(located, work);
    if (incoming === null && parts.paused()) throw pausedProblem();
    call.sendContinue();
    const { headers } = identified;
    const { route } = located;
    prepared = await prepare({ request: call.request, headers, route, parts, draft, memory });
    incoming ??= await callUpstream(
      buildUpstreamRequest(prepared, located, work),
      { ...located, prepared },
      work,
    );
    await sendResponse(incoming, { ...work, route });
  } catch (error) {
    abortBodies(prepared, incoming);
    // Nothing is awaited before any other refusal: what follows the head may be what cannot be read.
    const release = isWrongKey(error) ? await delayWrongKey(work) : 'answer';
    if (error instanceof ClientDisconnectedError || call.gone.aborted) draft.endedBy = 'client';
    else if (release === 'end') endUnanswered(work);
    else await sendProblem(call, error, { parts, draft, protocol, order });
  } finally {
    if (draft.endedBy === 'client' && parts.abortSignal.aborted) attributeToGateway(draft);
    memory.release();
    parts.inFlightExchanges.delete(draft);
    parts.onRunning();
    // Who is not known is turned away before the path is looked at. Its beginning tells its route, and the rest may be long.
    if (draft.client === null) {
      draft.route = findRoute(draft.method, draft.truncate(draft.pathReceived)).name;
    }
    parts.unknownCallers.count(draft);
    parts.record(draft.toRecord(), draft.headerSnapshots);
  }
}

function isWrongKey(error: unknown): boolean {
  return error instanceof Problem && error.code === 'invalid_local_key';
}

/** Holds the refusal of a wrong local key back when there were many. It is not among the exchanges that are shown as running meanwhile. */
async function delayWrongKey({ call, parts, draft }: ExchangeContext): Promise<Release> {
  if (!parts.wrongKeys.count(draft.userAgent ?? '')) return 'answer';
  parts.inFlightExchanges.delete(draft);
  dropHead(call.request, draft);
  return await parts.wrongKeys.hold(call.gone);
}

/** Drops what a refusal does not need of a head, which may have 64 KiB: all but the two fields that tell of a body. */
function dropHead(request: IncomingMessage, draft: InFlightExchange): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  draft.shorten();
  request.url = '';
  request.rawHeaders = [];
  request.headers = {
    ...(length === undefined ? {} : { 'content-length': length }),
    ...(coding === undefined ? {} : { 'transfer-encoding': coding }),
  };
}

/** Ends the connection of a refusal that is not held any longer. */
function endUnanswered({ call, draft }: ExchangeContext): void {
  draft.errorCode = 'invalid_local_key';
  draft.errorMessage =
    'This local key is not known here. The connection was ended without an answer: too many refusals of wrong keys were held back, or Gatehouse was closing.';
  call.request.socket.destroy();
}

/** Whoever seems to leave while the gateway cuts its connections did not leave. */
function attributeToGateway(draft: InFlightExchange): void {
  draft.endedBy = 'gateway';
  draft.errorCode ??= 'shutting_down';
}

/** After a failure nobody reads the client's upload or the service's answer any more. */
function abortBodies(prepared: Prepared | null, incoming: UpstreamResponse | null): void {
  if (prepared?.body instanceof Readable) prepared.body.destroy();
  incoming?.body.abort(new ClientDisconnectedError('The answer could not be passed on.'));
}

function createInFlightExchange({ request }: ClientRequest, parts: ProxyContext): InFlightExchange {
  const startedAt = parts.now();
  return new InFlightExchange({
    id: parts.ids.next(startedAt),
    startedAt,
    method: request.method ?? 'GET',
    // Until its credentials are removed, a query is not recorded.
    path: (request.url ?? '/').replace(/\?.*$/s, ''),
    userAgent: request.headers['user-agent'] ?? null,
    headers: request.rawHeaders,
    redact: parts.redact,
  });
}

function refuseUpgrade(request: IncomingMessage): void {
  if (!asksForWebSocket(request)) return;
  throw new Problem(
    'upgrade_not_supported',
    'Gatehouse speaks HTTP here, not WebSocket. Send the same request with POST; for Codex, set supports_websockets = false for this provider.',
  );
}

function resolveRoute(
  identified: AuthenticatedRequest,
  { call, parts, draft }: ExchangeContext,
): ResolvedRoute {
  const base = `http://127.0.0.1:${call.request.socket.localPort}`;
  const { target, repairs } = parts.strict
    ? parseStrictPath(identified.target)
    : repairPath(draft.method, identified.target, base);
  const route = findRoute(draft.method, target);
  draft.route = route.name;
  draft.addRepairs(repairs);
  draft.addRepairs(identified.credentialAdvice(route));
  return { target, route };
}

function buildUpstreamRequest(
  prepared: Prepared,
  located: ResolvedRoute,
  { parts, draft }: ExchangeContext,
): UpstreamRequest {
  const { target, accessPolicy: gate } = parts;
  const path = target.basePath + located.target;
  draft.pathSent = path;
  draft.keySent = parts.key.current();
  return {
    origin: target.origin,
    path,
    method: draft.method,
    headers: [
      ...prepared.headers,
      'via',
      `1.1 ${gate.via}`,
      ...serviceCredentials(parts.key, located.route),
    ],
    body: prepared.body,
  };
}
