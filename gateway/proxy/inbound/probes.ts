import type { IncomingMessage } from 'node:http';
import { admit, type AccessPolicy } from './admit.ts';
import { readRequestHead } from '../../http/request-head.ts';
import type { ClientRequest } from '../context.ts';
import { writeResponse } from '../response/send-problem.ts';

/** What clients and monitors ask to see whether anybody is there. Answered here, without a key, and not recorded. */
const PROBES: ReadonlySet<string> = new Set([
  'GET /',
  'HEAD /',
  'GET /health',
  'HEAD /health',
  'HEAD /api/hello',
]);

/** A browser's question before a request of a page from an allowed origin (Fetch standard, CORS-preflight). */
function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Answers probes and preflights that pass the gate; false for everything that is an exchange. */
export function respondToProbe(call: ClientRequest, gate: AccessPolicy): boolean {
  const { request } = call;
  const preflight = isPreflight(request);
  if (!preflight && !PROBES.has(`${request.method} ${request.url}`)) return false;
  try {
    admit(readRequestHead(request), gate);
  } catch {
    // The gate's refusal is answered and recorded on the ordinary way.
    return false;
  }
  allowOrigin(call);
  const body = preflight ? '' : '{"status":"ok","service":"gatehouse"}';
  const headers = preflight
    ? preflightHeaders(request)
    : ['content-type', 'application/json', 'cache-control', 'no-store'];
  headers.push('content-length', String(body.length));
  void writeResponse(call, { status: preflight ? 204 : 200, headers, body });
  return true;
}

/** Lets a page of an allowed origin read the answer. To be called once the gate has let the origin pass. */
export function allowOrigin({ request, response }: ClientRequest): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', '*');
  response.setHeader('vary', 'origin');
}

function preflightHeaders(request: IncomingMessage): string[] {
  const asked = request.headers['access-control-request-headers'];
  return [
    'access-control-allow-methods',
    'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers',
    asked ?? 'authorization, content-type',
    'access-control-max-age',
    '600',
  ];
}
