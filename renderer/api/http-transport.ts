import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { Client } from './client.ts';

/** Header with the window's token: a cookie alone is not enough, because all ports of 127.0.0.1 share cookies. */
const TOKEN_HEADER = 'x-gatehouse-window';

/** Creates the HTTP transport to the origin of the page. */
export function createHttpClient(origin: string, token: string): Client {
  return createORPCClient(
    new RPCLink({ url: new URL('/rpc', origin).href, headers: { [TOKEN_HEADER]: token } }),
  );
}
