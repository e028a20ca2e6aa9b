import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type Harness } from './harness.ts';

const MODELS = JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model' }] });

/** A service that counts its calls; requests for the model list do not count. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly calls: () => number;
}

/** Opens a service. `answer` gets each call with its number, 1 for the first. */
export async function openService(
  answer: (response: ServerResponse, call: number) => void,
  port = 0,
): Promise<Service> {
  let calls = 0;
  const take: RequestListener = (request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.url === '/v1/models') return response.end(MODELS);
      calls += 1;
      answer(response, calls);
    });
  };
  const server: Server = createServer(take);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    calls: () => calls,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function send429(response: ServerResponse, retryAfter?: string): void {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  response.writeHead(429, { 'content-type': 'application/json', ...headers });
  response.end('{"error":{"message":"Slow down.","type":"rate_limit_error","code":"rate_limit"}}');
}

export function send200(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}');
}

export async function readLoad(harness: Harness) {
  return (await harness.gateway.status()).load;
}
