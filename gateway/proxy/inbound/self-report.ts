import { isSameSecret } from '../../lib/same-secret.ts';
import { readRequestHead } from '../../http/request-head.ts';
import type { ClientRequest, ProxyContext } from '../context.ts';
import { extractCredentials } from '../repair/credentials.ts';
import { writeResponse } from '../response/send-problem.ts';
import { admit, allowOrigin } from './admit.ts';
import { findUncached } from './authenticate.ts';

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
  try {
    admit(readRequestHead(request), proxy.accessPolicy);
  } catch {
    return false;
  }
  const { found } = extractCredentials(request.rawHeaders, request.url ?? '/');
  const tokens = found.map(({ token }) => token);
  if (tokens.some((token) => isSameSecret(token, proxy.report.key))) return true;
  if (!withLocalKey) return false;
  const match = proxy.clients.find(tokens) ?? (await findUncached(tokens, proxy));
  return match !== null && !proxy.clients.hasExpired(match.client, proxy.now());
}
