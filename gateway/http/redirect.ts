import { Problem } from '../../shared/problem.ts';
import { isLoopback, isOwnAddress } from '../lib/loopback.ts';
import type { CancelSignal } from './cancel-signal.ts';
import type { Connections } from './connections.ts';
import { UpstreamSendError, toUpstreamProblem } from './errors.ts';
import { findHeader } from './headers.ts';
import { isPublicAddress, PrivateAddressError } from './public-address.ts';
import { type Caller, type UpstreamResponse, type UpstreamRequest, send } from './send.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_HOPS = 5;
/** Headers that may be sent to another origin than the service's, because they hold no secrets. */
const SAFE_HEADERS = /^(?:accept(?:-.*)?|range|if-.*|user-agent|via)$/i;

export interface RedirectContext {
  readonly connections: Connections;
  /** Ports of this machine that we listen on, which are never a target. */
  readonly ownPorts: ReadonlySet<number>;
  readonly signal: CancelSignal;
  /** Defaults to Gatehouse itself. */
  readonly caller?: Caller;
}

/** The response at the end of a chain of redirects. */
export interface RedirectResult {
  readonly response: UpstreamResponse;
  /** Origin of the last redirect target; `null` when nothing was followed. */
  readonly redirectedTo: string | null;
}

/**
 * Follows the redirect of `GET /v1/videos/{id}/content` (spec section 4.8): credentials go to the service's own origin only, private
 * targets are refused, and at most five redirects are followed. @throws Problem
 */
export async function followRedirects(
  first: UpstreamResponse,
  request: UpstreamRequest,
  context: RedirectContext,
): Promise<RedirectResult> {
  return await follow(first, request, { request, context });
}

/**
 * Requests an address that an answer of the service names, by the same rules as the target of a redirect. `request` is a request to the
 * service; its method and its permitted headers are used. @throws Problem
 */
export async function openNamed(
  address: string,
  request: UpstreamRequest,
  context: RedirectContext,
): Promise<UpstreamResponse> {
  const hop = nextHop(address, request, { request, context });
  const first = await sendHop(hop, request.origin, context);
  return (await follow(first, hop, { request, context })).response;
}

interface Chain {
  /** The first request, to the service. */
  readonly request: UpstreamRequest;
  readonly context: RedirectContext;
}

async function follow(
  first: UpstreamResponse,
  from: UpstreamRequest,
  chain: Chain,
): Promise<RedirectResult> {
  const { request, context } = chain;
  let response = first;
  let hop = from;
  for (let hops = 0; REDIRECTS.has(response.status); hops += 1) {
    if (hops === MAX_HOPS) {
      response.body.discard();
      throw redirectProblem(`after ${MAX_HOPS} redirects there was still no file`);
    }
    const location = findHeader(response.headers, 'location');
    if (location === undefined) return { response, redirectedTo: null };
    response.body.discard();
    hop = nextHop(location, hop, chain);
    response = await sendHop(hop, request.origin, context);
  }
  return { response, redirectedTo: hop === from ? null : hop.origin };
}

function nextHop(
  location: string,
  from: UpstreamRequest,
  { request, context }: Chain,
): UpstreamRequest {
  const url = URL.parse(location, from.origin + from.path);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw redirectProblem('its address is not an http or https address');
  }
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  if (isOwnAddress(url, context.ownPorts)) throw ownRedirectProblem();
  const isName = !/^[\d.]+$|:/.test(host);
  const isPrivate = isLoopback(host) || (!isName && !isPublicAddress(host));
  // A person chose the service's own origin, so it may be private.
  const isHome = url.origin === request.origin;
  if (!isHome && isPrivate && !context.connections.privateAllowed) throw privateTargetProblem(host);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: isHome ? request.headers : keepSafeHeaders(request.headers),
    body: null,
  };
}

function keepSafeHeaders(headers: readonly string[]): string[] {
  return headers.flatMap((name, index) =>
    index % 2 === 0 && SAFE_HEADERS.test(name) ? [name, headers[index + 1] ?? ''] : [],
  );
}

async function sendHop(
  hop: UpstreamRequest,
  home: string,
  { connections, ...sending }: RedirectContext,
): Promise<UpstreamResponse> {
  const dispatcher = hop.origin === home ? connections.service : connections.elsewhere;
  try {
    return await send(dispatcher, hop, sending);
  } catch (error) {
    if (!(error instanceof UpstreamSendError)) throw error;
    if (error.cause instanceof PrivateAddressError)
      throw privateTargetProblem(new URL(hop.origin).hostname);
    if (error.cause instanceof Problem) {
      throw error.cause.code === 'loop_detected' ? ownRedirectProblem() : error.cause;
    }
    const sender = hop.origin === home ? 'service' : 'target of the redirect';
    throw toUpstreamProblem(error, hop.origin, sender);
  }
}

function ownRedirectProblem(): Problem {
  return redirectProblem('it leads back to Gatehouse');
}

function privateTargetProblem(host: string): Problem {
  return redirectProblem(`"${host}" is an address of this machine or of a private network`);
}

function redirectProblem(why: string): Problem {
  return new Problem(
    'redirect_refused',
    `The service redirected to an address that Gatehouse does not fetch: ${why}. Nothing was saved; ask the service about it.`,
  );
}
