import { errors } from 'undici';
import { Problem } from '../../shared/problem.ts';
import { ProxyError } from './tunnel.ts';

/** Codes of network errors in which the service was not reached, with messages. */
const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: 'Nothing is listening at that address.',
  ENOTFOUND: 'Its host name could not be found.',
  EAI_AGAIN: 'The name lookup failed temporarily. Check your network.',
  ENETUNREACH: 'There is no route to its network. Check your connection.',
  EHOSTUNREACH: 'There is no route to its host. Check your connection.',
  CERT_HAS_EXPIRED: 'Its TLS certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its TLS certificate is self-signed and not trusted here.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'Its TLS certificate comes from an authority that is not trusted here.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its TLS certificate could not be verified.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Its TLS certificate could not be verified.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its TLS certificate belongs to another name.',
};

/** Advice for some of them, if the service itself was not reached: a person chose its address. */
const ADVICE: Record<string, string> = {
  ECONNREFUSED: ' Check the base address and whether the service is up.',
  ENOTFOUND: ' Check the base address and your network.',
};

/** Codes of errors in which the answer was not valid HTTP, besides those of the parser. */
const INVALID_ANSWER: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

/** The error of a request without a usable answer. */
export class UpstreamSendError extends Error {
  /** Whether no byte of the request can have reached the service, so that a retry is safe. */
  readonly nothingSent: boolean;

  constructor(cause: Error, nothingSent: boolean) {
    super(cause.message, { cause });
    this.name = 'UpstreamSendError';
    this.nothingSent = nothingSent;
  }
}

/** The client closed its connection before the answer was complete: nobody's failure. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}

/** Converts a send error, of the service or a redirect target, to a problem for the client. */
export function toUpstreamProblem(
  failure: UpstreamSendError,
  origin: string,
  sender: 'service' | 'target of the redirect' = 'service',
): Problem {
  const cause = innermost(failure);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const options = { cause: failure };
  if (cause instanceof ProxyError) {
    return new Problem('upstream_unreachable', `${cause.message} Nothing was sent.`, options);
  }
  // On an open connection the same codes mean that the network failed in the middle.
  const known = failure.nothingSent ? UNREACHABLE[code] : undefined;
  if (known !== undefined) {
    const advice = sender === 'service' ? (ADVICE[code] ?? '') : '';
    const message = `Gatehouse could not reach the ${sender} at ${origin}. ${known}${advice} Nothing was sent.`;
    return new Problem('upstream_unreachable', message, options);
  }
  if (failure.nothingSent && (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')) {
    const message = `The ${sender} at ${origin} did not accept a connection in time.`;
    return new Problem('upstream_timeout', message, options);
  }
  if (cause instanceof errors.HTTPParserError || INVALID_ANSWER.has(code)) {
    const message = `The ${sender} at ${origin} sent an answer that is not valid HTTP (${cause.message}).`;
    return new Problem('upstream_invalid_answer', message, options);
  }
  if (failure.nothingSent) {
    const message = `Gatehouse could not reach the ${sender} at ${origin} (${code || cause.message}). Nothing was sent.`;
    return new Problem('upstream_unreachable', message, options);
  }
  return new Problem(
    'upstream_connection_lost',
    `The connection to the ${sender} at ${origin} was lost before its answer was complete. The request may have arrived and may be charged, so Gatehouse did not repeat it.`,
    options,
  );
}

function innermost(failure: UpstreamSendError): Error {
  let error: Error = failure;
  while (error.cause instanceof Error) error = error.cause;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return error;
}
