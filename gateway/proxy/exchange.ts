import { refuseUpgrade, admit, allowOrigin } from './inbound/admit.ts';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Problem } from '../../shared/problem.ts';
import { readRequestHead, toOwnOrigin } from '../http/request-head.ts';
import type { ClientRequest, ProxyContext, ExchangeContext } from './context.ts';
import { ClientDisconnectedError } from '../http/errors.ts';
import { sendResponse } from './response/send-response.ts';
import { InFlightExchange } from './in-flight-exchange.ts';
import { respondFromLocalVideo } from './videos/local-video-response.ts';
import { type AuthenticatedRequest, authenticate } from './inbound/authenticate.ts';
import { callUpstream } from './outbound/call-upstream.ts';
import { prepare } from './outbound/prepare.ts';
import type { Prepared } from './outbound/preparation.ts';
import { settleSpend } from './settle-spend.ts';
import { sendProblem } from './response/send-problem.ts';
import { guessProtocol, isOrder, findRoute, readsVideo, type ResolvedRoute } from './route.ts';
import { type RepairedPath, repairPath } from './repair/path/path.ts';
import {
  checkTarget,
  formatTarget,
  parseTarget,
  type RequestTarget,
} from './repair/path/target.ts';
import type { UpstreamResponse, UpstreamRequest } from '../http/send.ts';
import { serviceCredentials } from '../keys/service-credentials.ts';
import type { Release } from './inbound/wrong-key-throttle.ts';

/**
 * Handles one request, step by step in this order; the steps do not call each other. The exchange is always recorded. Rejects only
 * when not even a problem could be sent. A step that need not wait returns a value instead of a promise, because thousands of
 * promises a second are a noticeable part of the work.
 */
export async function exchange(call: ClientRequest, proxy: ProxyContext): Promise<void> {
  const inFlight = createInFlightExchange(call, proxy);
  proxy.inFlightExchanges.add(inFlight);
  const memory = proxy.memory.open();
  const context = { call, proxy, inFlight, memory };
  const guessedProtocol = guessProtocol(inFlight);
  let resolved: ResolvedRoute | null = null;
  let prepared: Prepared | null = null;
  let upstreamResponse: UpstreamResponse | null = null;
  try {
    admit(readRequestHead(call.request), proxy.accessPolicy);
    allowOrigin(call);
    const rejection = proxy.rejectionReason();
    if (rejection !== null) throw rejection;
    const authenticating = authenticate(call.request, proxy, inFlight);
    const authenticated = authenticating instanceof Promise ? await authenticating : authenticating;
    memory.assign(inFlight.client?.id ?? '');
    inFlight.captured = proxy.bodies.capture(inFlight.client?.id ?? null);
    call.signal.throwIfAborted();
    refuseUpgrade(call.request);
    resolved = resolveRoute(authenticated, context);
    proxy.onRunning();
    if (readsVideo(resolved.route))
      upstreamResponse = await respondFromLocalVideo(resolved, context);
    if (upstreamResponse === null && proxy.pause.paused) throw proxy.pause.problem();
    call.sendContinue();
    const { headers } = authenticated;
    const { route } = resolved;
    prepared = await prepare({ ...call, headers, route, proxy, inFlight, memory });
    upstreamResponse ??= await callUpstream(
      buildUpstreamRequest(prepared, resolved, context),
      { ...resolved, prepared },
      context,
    );
    const sending = sendResponse(upstreamResponse, { ...context, route });
    if (sending instanceof Promise) await sending;
  } catch (error) {
    abortBodies(prepared, upstreamResponse);
    // No other refusal may wait here, because the bytes after the head may be invalid.
    const release = isWrongKey(error) ? await delayWrongKey(context) : 'answer';
    if (error instanceof ClientDisconnectedError || call.signal.aborted)
      inFlight.endedBy = 'client';
    else if (release === 'end') endUnanswered(context);
    else {
      const protocol = resolved === null ? guessedProtocol : resolved.route.protocol;
      const order = resolved !== null && isOrder(resolved.route);
      await sendProblem(call, error, { proxy, inFlight, protocol, order });
    }
  } finally {
    if (inFlight.endedBy === 'client' && proxy.abortSignal.aborted) attributeToGateway(inFlight);
    memory.release();
    proxy.inFlightExchanges.delete(inFlight);
    proxy.onRunning();
    // A request without a valid local key is refused before its route is found. The path may be long, so only its beginning is read.
    if (!inFlight.hasKnownKey) {
      const { path } = parseTarget(inFlight.truncate(inFlight.pathReceived));
      inFlight.route = findRoute(inFlight.method, path).name;
      proxy.unknownClients.count(inFlight);
    }
    record(context);
  }
}

