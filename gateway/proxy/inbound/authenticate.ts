import type { IncomingMessage } from 'node:http';
import { Problem } from '../../../shared/problem.ts';
import type { Client } from '../../../shared/client.ts';
import { formatDay, formatTimeOfDay } from '../../../shared/format.ts';
import { quoteForShell } from '../../../shared/shell-quote.ts';
import type { ClientMatch, RetiredKey } from '../../clients/clients.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import type { ProxyContext } from '../context.ts';
import {
  credentialRepairs,
  type ExtractedCredentials,
  extractCredentials,
} from '../repair/credentials.ts';
import type { Route } from '../route.ts';

/** A request of a known client, without its credentials. */
export interface AuthenticatedRequest {
  readonly headers: string[];
  readonly target: string;
  /** Returns the repairs of its credentials, which depend on its route. */
  credentialAdvice(route: Route): ReturnType<typeof credentialRepairs>;
}

/**
 * Finds the client by its local key, in whatever place and form it was sent. Returns a promise only for a key that is not known yet.
 * @throws Problem when there is no valid key.
 */
export function authenticate(
  request: Pick<IncomingMessage, 'rawHeaders' | 'url'>,
  proxy: ProxyContext,
  inFlight: InFlightExchange,
): AuthenticatedRequest | Promise<AuthenticatedRequest> {
  const extracted = extractCredentials(request.rawHeaders, request.url ?? '/');
  inFlight.pathReceived = extracted.target;
  const usable = selectUsable(extracted, proxy.strict);
  const serviceKey = proxy.key.current();
  const serviceKeySent =
    serviceKey !== null && extracted.found.some(({ token }) => token === serviceKey);
  const tokens = usable.map(({ token }) => token);
  const credentials = { extracted, usable, serviceKeySent, inFlight };
  const known = proxy.clients.find(tokens);
  if (known !== null) return toAuthenticated(known, credentials, proxy);
  return authenticateUncached(tokens, credentials, proxy);
}

/** Returns the credentials that may be compared. */
function selectUsable(
  { found }: Pick<ExtractedCredentials, 'found'>,
  strict: boolean,
): ExtractedCredentials['found'] {
  return strict ? found.filter(({ clean }) => clean) : found;
}

/**
 * Finds the client of a request once more, because it may have changed while the request waited for a person.
 * @throws Problem when the local key does not work any more
 */
export function authenticateAgain(
  { rawHeaders, url }: Pick<IncomingMessage, 'rawHeaders' | 'url'>,
  { clients, strict, command, now }: Pick<ProxyContext, 'clients' | 'strict' | 'command' | 'now'>,
  inFlight: InFlightExchange,
): void {
  const usable = selectUsable(extractCredentials(rawHeaders, url ?? '/'), strict);
  const match = clients.find(usable.map(({ token }) => token));
  if (match === null) {
    throw new Problem(
      'invalid_local_key',
      'The local key of this client was replaced or ended while its request waited for a person. Nothing was sent.',
    );
  }
  inFlight.client = match.client;
  if (clients.hasExpired(match.client, now())) throw expiredKeyProblem(match.client, command);
}

/** No closure may create the problem: its stack would keep what the closure sees, the whole head, while a refusal is delayed. */
async function authenticateUncached(
  tokens: readonly string[],
  credentials: RequestCredentials,
  proxy: ProxyContext,
): Promise<AuthenticatedRequest> {
  const match = await findUncached(tokens, proxy);
  if (match !== null) return toAuthenticated(match, credentials, proxy);
  const { extracted, usable, serviceKeySent, inFlight } = credentials;
  if (serviceKeySent) {
    const { found } = extracted;
    inFlight.addRepairs(
      credentialRepairs({ found, chosen: undefined, serviceKeySent, protocol: null }),
    );
  }
  const retired = proxy.clients.findRetired(tokens);
  if (retired !== null) {
    inFlight.client = retired.client;
    inFlight.keyRetired = true;
    throw retiredKeyProblem(retired, proxy.command);
  }
  throw noLocalKeyProblem(extracted, {
    usable: usable.length,
    serviceKeySent,
    command: proxy.command,
  });
}

/** The credentials of a request. */
interface RequestCredentials {
  readonly extracted: ExtractedCredentials;
  /** Those that may be compared. */
  readonly usable: ExtractedCredentials['found'];
  readonly serviceKeySent: boolean;
  readonly inFlight: InFlightExchange;
}

