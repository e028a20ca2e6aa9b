import { once } from 'node:events';
import {
  openGateway,
  openRepositories,
  PortInUseError,
  type Gateway,
  type Repositories,
} from '../gateway/gateway.ts';
import type { WindowServer } from '../gateway/api/api.ts';
import type { LogLevel } from '../gateway/host.ts';
import type { StartedWorker } from '../gateway/store/store.ts';
import type { EffectiveSettings } from '../shared/settings.ts';
import { openBrowser } from './process/browser.ts';
import { formatBanner, type LocalKey } from './output/banner.ts';
import { prepareDataDir } from '../host/data-folder.ts';
import { pluralize } from '../shared/format.ts';
import { createCliHost } from './host.ts';
import type { RedactingHost } from '../host/host.ts';
import { keyAdvice } from '../gateway/keys/keys.ts';
import { createPlatformAdapter } from './platform.ts';
import { admitCommands } from '../host/lock/admit-commands.ts';
import { announceService } from '../host/lock/announce-service.ts';
import { describeProcess, acquireLock, type LockOwner } from '../host/lock/instance-lock.ts';
import { describePortOwner, nextFreePort } from '../host/process/port-owner.ts';
import { CommandError, UsageError } from './errors.ts';
import { askToConfirm } from './output/prompt.ts';
import {
  resolveService,
  describeKeyWithoutService,
  type Service,
  type ServiceFlags,
} from './service.ts';
import type { CommandContext } from './command-context.ts';
import { listenForSignals } from './process/signals.ts';
import { openWindow } from './open-window.ts';
import type { WindowPort } from './arguments/window-port.ts';

/** The options of `gatehouse serve`. */
export interface ServeOptions {
  readonly version: string;
  /** The thread for the database. */
  readonly worker: StartedWorker;
  /** The port for this run; defaults to the setting. 0 for any free one. */
  readonly port?: number;
  readonly pinned: EffectiveSettings['pinned'];
  /** The port of the window; `null` without one. */
  readonly window: WindowPort | null;
  /** Whether to open it in the browser. */
  readonly openWindow: boolean;
  readonly sandbox: boolean;
  readonly strict: boolean;
  readonly allowedOrigins: readonly string[];
  readonly logLevel: LogLevel;
  readonly service: ServiceFlags;
  readonly dataFlag?: string;
  readonly thisRunKey?: string;
}

/** Timeout for running exchanges after the first Ctrl-C. */
const DRAIN_TIMEOUT_MS = 60_000;

/** Runs the gateway until SIGINT, SIGTERM or SIGHUP, then lets running exchanges finish. @throws CommandError, UsageError */
export async function runServer(context: CommandContext, options: ServeOptions): Promise<void> {
  const dataDir = await prepareDataDir(options.dataFlag, context.environment);
  const lock = await acquireLock(dataDir);
  if (!('release' in lock)) {
    throw new CommandError(alreadyRunningMessage(lock));
  }
  const { signal, stop, onSecondSignal } = listenForSignals(context.terminal, () => lock.release());
  try {
    const host = createCliHost(context, { dataDir, logLevel: options.logLevel });
    const { localKey: fixedLocalKey } = context.envSettings;
    await using closing = new AsyncDisposableStack();
    const repositories = await openRepositories({
      host,
      serves: true,
      worker: options.worker,
      ...(fixedLocalKey === undefined ? {} : { fixedLocalKey }),
    });
    closing.defer(async () => await repositories.close());
    const service = await initialService(context, repositories, options);
    if (options.pinned.upstream !== undefined) {
      lock.update({ service: service?.baseUrl ?? 'sandbox' });
    }
    let window: WindowServer | null = null;
    const announce = (port: number): void =>
      lock.update({ port, windowPort: window?.port ?? null });
    const onPortChange = (port: number): void => {
      try {
        announce(port);
      } catch (error) {
        host.log('warn', String(error));
      }
    };
    const opening = { options, repositories, host, service, signal, onPortChange };
    const gateway = await openAtFreePort(context, opening, initialPort(options, repositories));
    closing.defer(async () => await gateway.close(DRAIN_TIMEOUT_MS));
    onSecondSignal(async () => await gateway.close(0));
    window =
      options.window === null
        ? null
        : await openWindow(context, { at: options.window, gateway, repositories });
    closing.defer(async () => await window?.close());
    announce(gateway.port);
    const { store } = repositories;
    admitCommands({ gateway, store, host, windowPort: window?.port ?? null, stop }, lock);
    closing.defer(await announceService(gateway, lock, host.log));
    const windowLink = (await window?.createLink()) ?? null;
    await printBanner({ context, options, repositories, gateway, windowLink });
    gateway.prepare();
    if (options.openWindow && windowLink !== null)
      await openBrowser(windowLink, context.environment);
    if (!signal.aborted) await once(signal, 'abort');
    context.terminal.printError(describeStop(gateway.running));
  } finally {
    lock.release();
  }
}

function alreadyRunningMessage(owner: LockOwner): string {
  const { port, runs } = owner;
  const ownerText = describeProcess(owner);
  if (runs === 'video') {
    return `A command that waits for its videos runs Gatehouse on this data folder (${ownerText}). Stop it with Ctrl-C and start again: no video is lost.`;
  }
  if (runs === 'desktop') {
    const where = port === null ? '' : ` at http://127.0.0.1:${port}`;
    return `The desktop app runs Gatehouse on this data folder (${ownerText})${where}. Use its window, or quit it from its tray and start again.`;
  }
  return port === null
    ? `Gatehouse is already starting on this data folder (${ownerText}).`
    : `Gatehouse is already running (${ownerText}) at http://127.0.0.1:${port}.`;
}