/** Records an exchange with its cost, and keeps its bodies. */
function record({ proxy, inFlight }: ExchangeContext): void {
  try {
    settleSpend(inFlight, proxy);
  } catch (error) {
    inFlight.admission?.cancel();
    proxy.log('error', 'The cost of an exchange could not be computed.', { reason: String(error) });
  }
  proxy.latestAnswers.add(inFlight);
  // The history and the runs have the same duration.
  const endedAt = performance.now();
  if (inFlight.captured !== null) proxy.bodies.keep(inFlight.toFacts(endedAt), inFlight.captured);
  proxy.record(inFlight.toRecord(endedAt), inFlight.headerSnapshots);
  inFlight.endOpen?.(inFlight.cost !== null);
}

function isWrongKey(error: unknown): boolean {
  return error instanceof Problem && error.code === 'invalid_local_key';
}

/** Delays the refusal of a wrong local key when there were many. Meanwhile the exchange is not shown as running. */
async function delayWrongKey({ call, proxy, inFlight }: ExchangeContext): Promise<Release> {
  if (!proxy.wrongKeys.count(inFlight.userAgent ?? '')) return 'answer';
  proxy.inFlightExchanges.delete(inFlight);
  dropHead(call.request, inFlight);
  return await proxy.wrongKeys.delay(call.signal);
}

/** Drops the head of a request but for the two fields about its body: a head may have 64 KiB. */
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

/** Closes the connection of a refusal that is not delayed any longer. */
function endUnanswered({ call, inFlight }: ExchangeContext): void {
  inFlight.errorCode = 'invalid_local_key';
  inFlight.errorMessage =
    'This local key is not valid. The connection was closed without a response: too many refusals of wrong keys were delayed, or Gatehouse was closing.';
  call.request.socket.destroy();
}

/** Records a disconnect that our own shutdown caused as ended by the gateway. */
function attributeToGateway(inFlight: InFlightExchange): void {
  inFlight.endedBy = 'gateway';
  inFlight.errorCode ??= 'shutting_down';
}

/** Destroys the request body and the response body, which nobody reads after a failure. */
function abortBodies(prepared: Prepared | null, upstreamResponse: UpstreamResponse | null): void {
  if (prepared?.body instanceof Readable) prepared.body.destroy();
  upstreamResponse?.body.abort(new ClientDisconnectedError('The response could not be passed on.'));
}

function createInFlightExchange({ request }: ClientRequest, proxy: ProxyContext): InFlightExchange {
  const startedAt = proxy.now();
  return new InFlightExchange({
    id: proxy.ids.next(startedAt),
    startedAt,
    method: request.method ?? 'GET',
    service: proxy.service,
    // Until its credentials are removed, a query is not recorded.
    path: (request.url ?? '/').replace(/\?.*$/s, ''),
    userAgent: request.headers['user-agent'] ?? null,
    headers: request.rawHeaders,
    redact: proxy.redact,
  });
}

function resolveRoute(
  authenticated: AuthenticatedRequest,
  { call, proxy, inFlight }: ExchangeContext,
): ResolvedRoute {
  const base = toOwnOrigin(call.request.socket);
  const received = parseTarget(authenticated.target);
  const { target, repairs } = proxy.strict
    ? checkStrictPath(received)
    : repairPath(inFlight.method, received, base);
  const route = findRoute(inFlight.method, target.path);
  inFlight.route = route.name;
  inFlight.addRepairs(repairs);
  inFlight.addRepairs(authenticated.credentialAdvice(route));
  return { target, route };
}

/** Takes a path as it is, for strict mode; it only has to be under `/v1`. @throws Problem */
function checkStrictPath(target: RequestTarget): RepairedPath {
  const { path } = target;
  checkTarget(target);
  if (path !== '/v1' && !path.startsWith('/v1/')) {
    throw new Problem(
      'unknown_path',
      `${path} is not under /v1, and repairs are off: switch them on in Settings, or start Gatehouse without --strict.`,
    );
  }
  return { target, repairs: [] };
}

function buildUpstreamRequest(
  prepared: Prepared,
  resolved: ResolvedRoute,
  { proxy, inFlight }: ExchangeContext,
): UpstreamRequest {
  const { target, accessPolicy } = proxy;
  const path = target.basePath + formatTarget(resolved.target);
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
      ...serviceCredentials(proxy.key, resolved.route),
    ],
    body: prepared.body,
  };
}
