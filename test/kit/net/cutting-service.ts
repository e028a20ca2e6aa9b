import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Authority } from './authority.ts';
import { RawConnection } from './raw-connection.ts';

/** The two ways to end a connection: in order, and with a reset. */
export const CUTS = ['FIN', 'RST'] as const;
export type Cut = (typeof CUTS)[number];

/** A connection of a cutting service. */
export interface CutConnection extends RawConnection {
  /** All bytes that arrived so far. */
  readonly received: string;
  /** Ends the connection. */
  cut(how: Cut): void;
}

/** A service of raw sockets that the test answers and cuts, byte for byte. */
export interface CuttingService extends AsyncDisposable {
  readonly url: string;
  /** All connections so far, oldest first. */
  readonly connections: readonly CutConnection[];
  /** Returns the next connection that nobody has taken yet. */
  nextConnection(): Promise<CutConnection>;
  /** Returns how often this text arrived, on all connections. */
  count(text: string): number;
}

class CuttableConnection extends RawConnection implements CutConnection {
  received = '';
  readonly #tcp: Socket;

  constructor(socket: Socket, tcp: Socket) {
    super(socket);
    this.#tcp = tcp;
    socket.on('data', (bytes: Buffer) => (this.received += bytes.toString('latin1')));
  }

  cut(how: Cut): void {
    if (how === 'RST') this.#tcp.resetAndDestroy();
    else this.socket.end();
  }
}

/** Opens the service, with TLS if there is a certificate. It answers nothing by itself. */
export async function openCuttingService(tls?: Authority): Promise<CuttingService> {
  const connections: CuttableConnection[] = [];
  const waiting: ((connection: CuttableConnection) => void)[] = [];
  const sockets = new Set<Socket>();
  let taken = 0;
  const arrive = (socket: Socket): void => {
    const tcp = [...sockets].find(({ remotePort }) => remotePort === socket.remotePort);
    const connection = new CuttableConnection(socket, tcp ?? socket);
    connections.push(connection);
    const first = waiting.shift();
    if (first === undefined) return;
    taken += 1;
    first(connection);
  };
  const server: Server =
    tls === undefined
      ? createServer({ noDelay: true })
      : createTlsServer({ key: tls.key, cert: tls.cert }, arrive);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    if (tls === undefined) arrive(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    connections,
    nextConnection: async () => {
      const present = connections[taken];
      if (present === undefined) return await new Promise((resolve) => waiting.push(resolve));
      taken += 1;
      return present;
    },
    count: (text) =>
      connections.reduce((sum, { received }) => sum + received.split(text).length - 1, 0),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
