import type { Server } from 'node:http';

/** Our port belongs to somebody else. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
  readonly port: number;

  constructor(port: number, options?: ErrorOptions) {
    super(`Port ${port} on 127.0.0.1 is already in use.`, options);
    this.port = port;
  }
}

/** The system lets this user not listen on a port. The message is for people. */
export class PortForbidden extends Error {
  override readonly name = 'PortForbidden';

  constructor(port: number, options?: ErrorOptions) {
    super(
      `This system does not let Gatehouse listen on port ${port}. Choose another one.`,
      options,
    );
  }
}

/** Listens and resolves with the port; 0 for any free one. Rejects with PortTaken, PortForbidden, or the system's error. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(asProblem(error, port)));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function asProblem(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE') return new PortTaken(port, { cause: error });
  return error.code === 'EACCES' ? new PortForbidden(port, { cause: error }) : error;
}

/** Ends every connection at once and frees the port. */
export function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
