import { type ClientContext, type ClientLink, createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { Client } from './client.ts';
import type { DesktopCalls } from './desktop.ts';

/** Calls to the engine of the desktop app, over a port. */
export function createPortClient(): Client {
  return createORPCClient(new PortLink('gatehouse:engine'));
}

/** Calls to the app around the window, over a port. */
export function createDesktopClient(): DesktopCalls {
  return createORPCClient(new PortLink('gatehouse:desktop'));
}

/** Makes a port at the first call, and another at the first one after that has closed. Calls on their way then reject. */
class PortLink implements ClientLink<ClientContext> {
  /** Whom the port leads to. */
  readonly #side: 'gatehouse:engine' | 'gatehouse:desktop';
  #link: RPCLink<ClientContext> | null = null;

  constructor(side: 'gatehouse:engine' | 'gatehouse:desktop') {
    this.#side = side;
  }

  async call(...asked: Parameters<ClientLink<ClientContext>['call']>): Promise<unknown> {
    this.#link ??= this.#open();
    return await this.#link.call(...asked);
  }

  #open(): RPCLink<ClientContext> {
    const { port1, port2 } = new MessageChannel();
    const link = new RPCLink({ port: port1 });
    port1.addEventListener('close', () => {
      if (this.#link === link) this.#link = null;
    });
    port1.start();
    // The preload hands it on to the main process.
    window.postMessage(this.#side, location.origin, [port2]);
    return link;
  }
}
