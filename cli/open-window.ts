import { fileURLToPath } from 'node:url';
import { openWindowServer, type WindowServer } from '../gateway/api/api.ts';
import { PortInUseError, type Gateway, type Repositories } from '../gateway/gateway.ts';
import { describePortOwner, nextFreePort } from '../host/process/port-owner.ts';
import { CommandError } from './errors.ts';
import type { CommandContext } from './command-context.ts';
import type { WindowPort } from './arguments/window-port.ts';

export interface WindowOptions {
  readonly at: WindowPort;
  readonly gateway: Gateway;
  readonly repositories: Repositories;
}

/** Opens the window's server; when the default port is in use, on the next free one, with a message. @throws CommandError */
export async function openWindow(
  context: CommandContext,
  options: WindowOptions,
): Promise<WindowServer> {
  const { at, gateway, repositories } = options;
  const { port } = at;
  try {
    return await openWindowServer({
      port,
      gateway,
      store: repositories.store,
      host: repositories.host,
      pageDir: findPageDir(),
    });
  } catch (error) {
    if (!(error instanceof PortInUseError)) throw error;
    const taken = `Port ${port} is used by ${await describePortOwner(port)}.`;
    const next = await nextFreePort(port);
    if (at.isExplicit || next === null) {
      throw new CommandError(
        `${taken} Choose another port for the window with --ui-port PORT or GATEHOUSE_UI_PORT, or start without it: --no-ui`,
      );
    }
    context.terminal.printError(`${taken} The window is at port ${next} this time.`);
    return await openWindow(context, { ...options, at: { port: next, isExplicit: false } });
  }
}

/** The folder in which `npm run build:ui` puts the page: beside the bundle, and in `out/` when the sources run. */
function findPageDir(): string {
  const folder = import.meta.url.endsWith('.ts') ? '../out/ui' : '../ui';
  return fileURLToPath(new URL(folder, import.meta.url));
}
