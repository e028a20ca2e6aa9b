import type { Command } from 'commander';
import { readLockOwner } from '../../host/lock/instance-lock.ts';
import { findNearest } from '../../shared/filter-language/find-nearest.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';
import { type Upstream, UpstreamId } from '../../shared/upstream.ts';
import type { CommandContext } from '../command-context.ts';
import { parseBaseUrl, type Upstreams } from '../../gateway/upstreams/upstreams.ts';
import { withEngine } from '../engine-client.ts';
import { CommandError, UsageError } from '../errors.ts';
import { resolveService } from '../service.ts';
import { type CommandRepositories, withRepositories } from '../with-repositories.ts';

interface ServicesFlags {
  readonly data?: string;
  readonly json?: boolean;
}

/** A service of the list, or the sandbox, which is last and has no lasting address. */
interface ListedService extends Pick<Upstream, 'id' | 'name' | 'kind'> {
  readonly baseUrl: string | null;
  readonly inUse: boolean;
}

const SANDBOX = { id: UpstreamId.parse(SANDBOX_ID), name: SANDBOX_ID, kind: 'sandbox' } as const;

const help = (command: string) => `
A service is named as in the list or by its base address; the built-in one is
called sandbox. The choice holds from the next request on; requests in progress
finish at the service where they began. A service is added in the window, or
with its key: ${command} key set --upstream ADDRESS

Examples:
  ${command} services use models.example.com
  ${command} services use sandbox`;

/** Defines `gatehouse services`: the services that are configured, and which of them is in use. */
export function addServiceCommands(program: Command, context: CommandContext): void {
  const services = program
    .command('services')
    .helpCommand(false)
    .description('list the services, or use another one')
    .addHelpText('after', help(context.command));
  withCommonFlags(
    services
      .command('list', { isDefault: true })
      .description('list the services and which of them is in use'),
  ).action(async (flags: ServicesFlags) => {
    await withRepositories(context, flags.data, async (repositories) => {
      await printServices(context, await listServices(context, repositories, flags), flags);
    });
  });
  withCommonFlags(
    services.command('use <service>').description('use a service from the next request on'),
  )
    .addHelpText('after', help(context.command))
    .action(async (name: string, flags: ServicesFlags) => {
      await withRepositories(context, flags.data, async (repositories) => {
        await useService(context, repositories, { name, ...flags });
      });
    });
}

function withCommonFlags(command: Command): Command {
  return command.option('--json', 'print JSON').option('--data <dir>', 'data folder');
}

/** Lists the services as the running Gatehouse sees them, which may use one of the command line, or else those of the data folder. */
async function listServices(
  context: CommandContext,
  repositories: CommandRepositories,
  { data }: ServicesFlags,
): Promise<readonly ListedService[]> {
  const { upstreams, host } = repositories;
  const all = (await isServed(host.dataDir))
    ? await withEngine(context, data, async ({ calls }) => await calls.upstreams.list())
    : await listWhenStarted(context, upstreams);
  const services = all
    .filter(({ kind }) => kind === 'service')
    .map(({ id, name, kind, baseUrl, active }) => ({ id, name, kind, baseUrl, inUse: active }));
  const inUse = services.every((one) => !one.inUse);
  return [...services, { ...SANDBOX, baseUrl: null, inUse }];
}

/** Lists the services as a Gatehouse that starts here sees them: that of the environment is used before the one that was chosen. */
async function listWhenStarted(
  context: CommandContext,
  upstreams: Upstreams,
): Promise<readonly Pick<Upstream, 'id' | 'name' | 'kind' | 'baseUrl' | 'active'>[]> {
  const stored = await upstreams.list();
  const service = await resolveService(context, upstreams, {});
  if (service === null || context.envSettings.upstreamUrl === undefined) return stored;
  const { baseUrl } = service;
  const listed = stored.map((one) => ({ ...one, active: one.baseUrl === baseUrl }));
  if (listed.some(({ active }) => active)) return listed;
  const name = new URL(baseUrl).host;
  return [
    { id: UpstreamId.parse(baseUrl), name, kind: 'service', baseUrl, active: true },
    ...listed,
  ];
}

