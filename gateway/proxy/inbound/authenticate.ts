import type { IncomingMessage } from 'node:http';
import { Problem } from '../../../shared/problem.ts';
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

/** Finds the client by its local key, in whatever place and form it was sent. @throws Problem when there is no valid key. */
export async function authenticate(
  request: Pick<IncomingMessage, 'rawHeaders' | 'url'>,
  proxy: ProxyContext,
  inFlight: InFlightExchange,
): Promise<AuthenticatedRequest> {
  const extracted = extractCredentials(request.rawHeaders, request.url ?? '/');
  inFlight.pathReceived = extracted.target;
  const usable = proxy.strict ? extracted.found.filter(({ clean }) => clean) : extracted.found;
  const serviceKey = proxy.key.current();
  const serviceKeySent =
    serviceKey !== null && extracted.found.some(({ token }) => token === serviceKey);
  const tokens = usable.map(({ token }) => token);
  const match = proxy.clients.find(tokens) ?? (await findUncached(tokens, proxy));
  if (match === null) {
    if (serviceKeySent) {
      inFlight.addRepairs(
        credentialRepairs({
          found: extracted.found,
          chosen: undefined,
          serviceKeySent,
          protocol: null,
        }),
      );
    }
    throw noLocalKeyProblem(extracted, { usable: usable.length, serviceKeySent });
  }
  inFlight.client = match.client;
  const chosen = usable[match.index];
  return {
    headers: extracted.headers,
    target: extracted.target,
    credentialAdvice: (route) =>
      credentialRepairs({
        found: extracted.found,
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
}

function noLocalKeyProblem(
  { found, values }: ExtractedCredentials,
  checked: CheckedCredentials,
): Problem {
  if (checked.serviceKeySent) {
    return new Problem(
      'invalid_local_key',
      'This client sent the service key itself. Give it a local key instead (in the window under Clients, or with: gatehouse clients add NAME) and remove the service key from it.',
    );
  }
  if (values === 0) {
    return new Problem(
      'missing_local_key',
      'No local key was sent. Send one as "Authorization: Bearer gh-…". Create one in the window under Clients, or with: gatehouse clients add NAME',
    );
  }
  if (found.length === 0) {
    return new Problem(
      'malformed_local_key',
      'A credential was sent, but it contains no key. Send "Authorization: Bearer gh-…": the word Bearer, one space, and a local key of this client.',
    );
  }
  if (checked.usable === 0) {
    return new Problem(
      'malformed_local_key',
      'A key was sent in a format or place that the service does not accept, and repairs are off. Send it as "Authorization: Bearer gh-…", or as "x-api-key: gh-…" to /v1/messages.',
    );
  }
  return new Problem(
    'invalid_local_key',
    'This local key is unknown: it may be mistyped, incomplete or revoked. Create a new one in the window under Clients, or with: gatehouse clients add NAME',
  );
}
