import { once } from 'node:events';
import { openGateway, openRooms, PortTaken } from '../gateway/gateway.ts';
import type { WindowServer } from '../gateway/api/api.ts';
import type { Gateway, Rooms } from '../gateway/gateway.ts';
import type { LogLevel } from '../gateway/host.ts';
import type { SettingsInForce } from '../shared/settings.ts';
import { openBrowser } from './browser.ts';
import { banner } from './banner.ts';
import type { LocalKey } from './banner.ts';
import { openDataDir } from '../hosting/data-folder.ts';
import { counted } from './figures.ts';
import { openHost } from './host.ts';
import type { GuardedHost } from '../hosting/host.ts';
import { adviceFor } from './key-status.ts';
import { openLender } from './lender.ts';
import { announceService } from '../hosting/announce-service.ts';
import { processOf, takeLock } from '../hosting/lock.ts';
import type { Holder } from '../hosting/lock.ts';
import { describePortHolder, nextFreePort } from '../hosting/port.ts';
import { CommandFailed, UsageProblem } from './problem.ts';
import { confirmed } from './prompt.ts';
import { chooseService, keyWithoutService } from './service.ts';
import type { Service, ServiceFlags } from './service.ts';
import type { Shell } from './shell.ts';
import { listenForStop } from './stopping.ts';
import { openWindow } from './window.ts';
import type { WindowPort } from './window.ts';

/** What `gatehouse serve` was asked to do. */
export interface ServePlan {
  readonly version: string;
  /** For this run; that of the settings unless given. 0 for any free one. */
  readonly port?: number;
  readonly pinned: SettingsInForce['pinned'];
  /** `null`: no window. */
  readonly window: WindowPort | null;
  /** Opens it in the browser, too. */
  readonly openWindow: boolean;
  readonly sandbox: boolean;
  readonly strict: boolean;
  readonly allowedOrigins: readonly string[];
  readonly logLevel: LogLevel;
  readonly service: ServiceFlags;
  readonly dataFlag?: string;
  readonly thisRunKey?: string;
}

/** How long running exchanges may take to end after the first Ctrl-C. */
const DRAIN_MS = 60_000;

/** Runs the gateway until SIGINT, SIGTERM or SIGHUP, then lets running exchanges end. @throws CommandFailed, UsageProblem */
export async function serve(shell: Shell, plan: ServePlan): Promise<void> {
  const dataDir = await openDataDir(plan.dataFlag, shell.environment);
  const lock = await takeLock(dataDir);
  if (!('release' in lock)) {
    throw new CommandFailed(alreadyRunning(lock));
  }
  const { stop, onHurry } = listenForStop(shell.terminal, () => lock.release());
  try {
    const host = openHost(shell, { dataDir, logLevel: plan.logLevel });
    const { localKey: fixedLocalKey } = shell.settings;
    await using closing = new AsyncDisposableStack();
    const rooms = await openRooms({
      host,
      serves: true,
      ...(fixedLocalKey === undefined ? {} : { fixedLocalKey }),
    });
    closing.defer(async () => await rooms.close());
    const service = await startService(shell, rooms, plan);
    if (plan.pinned.upstream !== undefined) {
      lock.announce({ service: service?.baseUrl ?? 'sandbox' });
    }
    let window: WindowServer | null = null;
    const announce = (port: number): void =>
      lock.announce({ port, windowPort: window?.port ?? null });
    const onPort = (port: number): void => {
      try {
        announce(port);
      } catch (error) {
        host.log('warn', String(error));
      }
    };
    const opening = { plan, rooms, host, service, stop, onPort };
    const gateway = await openAtFreePort(shell, opening, firstPort(plan, rooms));
    closing.defer(async () => await gateway.close(DRAIN_MS));
    onHurry(async () => await gateway.close(0));
    window =
      plan.window === null ? null : await openWindow(shell, { at: plan.window, gateway, rooms });
    closing.defer(async () => await window?.close());
    announce(gateway.port);
    lock.announce({ reportKey: gateway.reportKey });
    closing.defer(await announceService(gateway, lock, host.log));
    const windowLink = (await window?.makeLink()) ?? null;
    await tell({ shell, plan, rooms, gateway, windowLink });
    if (plan.openWindow && windowLink !== null) await openBrowser(windowLink, shell.environment);
    if (!stop.aborted) await once(stop, 'abort');
    const running = gateway.running;
    shell.terminal.complain(
      running === 0
        ? 'Stopping.'
        : `Stopping when ${counted(running, 'running exchange')} ${running === 1 ? 'has' : 'have'} ended, at the latest in ${DRAIN_MS / 1_000} s. Ctrl-C again stops at once.`,
    );
  } finally {
    lock.release();
  }
}

