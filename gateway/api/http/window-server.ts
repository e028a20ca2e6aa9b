import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Gateway } from '../../gateway.ts';
import type { Host } from '../../host.ts';
import type { Store } from '../../store/store.ts';
import type { ApiContext } from '../procedures/base.ts';
import { handleCall } from './handle-call.ts';
import { WindowHttpHandler } from './window-http-handler.ts';
import { bindLoopback } from '../../lib/bind-server.ts';
import { createMediaRegistry } from './media.ts';
import { createPage } from './page.ts';
import { createSessions, createSignInLink } from './sessions.ts';
import { createSignIn } from './sign-in.ts';

export interface WindowServerOptions {
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
  readonly gateway: Gateway;
  readonly store: Store;
  readonly host: Host;
  /** Folder of the built page. */
  readonly pageDir: string;
  /** Timeout for receiving a request, in milliseconds; 30 s by default. */
  readonly requestMs?: number;
}

/** Serves the window to browsers of this machine, at its own port. */
export interface WindowServer {
  readonly port: number;
  /** Creates a link that opens the window once within 10 minutes. */
  createLink(): Promise<string>;
  /** Closes everything at once, streams included; waits at most a second for open calls. */
  close(): Promise<void>;
}

const REQUEST_MS = 30_000;
const MAX_HEADER_BYTES = 32 * 1024;
/** Number of connection checks within the request timeout: a late request is closed at most a sixth of it later. */
const TIMEOUT_CHECKS = 6;
const CLOSE_MS = 1_000;

/** Serves the page and the control API on the loopback addresses. Rejects with PortInUseError or PortAccessError. */
export async function openWindowServer(options: WindowServerOptions): Promise<WindowServer> {
  const { store, host, gateway, pageDir, requestMs = REQUEST_MS } = options;
  const { now, randomBytes, log } = host;
  const sessions = createSessions({ store, now, randomBytes });
  const media = createMediaRegistry(randomBytes);
  const desk = new WindowHttpHandler({
    call: async (request, response, session) => {
      const windowPort = request.socket.localPort ?? null;
      const context: ApiContext = {
        gateway,
        store,
        host,
        windowPort,
        media: (file) => media.issueUrl(session, file),
      };
      await handleCall(request, response, { prefix: '/rpc', context });
    },
    media,
    signIn: createSignIn({ sessions, now, command: host.command ?? 'gatehouse' }),
    page: createPage({ dir: pageDir, randomBytes }),
    proxyPort: gateway.port,
    onFault: (error) => log('error', 'The window got no response.', { reason: String(error) }),
  });
  const serverOptions = {
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: Math.ceil(requestMs / TIMEOUT_CHECKS),
    maxHeaderSize: MAX_HEADER_BYTES,
    // A missing Host gets our own answer (421), not Node's empty one.
    requireHostHeader: false,
  };
  const { port, close } = await bindLoopback(
    () => createServer(serverOptions, (request, response) => desk.handle(request, response)),
    options.port,
  );
  gateway.reservePort(port);
  return {
    port,
    createLink: () => createSignInLink({ store, now, randomBytes }, port),
    close: async () => {
      await close();
      await Promise.race([desk.whenIdle(), pause(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}
