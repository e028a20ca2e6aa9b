import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';

/** An HTTP proxy that opens tunnels and nothing else. It alone knows names that end in `.test` and the address 10.1.2.3: they are this machine. */
export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  /** `host:port` of the tunnels asked for, oldest first. */
  readonly asked: readonly string[];
  /** Resolves when one was asked for. */
  readonly used: Promise<void>;
}

/** `status`: what it answers instead of opening a tunnel. */
export async function openConnectProxy(status?: number): Promise<ConnectProxy> {
  const asked: string[] = [];
  const used = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  };
  const server = createServer();
  server.on('connection', keep);
  server.on('connect', (request, client) => {
    const target = request.url ?? '';
    asked.push(target);
    used.resolve();
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${target}`);
    const isHere = hostname.endsWith('.test') || hostname === '10.1.2.3';
    const known = isHere ? '127.0.0.1' : hostname.replaceAll(/[[\]]/g, '');
    const there = connect(Number(port), known, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.pipe(client).pipe(there);
    });
    keep(there);
    there.once('close', () => client.destroy());
    client.once('close', () => there.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    used: used.promise,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
