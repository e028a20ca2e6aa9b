import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import httpProxy from 'http-proxy';
import { z } from 'zod';
import { serveParent } from './serve-parent.ts';

// A plain http-proxy with keep-alive connections: no key check, no parsing of bodies, no history.

const server = createServer();

serveParent(
  {
    open: async (input) => {
      const { serviceUrl } = z.object({ serviceUrl: z.string() }).parse(input);
      const agent = new Agent({ keepAlive: true });
      const proxy = httpProxy.createProxyServer({ target: serviceUrl, agent });
      // The caller notices it: a request without an answer is not counted.
      proxy.on('error', (error) => process.stderr.write(`http-proxy: ${error.message}\n`));
      server.on('request', (request, response) => proxy.web(request, response));
      server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
      await once(server, 'listening');
      const address = server.address();
      return { port: typeof address === 'object' && address !== null ? address.port : 0 };
    },
  },
  () => {
    server.closeAllConnections();
    return Promise.resolve();
  },
);
