import { MessageChannel } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink as FetchLink } from '@orpc/client/fetch';
import { RPCLink as PortLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { createRouterClient } from '@orpc/server';
import { RPCHandler as PortHandler } from '@orpc/server/message-port';
import type { ApiContext } from '../../../gateway/api/api.ts';
import { router } from '../../../gateway/api/router.ts';
import type { Contract } from '../../../shared/contract.ts';
import type { WindowHarness } from '../../kit/gateway/window.ts';

export type Client = ContractRouterClient<Contract>;

/** A transport of calls to the router. */
export interface Transport {
  readonly name: string;
  connect(window: WindowHarness): Promise<Connection>;
}

export interface Connection {
  readonly client: Client;
  close(): void;
}

const contextOf = ({ harness, gateway, port }: WindowHarness): ApiContext => ({
  gateway,
  store: harness.repositories.store,
  host: harness.repositories.host,
  windowPort: port,
});

/** Transports: within one process, over HTTP as in a browser, and over a MessagePort as on the desktop. */
export const TRANSPORTS: readonly Transport[] = [
  {
    name: 'direct',
    connect: async (window) => ({
      client: createRouterClient(router, { context: contextOf(window) }),
      close: () => undefined,
    }),
  },
  {
    name: 'HTTP',
    connect: async (window) => {
      const { cookie, token } = await window.signIn();
      const headers = { cookie, 'x-gatehouse-window': token, origin: window.url };
      const link = new FetchLink({ url: `${window.url}/rpc`, headers });
      return { client: createORPCClient(link), close: () => undefined };
    },
  },
  {
    name: 'MessagePort',
    connect: async (window) => {
      const { port1, port2 } = new MessageChannel();
      new PortHandler(router).upgrade(port1, { context: contextOf(window) });
      port1.start();
      const client: Client = createORPCClient(new PortLink({ port: port2 }));
      port2.start();
      return { client, close: () => port2.close() };
    },
  },
];
