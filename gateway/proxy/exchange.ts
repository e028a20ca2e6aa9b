import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Problem } from '../../shared/problem.ts';
import { admit } from './inbound/admit.ts';
import { readRequestHead } from '../http/request-head.ts';
import type { ClientRequest, ProxyContext, ExchangeContext } from './context.ts';
import { ClientDisconnectedError } from '../http/errors.ts';
import { sendResponse } from './response/send-response.ts';
import { InFlightExchange } from './in-flight-exchange.ts';
import { respondFromLocalVideo } from './videos/local-video-response.ts';
import { type AuthenticatedRequest, authenticate } from './inbound/authenticate.ts';
import { asksForWebSocket } from './inbound/listener.ts';
import { allowOrigin } from './inbound/probes.ts';
import { callUpstream } from './outbound/call-upstream.ts';
import { type Prepared, prepare } from './outbound/prepare.ts';
import { protocolHint, sendProblem } from './response/send-problem.ts';
import { type RepairedPath, repairPath } from './repair/path.ts';
import { checkTarget, formatTarget, parseTarget, type RequestTarget } from './repair/target.ts';
import { isOrder, findRoute, type ResolvedRoute } from './route.ts';
import type { UpstreamResponse, UpstreamRequest } from '../http/send.ts';
import { serviceCredentials } from '../keys/service-credentials.ts';
import { pausedProblem } from '../service-limit/limit-problems.ts';
import type { Release } from './inbound/wrong-key-throttle.ts';

/** One request's way through the gateway, top to bottom. Steps never call each other. Always recorded; rejects only when not even a refusal could be answered. */
export async function exchange(call: ClientRequest, proxy: ProxyContext): Promise<void> {
  const inFlight = createInFlightExchange(call, proxy);
  proxy.inFlightExchanges.add(inFlight);
  const memory = proxy.memory.open();
  const context = { call, proxy, inFlight, memory };
  let protocol = protocolHint(inFlight);
  let order = false;
  let prepared: Prepared | null = null;
  let upstreamResponse: UpstreamResponse | null = null;
  try {
    admit(readRequestHead(call.request), proxy.accessPolicy);
    allowOrigin(call);
    const turnedAway = proxy.rejectionReason();
    if (turnedAway !== null) throw turnedAway;
    const identified = await authenticate(call.request, proxy, inFlight);
    memory.assign(inFlight.client?.id ?? '');
    call.signal.throwIfAborted();
    refuseUpgrade(call.request);
    const located = resolveRoute(identified, context);
    proxy.onRunning();
    ({ protocol } = located.route);
    order = isOrder(located.route);
    upstreamResponse = await respondFromLocalVideo(located, context);
    if (upstreamResponse === null && proxy.paused()) throw pausedProblem();
    call.sendContinue();
    const { headers } = identified;
    const { route } = located;
    prepared = await prepare({ request: call.request, headers, route, proxy, inFlight, memory });
    upstreamResponse ??= await callUpstream(
      buildUpstreamRequest(prepared, located, context),
      { ...located, prepared },
      context,
    );
    await sendResponse(upstreamResponse, { ...context, route });
  } catch (error) {
    abortBodies(prepared, upstreamResponse);
    // Nothing is awaited before any other refusal: what follows the head may be what cannot be read.
    const release = isWrongKey(error) ? await delayWrongKey(context) : 'answer';
    if (error instanceof ClientDisconnectedError || call.signal.aborted)
      inFlight.endedBy = 'client';
    else if (release === 'end') endUnanswered(context);
    else await sendProblem(call, error, { proxy, inFlight, protocol, order });
  } finally {
    if (inFlight.endedBy === 'client' && proxy.abortSignal.aborted) attributeToGateway(inFlight);
    memory.release();
    proxy.inFlightExchanges.delete(inFlight);
    proxy.onRunning();
    // Who is not known is turned away before the path is looked at. Its beginning tells its route, and the rest may be long.
    if (inFlight.client === null) {
      const { path } = parseTarget(inFlight.truncate(inFlight.pathReceived));
      inFlight.route = findRoute(inFlight.method, path).name;
    }
    proxy.unknownCallers.count(inFlight);
    proxy.record(inFlight.toRecord(), inFlight.headerSnapshots);
  }
}