function initialPort({ port }: ServeOptions, { settings }: Repositories): number {
  return port ?? settings.current().port;
}

/** Finds the service to start with; `null` for the sandbox. @throws UsageError */
async function initialService(
  context: CommandContext,
  repositories: Repositories,
  options: ServeOptions,
): Promise<Service | null> {
  const service = options.sandbox
    ? null
    : await resolveService(context, repositories.upstreams, options.service);
  if (service === null && options.thisRunKey !== undefined) {
    throw new UsageError('--ask-key needs a service: add --upstream URL.');
  }
  return service;
}

interface OpenGatewayOptions {
  readonly options: ServeOptions;
  readonly repositories: Repositories;
  readonly host: RedactingHost;
  readonly service: Service | null;
  readonly signal: AbortSignal;
  readonly onPortChange: (port: number) => void;
}

async function openAtFreePort(
  context: CommandContext,
  opening: OpenGatewayOptions,
  port: number,
): Promise<Gateway> {
  const { options, repositories, host, service, onPortChange } = opening;
  const { thisRunKey, version, strict, pinned, allowedOrigins } = options;
  const { vendor } = options.service;
  try {
    return await openGateway({
      repositories,
      platform: createPlatformAdapter(context, {
        host,
        service: service?.baseUrl ?? null,
        ports: { port, windowPort: options.window?.port ?? null },
        onPortChange,
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
      ...(options.window !== null && {
        resumeHint: `in the window under Home, or with the command: ${context.command} resume`,
      }),
    });
  } catch (error) {
    if (!(error instanceof PortInUseError)) {
      throw error;
    }
    return await openAtFreePort(
      context,
      opening,
      await askForOtherPort(context, opening.signal, port),
    );
  }
}

async function askForOtherPort(
  { terminal, args, command }: CommandContext,
  signal: AbortSignal,
  port: number,
): Promise<number> {
  const taken = `Port ${port} is used by ${await describePortOwner(port)}.`;
  const next = await nextFreePort(port);
  if (next === null) {
    throw new CommandError(`${taken} Choose another one: ${command} serve --port PORT`);
  }
  if (terminal.interactive && (await askToConfirm(`${taken} Use port ${next} instead?`, signal))) {
    return next;
  }
  if (signal.aborted) {
    throw new CommandError('Stopped before Gatehouse was running.');
  }
  throw new CommandError(`${taken} Port ${next} is free:\n  ${command} ${withPort(args, next)}`);
}

/** Returns the same command line with another port, for pasting. */
function withPort(args: readonly string[], port: number): string {
  const otherArgs = args.filter(
    (arg, index) => !/^--port(?:=|$)/u.test(arg) && args[index - 1] !== '--port',
  );
  const quoted = otherArgs.map((arg) => (/^[\w./:=@,-]+$/u.test(arg) ? arg : JSON.stringify(arg)));
  return [...quoted, '--port', port].join(' ');
}

interface RunningServer {
  readonly context: CommandContext;
  readonly options: ServeOptions;
  readonly repositories: Repositories;
  readonly gateway: Gateway;
  readonly windowLink: string | null;
}

async function printBanner({
  context,
  options,
  repositories,
  gateway,
  windowLink,
}: RunningServer): Promise<void> {
  const { terminal, envSettings } = context;
  const { upstream, key, repairs } = await gateway.status();
  const model = upstream.kind === 'sandbox' ? await exampleModel(gateway) : undefined;
  const lonely =
    upstream.kind === 'sandbox' && !options.sandbox ? describeKeyWithoutService(context) : null;
  const lines = formatBanner(
    {
      version: options.version,
      command: context.command,
      strict: !repairs,
      yellow: lonely ?? '',
      port: gateway.port,
      window: windowLink,
      service: upstream.kind === 'sandbox' ? null : upstream.baseUrl,
      key,
      keyAdvice: keyAdvice(key.name, context.command),
      localKey: await prepareLocalKey(repositories, envSettings.localKey),
      ...(model === undefined ? {} : { model }),
    },
    terminal,
  );
  terminal.print(`\n${lines.join('\n')}\n`);
}

async function prepareLocalKey(
  repositories: Repositories,
  fixed: string | undefined,
): Promise<LocalKey> {
  if (fixed !== undefined) {
    return { kind: 'environment' };
  }
  const first = await repositories.clients.addFirst();
  return first === null
    ? { kind: 'known' }
    : { kind: 'new', client: first.client.name, key: first.key };
}

async function exampleModel(gateway: Gateway): Promise<string | undefined> {
  return (await gateway.models.refresh())[0]?.id;
}

/** Says that the gateway stops, and what it waits for. */
function describeStop(running: number): string {
  if (running === 0) return 'Stopping.';
  const have = running === 1 ? 'has' : 'have';
  return `Stopping when ${pluralize(running, 'running exchange')} ${have} ended, at the latest in ${DRAIN_TIMEOUT_MS / 1_000} s. Ctrl-C again stops at once.`;
}
