import type { IncomingMessage } from 'node:http';
import { RefusalError } from './errors.ts';

const VERSION_HEADER = /^[a-z0-9]+-version$/;
const VERSION = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Authorizes a request by spec section 5, without any leniency, and returns its credential.
 * Every credential that the route accepts must be right; a wrong or missing one is refused with 401 `invalid_api_key`.
 */
export function admit(
  request: IncomingMessage,
  key: string,
  place: 'bearer' | 'bearer-or-x-api-key',
): string {
  const bearer = request.headersDistinct['authorization'] ?? [];
  const plain = place === 'bearer' ? [] : (request.headersDistinct['x-api-key'] ?? []);
  if (bearer.length === 0 && plain.length === 0) throw unauthorized('No API key was sent.');
  if (bearer.length > 1 || plain.length > 1) throw unauthorized('More than one API key was sent.');
  if (bearer[0] !== undefined && bearer[0] !== `Bearer ${key}`) {
    throw unauthorized(
      'The API key in the Authorization header is missing, malformed or not valid.',
    );
  }
  if (plain[0] !== undefined && plain[0] !== key) throw unauthorized('The API key is not valid.');
  if (place === 'bearer-or-x-api-key') requireVersion(request, bearer.length === 0);
  return key;
}

/** Checks that a version header has a date (spec section 9), and that there is one when the key is in x-api-key. */
function requireVersion(request: IncomingMessage, needed: boolean): void {
  const versions = Object.entries(request.headers).filter(([name]) => VERSION_HEADER.test(name));
  if (versions.length === 0 && needed) {
    throw unauthorized(
      'The header x-api-key needs a <vendor>-version header with a date beside it.',
    );
  }
  const wrong = versions.find(([, value]) => typeof value !== 'string' || !VERSION.test(value));
  if (wrong !== undefined) {
    throw unauthorized(`The header ${wrong[0]} carries no date of the form YYYY-MM-DD.`);
  }
}

function unauthorized(message: string): RefusalError {
  return new RefusalError({ status: 401, code: 'invalid_api_key', message });
}
