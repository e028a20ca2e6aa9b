import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiContext } from '../procedures/base.ts';
import { sendErrorBody, setSecurityHeaders } from './http-responses.ts';
import { readJsonBody } from './json-body.ts';

/** Timeout for receiving a call. */
const REQUEST_MS = 30_000;

/** Creates the handler of the control channel: the calls of the window, for commands whose key was checked. It never rejects. */
export function createControlHandler({ gateway, store, host, windowPort }: ApiContext) {
  const context: ApiContext = { gateway, store, host, windowPort };
  const handleCall = async (request: IncomingMessage, response: ServerResponse) => {
    setSecurityHeaders(response);
    const late = setTimeout(() => request.destroy(), REQUEST_MS);
    const body = await readJsonBody(request).finally(() => clearTimeout(late));
    if ('status' in body) {
      response.setHeader('connection', 'close');
      sendErrorBody(response, body.status, body.sentence);
      return;
    }
    // With a body in place the handler reads none, so the caller decides neither its size nor its type.
    const ready = Object.assign(request, { body: body.value ?? {} });
    const { rpcHandler } = await import('./rpc-handler.ts');
    const { matched } = await rpcHandler.handle(ready, response, { prefix: '/control', context });
    if (!matched) sendErrorBody(response, 404, 'This Gatehouse does not know this call.');
  };
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await handleCall(request, response).catch((error: unknown) => {
      // A caller that left gets no answer, and this is no fault.
      if (!response.closed && !request.destroyed) {
        host.log('error', 'A command got no response.', { reason: String(error) });
      }
      response.destroy();
    });
  };
}
