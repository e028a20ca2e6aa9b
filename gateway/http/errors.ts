import { Problem } from '../../shared/problem.ts';
import { describeConnectionFailure } from '../../shared/unreachable.ts';
import { errors } from '../lib/undici.ts';
import { ProxyError } from './tunnel.ts';

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
  // The service did answer when only the target of its redirect cannot be reached.
  const isService = sender === 'service';
  const unreachable = isService ? 'upstream_unreachable' : 'redirect_unreachable';
  if (cause instanceof ProxyError) {
    return new Problem(unreachable, `${cause.message} Nothing was sent.`, options);
  }
  // On an open connection the same codes mean that the network failed in the middle.
  const known = failure.nothingSent ? describeConnectionFailure(code || cause.message) : null;
  // A person chose the address of the service, but not that of a redirect's target.
  const advice = known !== null && isService ? ` ${known.advice}` : '';
  if (known !== null && (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')) {
    const message = `The ${sender} at ${origin} did not accept a connection in time.${advice}`;
    return new Problem(isService ? 'upstream_timeout' : 'redirect_unreachable', message, options);
  }
  if (cause instanceof errors.HTTPParserError || INVALID_ANSWER.has(code)) {
    const message = `The ${sender} at ${origin} sent an answer that is not valid HTTP (${cause.message}).`;
    return new Problem('upstream_invalid_answer', message, options);
  }
  if (known !== null) {
    const message = `Gatehouse could not reach the ${sender} at ${origin}. ${known.cause}${advice} Nothing was sent.`;
    return new Problem(unreachable, message, options);
  }
  return new Problem(
    'upstream_connection_lost',
    `The connection to the ${sender} at ${origin} was lost before its answer was complete. The request may have arrived, so Gatehouse did not repeat it.`,
    options,
  );
}

function innermost(failure: UpstreamSendError): Error {
  let error: Error = failure;
  while (error.cause instanceof Error) error = error.cause;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return error;
}
