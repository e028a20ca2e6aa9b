import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { z } from 'zod';
import { pipeDelayed } from '../delayed-pipe.ts';
import { serveParent } from './serve-parent.ts';

// This TCP proxy makes a service of this machine as far away as the round trip says. The kernel of this machine completes the client's
// connection at once, so the first bytes of each connection are held for one more round trip, which is the time that connecting takes.

const Opening = z.object({ port: z.number(), roundTripMs: z.number() });
const servers: Server[] = [];

serveParent(
  {
    /** Opens one more port. */
    open: async (input) => {
      const { port, roundTripMs } = Opening.parse(input);
      const eachMs = roundTripMs / 2;
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
        const service = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
        pipeDelayed(client, service, { eachMs, firstMs: roundTripMs });
        pipeDelayed(service, client, { eachMs, firstMs: 0 });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      servers.push(server);
      const address = server.address();
      return { port: typeof address === 'object' && address !== null ? address.port : 0 };
    },
  },
  () => {
    for (const server of servers) server.close();
    return Promise.resolve();
  },
);
