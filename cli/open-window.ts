import { fileURLToPath } from 'node:url';
import { openWindowServer, type WindowServer } from '../gateway/api/api.ts';
import { PortInUseError, type Gateway, type Repositories } from '../gateway/gateway.ts';
import { parseInteger } from './parse-numbers.ts';
import { describePortOwner, nextFreePort } from '../host/process/port-owner.ts';
import { CommandError } from './errors.ts';
import type { CommandContext } from './command-context.ts';

const DEFAULT_PORT = 6418;

/** The port of the window; 0 for any free one. `chosen`: a person named it, so no other port is used. */
export interface WindowPort {
  readonly port: number;
  readonly isExplicit: boolean;
}

/** Finds the port of the window: the flag, then GATEHOUSE_UI_PORT, then 6418. @throws UsageError */
export function parseWindowPort(flag: string | undefined, setting: string | undefined): WindowPort {
  const text = flag ?? setting;
  if (text === undefined) return { port: DEFAULT_PORT, isExplicit: false };
  const name = flag === undefined ? 'GATEHOUSE_UI_PORT' : '--ui-port';
  return { port: parseInteger(text, { name, from: 0, to: 65_535 }), isExplicit: true };
}

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
