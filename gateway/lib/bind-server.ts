import type { Server } from 'node:http';

/** Another process uses our port. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
  readonly port: number;

  constructor(port: number, host: string, options?: ErrorOptions) {
    super(`Port ${port} on ${host} is already in use.`, options);
    this.port = port;
  }
}

/** The system does not allow this user to listen on a port. The message is for people. */
export class PortAccessError extends Error {
  override readonly name = 'PortAccessError';

  constructor(port: number, options?: ErrorOptions) {
    super(
      `This system does not let Gatehouse listen on port ${port}. Choose another one.`,
      options,
    );
  }
}

/** Servers that listen on the same port of this machine. */
export interface BoundServers {
  readonly port: number;
  readonly servers: readonly Server[];
  /** Closes every connection at once and frees the port. */
  close(this: void): Promise<void>;
}

/**
 * Listens on 127.0.0.1 and, where the system has it, on ::1; 0 picks a free port. Rejects with PortInUseError, PortAccessError, or the
 * system's error.
 */
export async function bindLoopback(create: () => Server, port: number): Promise<BoundServers> {
  const first = create();
  const boundPort = await bindServer(first, '127.0.0.1', port);
  const second = create();
  const hasSecond = await bindServer(second, '::1', boundPort).then(
    () => true,
    async (error: unknown) => {
      // A machine without ::1 is served on 127.0.0.1 only.
      if (!(error instanceof PortInUseError)) return false;
      await closeServer(first);
      throw error;
    },
  );
  const servers = hasSecond ? [first, second] : [first];
  const close = async () => {
    await Promise.all(servers.map(closeServer));
  };
  return { port: boundPort, servers, close };
}

/** Listens on one address of this machine. Rejects with PortInUseError, PortAccessError, or the system's error. */
export async function bindAddress(
  create: () => Server,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<BoundServers> {
  const server = create();
  const boundPort = await bindServer(server, address, port);
  return { port: boundPort, servers: [server], close: () => closeServer(server) };
}

function bindServer(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toPortError(error, port, host)));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function toPortError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === 'EADDRINUSE') return new PortInUseError(port, host, { cause: error });
  return error.code === 'EACCES' ? new PortAccessError(port, { cause: error }) : error;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
