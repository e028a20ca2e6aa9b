import { isSameSecret } from '../../lib/same-secret.ts';
import { readRequestHead } from '../../http/request-head.ts';
import type { ClientRequest, ProxyContext } from '../context.ts';
import { admit } from './admit.ts';

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

/** Commands send no `Origin` and no fetch metadata; every page of a browser does, whatever origins are allowed for clients. */
function mayControl({ request }: ClientRequest, { accessPolicy, control }: ProxyContext): boolean {
  const { authorization = '' } = request.headers;
  const fromPage = request.headers['sec-fetch-site'] !== undefined;
  if (request.method !== 'POST' || fromPage) return false;
  try {
    admit(readRequestHead(request), { ...accessPolicy, allowedOrigins: [] });
  } catch {
    return false;
  }
  return isSameSecret(authorization, `Bearer ${control.key}`);
}