async function printServices(
  { terminal }: CommandContext,
  services: readonly ListedService[],
  { json = false }: ServicesFlags,
): Promise<void> {
  if (json) {
    terminal.printJson({ services });
    return;
  }
  await terminal.printTable({
    head: ['Service', 'In use', 'Address'],
    rows: services.map(({ name, inUse, baseUrl }) => [
      name,
      inUse ? 'yes' : '–',
      baseUrl ?? 'built in',
    ]),
    narrowing: [{ truncate: 0, minWidth: 12 }],
  });
}

/** Uses a service in the Gatehouse that runs on the data folder, or stores the choice for its next start. */
async function useService(
  context: CommandContext,
  repositories: CommandRepositories,
  { name, json = false, ...flags }: ServicesFlags & { readonly name: string },
): Promise<void> {
  const { upstreams, host } = repositories;
  const chosen = findUpstream(name, await listServices(context, repositories, flags));
  const isRunning = await isServed(host.dataDir);
  if (!isRunning && context.envSettings.upstreamUrl !== undefined) {
    throw new UsageError(
      'GATEHOUSE_UPSTREAM_URL names the service that a Gatehouse uses that starts here. Unset it first.',
    );
  }
  if (isRunning) {
    await withEngine(context, flags.data, async ({ calls }) => {
      await calls.upstreams.use({ id: chosen.id });
    });
  } else {
    await upstreams.activate(chosen.id === SANDBOX_ID ? null : chosen.id);
  }
  if (json) context.terminal.printJson({ inUse: chosen.id });
  else {
    const when = isRunning ? 'from the next request on' : 'when Gatehouse starts';
    context.terminal.printText(`${chosen.name} is used ${when}.`);
  }
}

/** Whether a Gatehouse that takes requests runs on the data folder. */
async function isServed(dataDir: string): Promise<boolean> {
  const owner = await readLockOwner(dataDir);
  return owner !== null && owner.runs !== 'video';
}

/** Finds a service by its name or its base address, or the sandbox. @throws CommandError with the services that there are */
export function findUpstream(
  name: string,
  services: readonly Pick<ListedService, 'id' | 'name' | 'baseUrl'>[],
): Pick<Upstream, 'id' | 'name'> {
  const typed = name.toLowerCase();
  if (typed === SANDBOX_ID) return SANDBOX;
  const address = parseAddress(name);
  const [found, ...others] = services.filter(
    (one) =>
      one.name.toLowerCase() === typed ||
      (address !== null && one.baseUrl === address) ||
      one.id === name,
  );
  if (found !== undefined && others.length > 0) {
    const addresses = [found, ...others].flatMap(({ baseUrl }) => baseUrl ?? []);
    throw createSeveralError(found.name, addresses);
  }
  if (found !== undefined) return found;
  const names = [
    SANDBOX_ID,
    ...services.map((one) => one.name).filter((one) => one !== SANDBOX_ID),
  ];
  const meant = findNearest(typed, names);
  const question = meant === null ? '' : ` Did you mean "${meant}"?`;
  const list = names.map((one) => `"${one}"`).join(', ');
  throw new CommandError(`There is no service "${name}".${question} There are: ${list}.`);
}

/** Creates the error for a name that several services have. */
export function createSeveralError(name: string, addresses: readonly string[]): CommandError {
  return new CommandError(
    `Several services are called "${name}". Name it by its address: ${addresses.join(', ')}.`,
  );
}

/** Returns the base address that a text is; `null` when it is none. */
function parseAddress(text: string): string | null {
  try {
    return parseBaseUrl(text).url;
  } catch {
    // It is a name.
    return null;
  }
}
