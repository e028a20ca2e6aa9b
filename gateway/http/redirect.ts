import { Problem } from '../../shared/problem.ts';
import { isLoopback, isOwnAddress } from '../lib/loopback.ts';
import type { Connections } from './connections.ts';
import { UpstreamSendError, toUpstreamProblem } from './errors.ts';
import { findHeader } from './headers.ts';
import { isPublicAddress, PrivateAddressError } from './public-address.ts';
import { type Caller, type UpstreamResponse, type UpstreamRequest, send } from './send.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_HOPS = 5;
/** What may reach another origin than the service's: nothing that a client could have put a secret in. */
const SAFE_HEADERS = /^(?:accept(?:-.*)?|range|if-.*|user-agent|via)$/i;

export interface RedirectContext {
  readonly connections: Connections;
  /** The ports of this machine that we listen on: never a target. */
  readonly ownPorts: ReadonlySet<number>;
  readonly signal: AbortSignal;
  /** Gatehouse itself unless given. */
  readonly caller?: Caller;
}

/** The response at the end of a chain of redirects. */
export interface RedirectResult {
  readonly response: UpstreamResponse;
  /** Origin of the last redirect target; `null` when nothing was followed. */
  readonly redirectedTo: string | null;
}

/**
 * Follows the redirect of `GET /v1/videos/{id}/content` for the client (spec section 4.8): the credentials stay with the service's
 * own origin, private targets are refused, and the chain is short. Throws Problem.
 */
export async function followRedirects(
  first: UpstreamResponse,
  request: UpstreamRequest,
  context: RedirectContext,
): Promise<RedirectResult> {
  return await follow(first, request, { request, context });
}

/**
 * Asks for an address that an answer of the service names, by the same rules as for the target of a redirect. `request`: a request to the
 * service, whose method and headers are taken as far as they may go there. Throws Problem.
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
  /** The request to the service at its beginning. */
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
      throw refused(`after ${MAX_HOPS} redirects there was still no file`);
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
    throw refused('its address is not an http or https address');
  }
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  if (isOwnAddress(url, context.ownPorts)) throw isOwnRedirect();
  const named = !/^[\d.]+$|:/.test(host);
  const isPrivate = isLoopback(host) || (!named && !isPublicAddress(host));
  // The service's own origin was named by a person, wherever it is.
  const home = url.origin === request.origin;
  if (!home && isPrivate && !context.connections.privateAllowed) throw privateTarget(host);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: home ? request.headers : keepSafeHeaders(request.headers),
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
      throw privateTarget(new URL(hop.origin).hostname);
    if (error.cause instanceof Problem) {
      throw error.cause.code === 'loop_detected' ? isOwnRedirect() : error.cause;
    }
    const who = hop.origin === home ? 'service' : 'place of the redirect';
    throw toUpstreamProblem(error, hop.origin, who);
  }
}

function isOwnRedirect(): Problem {
  return refused('it leads back to Gatehouse');
}

function privateTarget(host: string): Problem {
  return refused(`"${host}" is an address of this machine or of a private network`);
}

function refused(why: string): Problem {
  return new Problem(
    'redirect_refused',
    `The service redirected to a place that Gatehouse does not fetch from: ${why}. Nothing was saved; ask the service about it.`,
  );
}
