import type { Server } from 'node:http';

/** Another process uses our port. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
  readonly port: number;

  constructor(port: number, options?: ErrorOptions) {
    super(`Port ${port} on 127.0.0.1 is already in use.`, options);
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

/**
 * Listens and resolves with the port; 0 picks a free one. Rejects with PortInUseError, PortAccessError, or the system's error.
 */
export function bindServer(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toPortError(error, port)));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function toPortError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE') return new PortInUseError(port, { cause: error });
  return error.code === 'EACCES' ? new PortAccessError(port, { cause: error }) : error;
}

/** Closes every connection at once and frees the port. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
