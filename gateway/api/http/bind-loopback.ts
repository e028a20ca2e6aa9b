import { createServer, type ServerOptions, type RequestListener } from 'node:http';
import { closeServer, bindServer, PortInUseError } from '../../lib/bind-server.ts';

export interface BindLoopbackOptions {
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
  readonly server: ServerOptions;
  readonly onRequest: RequestListener;
}

/** A server on the loopback addresses. */
export interface LoopbackServer {
  readonly port: number;
  /** Closes every connection at once and frees the port. */
  close(this: void): Promise<void>;
}

/** Listens on 127.0.0.1 and, where the system supports it, on ::1. Rejects with PortInUseError or PortAccessError. */
export async function bindLoopback(options: BindLoopbackOptions): Promise<LoopbackServer> {
  const create = () => createServer(options.server, options.onRequest);
  const servers = [create()];
  const close = async () => {
    await Promise.all(servers.map(closeServer));
  };
  const port = await bindServer(servers[0] ?? create(), '127.0.0.1', options.port);
  const second = create();
  try {
    await bindServer(second, '::1', port);
    servers.push(second);
  } catch (error) {
    // A machine without ::1 is served on 127.0.0.1 only.
    if (error instanceof PortInUseError) {
      await close();
      throw error;
    }
  }
  return { port, close };
}
