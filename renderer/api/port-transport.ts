import { type ClientContext, type ClientLink, createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { Client } from './client.ts';
import type { DesktopCalls } from './desktop.ts';

/** Creates the transport to the engine of the desktop app, over a message port. */
export function createPortClient(): Client {
  return createORPCClient(new PortLink('gatehouse:engine'));
}

/** Creates the transport to the desktop app itself, over a message port. */
export function createDesktopClient(): DesktopCalls {
  return createORPCClient(new PortLink('gatehouse:desktop'));
}

/** Opens a port at the first call, and a new one at the next call after that has closed. Calls in progress then reject. */
class PortLink implements ClientLink<ClientContext> {
  /** The receiver of the port: the engine or the app. */
  readonly #side: 'gatehouse:engine' | 'gatehouse:desktop';
  #link: RPCLink<ClientContext> | null = null;

  constructor(side: 'gatehouse:engine' | 'gatehouse:desktop') {
    this.#side = side;
  }

  async call(...args: Parameters<ClientLink<ClientContext>['call']>): Promise<unknown> {
    this.#link ??= this.#open();
    return await this.#link.call(...args);
  }

  #open(): RPCLink<ClientContext> {
    const { port1, port2 } = new MessageChannel();
    const link = new RPCLink({ port: port1 });
    port1.addEventListener('close', () => {
      if (this.#link === link) this.#link = null;
    });
    port1.start();
    // The preload script transfers it to the main process.
    window.postMessage(this.#side, location.origin, [port2]);
    return link;
  }
}
