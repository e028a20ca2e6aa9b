import { Problem } from '../../shared/problem.ts';
import type { Repair } from '../../shared/repair.ts';
import { isLoopback, isOwnAddress } from '../lib/loopback.ts';
import type { Connections } from './connections.ts';
import { UpstreamSendError, toUpstreamProblem } from '../proxy/response/failure.ts';
import { findHeader } from './headers.ts';
import { isPublicAddress, PrivateAddressError } from './public-address.ts';
import { createRepair } from '../proxy/repair/create-repair.ts';
import { type UpstreamResponse, type UpstreamRequest, send } from './send.ts';
import type { Caller } from '../proxy/service-limit/service-limit.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_HOPS = 5;
/** What may reach another origin than the service's: nothing that a client could have put a secret in. */
const SAFE_HEADERS = /^(?:accept(?:-.*)?|range|if-.*|user-agent|via)$/i;

export interface RedirectContext {
  readonly connections: Connections;
  /** The ports of this machine that we listen on: never a target. */
  readonly ownPorts: ReadonlySet<number>;
  readonly gone: AbortSignal;
  /** Gatehouse itself unless given. */
  readonly caller?: Caller;
}

/** The answer at the end of a chain of redirects, with what was done to get it. */
export interface RedirectResult {
  readonly incoming: UpstreamResponse;
  readonly repairs: readonly Repair[];
}

/**
 * Follows the redirect of `GET /v1/videos/{id}/content` for the client (spec section 4.8): the credentials stay with the service's
 * own origin, private targets are refused, and the chain is short. Throws Problem.
 */
export async function followRedirects(
  first: UpstreamResponse,
  asked: UpstreamRequest,
  situation: RedirectContext,
): Promise<RedirectResult> {
  return await follow(first, asked, { asked, situation });
}

/**
 * Asks for an address that an answer of the service names, by the same rules as for the target of a redirect. `asked`: a request to the
 * service, whose method and headers are taken as far as they may go there. Throws Problem.
 */
export async function openNamed(
  address: string,
  asked: UpstreamRequest,
  situation: RedirectContext,
): Promise<UpstreamResponse> {
  const outgoing = nextHop(address, asked, { asked, situation });
  const first = await sendHop(outgoing, asked.origin, situation);
  return (await follow(first, outgoing, { asked, situation })).incoming;
}

interface Chain {
  /** The request to the service at its beginning. */
  readonly asked: UpstreamRequest;
  readonly situation: RedirectContext;
}

async function follow(
  first: UpstreamResponse,
  from: UpstreamRequest,
  chain: Chain,
): Promise<RedirectResult> {
  const { asked, situation } = chain;
  let incoming = first;
  let outgoing = from;
  for (let hops = 0; REDIRECTS.has(incoming.status); hops += 1) {
    if (hops === MAX_HOPS) {
      incoming.body.discard();
      throw refused(`after ${MAX_HOPS} redirects there was still no file`);
    }
    const location = findHeader(incoming.headers, 'location');
    if (location === undefined) return { incoming, repairs: [] };
    incoming.body.discard();
    outgoing = nextHop(location, outgoing, chain);
    incoming = await sendHop(outgoing, asked.origin, situation);
  }
  return {
    incoming,
    repairs:
      outgoing === from ? [] : [createRepair('redirect-followed', 'redirect', outgoing.origin)],
  };
}

function nextHop(
  location: string,
  from: UpstreamRequest,
  { asked, situation }: Chain,
): UpstreamRequest {
  const url = URL.parse(location, from.origin + from.path);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw refused('its address is not an http or https address');
  }
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  if (isOwnAddress(url, situation.ownPorts)) throw isOwnRedirect();
  const named = !/^[\d.]+$|:/.test(host);
  const isPrivate = isLoopback(host) || (!named && !isPublicAddress(host));
  // The service's own origin was named by a person, wherever it is.
  const home = url.origin === asked.origin;
  if (!home && isPrivate && !situation.connections.privateAllowed) throw privateTarget(host);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: asked.method,
    headers: home ? asked.headers : keepSafeHeaders(asked.headers),
    body: null,
  };
}

function keepSafeHeaders(headers: readonly string[]): string[] {
  return headers.flatMap((name, index) =>
    index % 2 === 0 && SAFE_HEADERS.test(name) ? [name, headers[index + 1] ?? ''] : [],
  );
}

async function sendHop(
  outgoing: UpstreamRequest,
  home: string,
  { connections, ...sending }: RedirectContext,
): Promise<UpstreamResponse> {
  const dispatcher = outgoing.origin === home ? connections.service : connections.elsewhere;
  try {
    return await send(dispatcher, outgoing, sending);
  } catch (error) {
    if (!(error instanceof UpstreamSendError)) throw error;
    if (error.cause instanceof PrivateAddressError)
      throw privateTarget(new URL(outgoing.origin).hostname);
    if (error.cause instanceof Problem) {
      throw error.cause.code === 'loop_detected' ? isOwnRedirect() : error.cause;
    }
    const who = outgoing.origin === home ? 'service' : 'place of the redirect';
    throw toUpstreamProblem(error, outgoing.origin, who);
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