function isWrongKey(error: unknown): boolean {
  return error instanceof Problem && error.code === 'invalid_local_key';
}

/** Holds the refusal of a wrong local key back when there were many. It is not among the exchanges that are shown as running meanwhile. */
async function delayWrongKey({ call, proxy, inFlight }: ExchangeContext): Promise<Release> {
  if (!proxy.wrongKeys.count(inFlight.userAgent ?? '')) return 'answer';
  proxy.inFlightExchanges.delete(inFlight);
  dropHead(call.request, inFlight);
  return await proxy.wrongKeys.hold(call.signal);
}

/** Drops what a refusal does not need of a head, which may have 64 KiB: all but the two fields that tell of a body. */
function dropHead(request: IncomingMessage, inFlight: InFlightExchange): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  inFlight.shorten();
  request.url = '';
  request.rawHeaders = [];
  request.headers = {
    ...(length === undefined ? {} : { 'content-length': length }),
    ...(coding === undefined ? {} : { 'transfer-encoding': coding }),
  };
}

/** Ends the connection of a refusal that is not held any longer. */
function endUnanswered({ call, inFlight }: ExchangeContext): void {
  inFlight.errorCode = 'invalid_local_key';
  inFlight.errorMessage =
    'This local key is not known here. The connection was ended without an answer: too many refusals of wrong keys were held back, or Gatehouse was closing.';
  call.request.socket.destroy();
}

/** Whoever seems to leave while the gateway cuts its connections did not leave. */
function attributeToGateway(inFlight: InFlightExchange): void {
  inFlight.endedBy = 'gateway';
  inFlight.errorCode ??= 'shutting_down';
}

/** After a failure nobody reads the client's upload or the service's answer any more. */
function abortBodies(prepared: Prepared | null, upstreamResponse: UpstreamResponse | null): void {
  if (prepared?.body instanceof Readable) prepared.body.destroy();
  upstreamResponse?.body.abort(new ClientDisconnectedError('The answer could not be passed on.'));
}

function createInFlightExchange({ request }: ClientRequest, proxy: ProxyContext): InFlightExchange {
  const startedAt = proxy.now();
  return new InFlightExchange({
    id: proxy.ids.next(startedAt),
    startedAt,
    method: request.method ?? 'GET',
    // Until its credentials are removed, a query is not recorded.
    path: (request.url ?? '/').replace(/\?.*$/s, ''),
    userAgent: request.headers['user-agent'] ?? null,
    headers: request.rawHeaders,
    redact: proxy.redact,
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
  { call, proxy, inFlight }: ExchangeContext,
): ResolvedRoute {
  const base = `http://127.0.0.1:${call.request.socket.localPort}`;
  const received = parseTarget(identified.target);
  const { target, repairs } = proxy.strict
    ? checkStrictPath(received)
    : repairPath(inFlight.method, received, base);
  const route = findRoute(inFlight.method, target.path);
  inFlight.route = route.name;
  inFlight.addRepairs(repairs);
  inFlight.addRepairs(identified.credentialAdvice(route));
  return { target, route };
}

/** Takes a path as it is, for strict mode; it only has to be under `/v1`. @throws Problem */
function checkStrictPath(target: RequestTarget): RepairedPath {
  const { path } = target;
  checkTarget(target);
  if (path !== '/v1' && !path.startsWith('/v1/')) {
    throw new Problem(
      'unknown_path',
      `${path} is not under /v1, and repair is switched off (--strict).`,
    );
  }
  return { target, repairs: [] };
}

function buildUpstreamRequest(
  prepared: Prepared,
  located: ResolvedRoute,
  { proxy, inFlight }: ExchangeContext,
): UpstreamRequest {
  const { target, accessPolicy } = proxy;
  const path = target.basePath + formatTarget(located.target);
  inFlight.pathSent = path;
  inFlight.keySent = proxy.key.current();
  return {
    origin: target.origin,
    path,
    method: inFlight.method,
    headers: [
      ...prepared.headers,
      'via',
      `1.1 ${accessPolicy.via}`,
      ...serviceCredentials(proxy.key, located.route),
    ],
    body: prepared.body,
  };
}
