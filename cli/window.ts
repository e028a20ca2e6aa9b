import { fileURLToPath } from 'node:url';
import { openWindowServer } from '../gateway/api/api.ts';
import type { WindowServer } from '../gateway/api/api.ts';
import { PortTaken } from '../gateway/gateway.ts';
import type { Gateway, Rooms } from '../gateway/gateway.ts';
import { readWhole } from './numbers.ts';
import { describePortHolder, nextFreePort } from '../hosting/port.ts';
import { CommandFailed } from './problem.ts';
import type { Shell } from './shell.ts';

const DEFAULT_PORT = 6418;

/** Where the window is to be. `chosen`: a person named the port, so no other will do. 0 for any free one. */
export interface WindowPort {
  readonly port: number;
  readonly chosen: boolean;
}

/** The port of the window: the flag, then GATEHOUSE_UI_PORT, then 6418. @throws UsageProblem */
export function readWindowPort(flag: string | undefined, setting: string | undefined): WindowPort {
  const text = flag ?? setting;
  if (text === undefined) return { port: DEFAULT_PORT, chosen: false };
  const name = flag === undefined ? 'GATEHOUSE_UI_PORT' : '--ui-port';
  return { port: readWhole(text, { name, from: 0, to: 65_535 }), chosen: true };
}

export interface WindowOptions {
  readonly at: WindowPort;
  readonly gateway: Gateway;
  readonly rooms: Rooms;
}

/** Opens the window's server; when the usual port is taken, at the next free one, and says so. @throws CommandFailed */
export async function openWindow(shell: Shell, options: WindowOptions): Promise<WindowServer> {
  const { at, gateway, rooms } = options;
  const { port } = at;
  try {
    return await openWindowServer({
      port,
      gateway,
      store: rooms.store,
      host: rooms.host,
      pageDir: pageDir(),
    });
  } catch (error) {
    if (!(error instanceof PortTaken)) throw error;
    const taken = `Port ${port} is used by ${await describePortHolder(port)}.`;
    const next = await nextFreePort(port);
    if (at.chosen || next === null) {
      throw new CommandFailed(
        `${taken} Choose another port for the window with --ui-port PORT or GATEHOUSE_UI_PORT, or start without it: --no-ui`,
      );
    }
    shell.terminal.complain(`${taken} The window is at port ${next} this time.`);
    return await openWindow(shell, { ...options, at: { port: next, chosen: false } });
  }
}

/** Where `npm run build:ui` puts the page: beside the bundle, and in `out/` when the sources run. */
function pageDir(): string {
  const folder = import.meta.url.endsWith('.ts') ? '../out/ui' : '../ui';
  return fileURLToPath(new URL(folder, import.meta.url));
}
