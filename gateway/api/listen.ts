import { createServer, type ServerOptions } from 'node:http';
import type { RequestListener } from 'node:http';
import { end, listen, PortTaken } from '../listening.ts';

export interface ListenOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly server: ServerOptions;
  readonly onRequest: RequestListener;
}

/** Something that listens on the loopback addresses. */
export interface Listening {
  readonly port: number;
  /** Ends every connection at once and frees the port. */
  close(this: void): Promise<void>;
}

/** Listens on 127.0.0.1 and, where the system has it, on ::1. Rejects with PortTaken or PortForbidden. */
export async function listenOnLoopback(options: ListenOptions): Promise<Listening> {
  const make = () => createServer(options.server, options.onRequest);
  const servers = [make()];
  const close = async () => {
    await Promise.all(servers.map(end));
  };
  const port = await listen(servers[0] ?? make(), '127.0.0.1', options.port);
  const second = make();
  try {
    await listen(second, '::1', port);
    servers.push(second);
  } catch (error) {
    // A machine without ::1 does without.
    if (error instanceof PortTaken) {
      await close();
      throw error;
    }
  }
  return { port, close };
}
