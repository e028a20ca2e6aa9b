import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiContext } from '../procedures/base.ts';
import { handleCall } from './handle-call.ts';
import { setSecurityHeaders } from './http-responses.ts';

/** Timeout for receiving a call. */
const REQUEST_MS = 30_000;

/** Creates the handler of the control channel: the calls of the window, for commands whose key was checked. It never rejects. */
export function createControlHandler({ gateway, store, host, windowPort, stop }: ApiContext) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const context: ApiContext = {
      gateway,
      store,
      host,
      windowPort,
      ...(stop !== undefined && { stop: () => void response.once('close', stop) }),
    };
    setSecurityHeaders(response);
    const late = setTimeout(() => request.destroy(), REQUEST_MS);
    request.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late));
    try {
      await handleCall(request, response, { prefix: '/control', context });
    } catch (error) {
      // A caller that left gets no answer, and this is no fault.
      if (!response.closed && !request.destroyed) {
        host.log('error', 'A command got no response.', { reason: String(error) });
      }
      response.destroy();
    }
  };
}