function toAuthenticated(
  match: ClientMatch,
  { extracted, usable, serviceKeySent, inFlight }: RequestCredentials,
  { clients, command }: Pick<ProxyContext, 'clients' | 'command'>,
): AuthenticatedRequest {
  inFlight.client = match.client;
  inFlight.project = match.project;
  // The time of the request is read already. A request that runs when its key expires is finished.
  if (clients.hasExpired(match.client, inFlight.startedAt))
    throw expiredKeyProblem(match.client, command);
  const { found, headers, target } = extracted;
  const chosen = usable[match.index];
  return {
    headers,
    target,
    credentialAdvice: (route) =>
      credentialRepairs({
        found,
        chosen,
        serviceKeySent,
        // The model list is for clients of every protocol, so the Messages way of sending a key is right there too.
        protocol: route.name === 'models' ? 'messages' : route.protocol,
      }),
  };
}

/** Reads the clients again. A store that cannot be read counts as no match, so that a wrong key is still refused as such. */
export async function findUncached(
  tokens: readonly string[],
  { clients, log }: Pick<ProxyContext, 'clients' | 'log'>,
): ReturnType<ProxyContext['clients']['findUncached']> {
  try {
    return await clients.findUncached(tokens);
  } catch (error) {
    log('warn', `The clients could not be read again: ${String(error)}`);
    return null;
  }
}

/** Facts about the credentials of a refused request. */
interface CheckedCredentials {
  /** Candidates that could be compared. */
  readonly usable: number;
  readonly serviceKeySent: boolean;
  /** The command of the command line for messages. */
  readonly command: string;
}

function expiredKeyProblem({ name, expiresAt }: Client, command: string): Problem {
  const at =
    expiresAt === null ? '' : ` on ${formatDay(expiresAt)} at ${formatTimeOfDay(expiresAt)}`;
  return new Problem(
    'expired_local_key',
    `The local key of "${name}" expired${at}. To use it again, change its expiry in the window under Clients, or with: ${command} clients expiry ${quoteForShell(name)} 30d`,
  );
}

function retiredKeyProblem({ client: { name }, at, cause }: RetiredKey, command: string): Problem {
  const time = `${formatDay(at)} at ${formatTimeOfDay(at)}`;
  const message = {
    replaced: `The local key of "${name}" was replaced by a new one on ${time}. Enter the new key in this program. If it is lost, create another in the window under Clients.`,
    revoked: `The local key of "${name}" was revoked on ${time}. If Gatehouse has connected this program, connect it again (in the window under Clients, or with: ${command} connect). Otherwise create a new key with: ${command} clients add ${quoteForShell(name)}`,
    ended: `The local key of "${name}" ended on ${time}. Start the program again with "${command} run", set its environment again with "${command} env", or connect it again in the window under Clients or with "${command} connect".`,
  }[cause];
  return new Problem('invalid_local_key', message);
}

function noLocalKeyProblem(
  { found, values }: ExtractedCredentials,
  { usable, serviceKeySent, command }: CheckedCredentials,
): Problem {
  if (serviceKeySent) {
    return new Problem(
      'invalid_local_key',
      `This client sent the service key itself. Give it a local key instead (in the window under Clients, or with: ${command} clients add NAME) and remove the service key from it.`,
    );
  }
  if (values === 0) {
    return new Problem(
      'missing_local_key',
      `No local key was sent. Send one as "Authorization: Bearer gh-…". Create one in the window under Clients, or with: ${command} clients add NAME`,
    );
  }
  if (found.length === 0) {
    return new Problem(
      'malformed_local_key',
      'A credential was sent, but it contains no key. Send "Authorization: Bearer gh-…": the word Bearer, one space, and a local key of this client.',
    );
  }
  if (usable === 0) {
    return new Problem(
      'malformed_local_key',
      'A key was sent in a format or place that the service does not accept, and repairs are off. Send it as "Authorization: Bearer gh-…", or as "x-api-key: gh-…" to /v1/messages.',
    );
  }
  return new Problem(
    'invalid_local_key',
    `This local key is unknown: it may be mistyped or incomplete. Create a new one in the window under Clients, or with: ${command} clients add NAME`,
  );
}
