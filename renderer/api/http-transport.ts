import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { Client } from './client.ts';

/** The header that carries the window's token: a cookie alone never suffices, for all ports of 127.0.0.1 share it. */
const TOKEN_HEADER = 'x-gatehouse-window';

/** Calls over HTTP to the origin that the page came from. */
export function createHttpClient(origin: string, token: string): Client {
  return createORPCClient(
    new RPCLink({ url: new URL('/rpc', origin).href, headers: { [TOKEN_HEADER]: token } }),
  );
}
