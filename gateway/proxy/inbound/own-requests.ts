import type { IncomingMessage } from 'node:http';
import { readRequestHead } from '../../http/request-head.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { isSameSecret } from '../../lib/same-secret.ts';
import type { AccessPolicy, ClientRequest, ProxyContext } from '../context.ts';
import { extractCredentials } from '../repair/credentials.ts';
import { writeResponse } from '../response/send-problem.ts';
import { admit, allowOrigin } from './admit.ts';
import { findUncached } from './authenticate.ts';

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
  if (!isAdmitted(request, policy)) return false;
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

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** Whether a request asks for a report. */
export function asksForReport({ request }: ClientRequest): boolean {
  return request.method === 'GET' && (request.url === '/metrics' || request.url === '/status');
}

/** Serves a report to those who may read it. Returns false, and does nothing, for all others. */
export async function sendSelfReport(call: ClientRequest, proxy: ProxyContext): Promise<boolean> {
  const { request } = call;
  const { report } = proxy;
  const isMetrics = request.url === '/metrics';
  if (!(await mayRead(call, proxy, isMetrics))) return false;
  allowOrigin(call);
  const body = isMetrics ? report.metrics() : report.status();
  const headers = [
    'content-type',
    isMetrics ? TEXT : 'application/json',
    'cache-control',
    'no-store',
    'content-length',
    String(Buffer.byteLength(body)),
  ];
  await writeResponse(call, { status: 200, headers, body });
  return true;
}

async function mayRead(
  { request }: ClientRequest,
  proxy: ProxyContext,
  withLocalKey: boolean,
): Promise<boolean> {
  if (!isAdmitted(request, proxy.accessPolicy)) return false;
  const { found } = extractCredentials(request.rawHeaders, request.url ?? '/');
  const tokens = found.map(({ token }) => token);
  if (tokens.some((token) => isSameSecret(token, proxy.report.key))) return true;
  if (!withLocalKey) return false;
  const match = proxy.clients.find(tokens) ?? (await findUncached(tokens, proxy));
  return match !== null && !proxy.clients.hasExpired(match.client, proxy.now());
}

/** Whether a request is for the control channel. */
export function isControlCall({ request }: ClientRequest): boolean {
  return request.url?.startsWith('/control/') === true;
}

/** Serves a call of a command that holds the control key. Returns false, and does nothing, for all others. */
export async function serveControlCall(call: ClientRequest, proxy: ProxyContext): Promise<boolean> {
  const { handler } = proxy.control;
  if (handler === null || !mayControl(call, proxy)) return false;
  call.sendContinue();
  await handler(call.request, call.response);
  return true;
}

/**
 * Commands come from this machine, and send no `Origin` and no fetch metadata; every page of a browser does, whatever origins are
 * allowed for clients.
 */
function mayControl({ request }: ClientRequest, { accessPolicy, control }: ProxyContext): boolean {
  const { authorization = '' } = request.headers;
  const fromPage = request.headers['sec-fetch-site'] !== undefined;
  if (request.method !== 'POST' || fromPage) return false;
  if (!isLoopback(request.socket.localAddress ?? '')) return false;
  if (!isAdmitted(request, { ...accessPolicy, allowedOrigins: [] })) return false;
  return isSameSecret(authorization, `Bearer ${control.key}`);
}

/** Whether a request passes the access policy. The refusal of another one is answered and recorded as an exchange. */
function isAdmitted(request: IncomingMessage, policy: AccessPolicy): boolean {
  try {
    admit(readRequestHead(request), policy);
    return true;
  } catch {
    return false;
  }
}
