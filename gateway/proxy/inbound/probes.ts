import { allowOrigin, admit } from './admit.ts';
import type { AccessPolicy, ClientRequest } from '../context.ts';
import type { IncomingMessage } from 'node:http';
import { readRequestHead } from '../../http/request-head.ts';
import { writeResponse } from '../response/send-problem.ts';

/** Requests by which clients and monitors check that the server runs. They need no key and are not recorded. */
const PROBES: ReadonlySet<string> = new Set([
  'GET /',
  'HEAD /',
  'GET /health',
  'HEAD /health',
  'HEAD /api/hello',
]);

/** Whether a browser asks if a page of another origin may send a request (Fetch standard, CORS-preflight). */
function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Answers probes and preflights that the access policy allows. Returns false for everything that is an exchange. */
export function respondToProbe(call: ClientRequest, policy: AccessPolicy): boolean {
  const { request } = call;
  const preflight = isPreflight(request);
  if (!preflight && !PROBES.has(`${request.method} ${request.url}`)) return false;
  try {
    admit(readRequestHead(request), policy);
  } catch {
    // The refusal is answered and recorded as an exchange.
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

function preflightHeaders(request: IncomingMessage): string[] {
  const requested = request.headers['access-control-request-headers'];
  return [
    'access-control-allow-methods',
    'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers',
    requested ?? 'authorization, content-type',
    'access-control-max-age',
    '600',
  ];
}