function alreadyRunning(holder: Holder): string {
  const { port, runs } = holder;
  const who = processOf(holder);
  if (runs === 'video') {
    return `A command that waits for its videos runs Gatehouse on this data folder (${who}). Stop it with Ctrl-C and start again: no video is lost.`;
  }
  if (runs === 'desktop') {
    const where = port === null ? '' : ` at http://127.0.0.1:${port}`;
    return `The desktop app runs Gatehouse on this data folder (${who})${where}. Use its window, or quit it from its tray and start again.`;
  }
  return port === null
    ? `Gatehouse is already starting on this data folder (${who}).`
    : `Gatehouse is already running (${who}) at http://127.0.0.1:${port}.`;
}

function firstPort({ port }: ServePlan, { settings }: Rooms): number {
  return port ?? settings.current().port;
}

/** The service to begin with; `null` for the sandbox. @throws UsageProblem */
async function startService(shell: Shell, rooms: Rooms, plan: ServePlan): Promise<Service | null> {
  const service = plan.sandbox ? null : await chooseService(shell, rooms.upstreams, plan.service);
  if (service === null && plan.thisRunKey !== undefined) {
    throw new UsageProblem('--ask-key needs a service: add --upstream URL.');
  }
  return service;
}

interface Opening {
  readonly plan: ServePlan;
  readonly rooms: Rooms;
  readonly host: GuardedHost;
  readonly service: Service | null;
  readonly stop: AbortSignal;
  readonly onPort: (port: number) => void;
}

async function openAtFreePort(shell: Shell, opening: Opening, port: number): Promise<Gateway> {
  const { plan, rooms, host, service, onPort } = opening;
  const { thisRunKey, version, strict, pinned, allowedOrigins } = plan;
  const { vendor } = plan.service;
  try {
    return await openGateway({
      rooms,
      lender: openLender(shell, {
        host,
        service: service?.baseUrl ?? null,
        ports: { port, windowPort: plan.window?.port ?? null },
        onPort,
        ...(thisRunKey === undefined ? {} : { thisRunKey }),
      }),
      version,
      upstream:
        service === null
          ? 'sandbox'
          : {
              baseUrl: service.baseUrl,
              ...(vendor === undefined ? {} : { versionVendor: service.vendor }),
            },
      port,
      strict,
      pinned,
      allowedOrigins,
    });
  } catch (error) {
    if (!(error instanceof PortTaken)) {
      throw error;
    }
    return await openAtFreePort(shell, opening, await askForOtherPort(shell, opening.stop, port));
  }
}

async function askForOtherPort(
  { terminal, args, command }: Shell,
  stop: AbortSignal,
  port: number,
): Promise<number> {
  const taken = `Port ${port} is used by ${await describePortHolder(port)}.`;
  const next = await nextFreePort(port);
  if (next === null) {
    throw new CommandFailed(`${taken} Choose another one: ${command} serve --port PORT`);
  }
  if (terminal.interactive && (await confirmed(`${taken} Use port ${next} instead?`, stop))) {
    return next;
  }
  if (stop.aborted) {
    throw new CommandFailed('Stopped before Gatehouse was running.');
  }
  throw new CommandFailed(`${taken} Port ${next} is free:\n  ${command} ${withPort(args, next)}`);
}

/** The same command line with another port, to be pasted. */
function withPort(args: readonly string[], port: number): string {
  const kept = args.filter(
    (arg, index) => !/^--port(?:=|$)/u.test(arg) && args[index - 1] !== '--port',
  );
  const quoted = kept.map((arg) => (/^[\w./:=@,-]+$/u.test(arg) ? arg : JSON.stringify(arg)));
  return [...quoted, '--port', port].join(' ');
}

interface Running {
  readonly shell: Shell;
  readonly plan: ServePlan;
  readonly rooms: Rooms;
  readonly gateway: Gateway;
  readonly windowLink: string | null;
}

async function tell({ shell, plan, rooms, gateway, windowLink }: Running): Promise<void> {
  const { terminal, settings } = shell;
  const { upstream, key, repairs } = await gateway.status();
  const model = upstream.kind === 'sandbox' ? await firstModel(gateway) : undefined;
  const lonely = upstream.kind === 'sandbox' && !plan.sandbox ? keyWithoutService(shell) : null;
  const lines = banner(
    {
      version: plan.version,
      command: shell.command,
      strict: !repairs,
      warning: lonely ?? '',
      port: gateway.port,
      window: windowLink,
      service: upstream.kind === 'sandbox' ? null : upstream.baseUrl,
      key,
      keyAdvice: adviceFor(key.name, shell.command),
      localKey: await readyLocalKey(rooms, settings.localKey),
      ...(model === undefined ? {} : { model }),
    },
    terminal,
  );
  terminal.print(`\n${lines.join('\n')}\n`);
}

async function readyLocalKey(rooms: Rooms, fixed: string | undefined): Promise<LocalKey> {
  if (fixed !== undefined) {
    return { kind: 'environment' };
  }
  const first = await rooms.clients.addFirst();
  return first === null
    ? { kind: 'known' }
    : { kind: 'new', client: first.client.name, key: first.key };
}

async function firstModel(gateway: Gateway): Promise<string | undefined> {
  return (await gateway.models.refresh())[0]?.id;
}
