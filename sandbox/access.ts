import type { IncomingMessage } from 'node:http';
import { Refusal } from './errors.ts';

const VERSION_HEADER = /^[a-z0-9]+-version$/;
const VERSION = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Admits a request by spec section 5, without any leniency, and returns the credential it came with.
 * Every credential that counts on the route must be right; a wrong or missing one is refused with 401 `invalid_api_key`.
 */
export function admit(
  request: IncomingMessage,
  key: string,
  place: 'bearer' | 'bearer-or-x-api-key',
): string {
  const bearer = request.headersDistinct['authorization'] ?? [];
  const plain = place === 'bearer' ? [] : (request.headersDistinct['x-api-key'] ?? []);
  if (bearer.length === 0 && plain.length === 0) throw refused('No API key was sent.');
  if (bearer.length > 1 || plain.length > 1) throw refused('More than one API key was sent.');
  if (bearer[0] !== undefined && bearer[0] !== `Bearer ${key}`) {
    throw refused('The API key in the Authorization header is missing, malformed or not valid.');
  }
  if (plain[0] !== undefined && plain[0] !== key) throw refused('The API key is not valid.');
  if (bearer.length === 0 && !hasVersion(request)) {
    throw refused('The header x-api-key needs a <vendor>-version header with a date beside it.');
  }
  return key;
}

function hasVersion(request: IncomingMessage): boolean {
  return Object.entries(request.headers).some(
    ([name, value]) =>
      VERSION_HEADER.test(name) && typeof value === 'string' && VERSION.test(value),
  );
}

function refused(message: string): Refusal {
  return new Refusal({ status: 401, code: 'invalid_api_key', message });
}
