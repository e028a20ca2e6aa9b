import type { Command } from 'commander';
import ipaddr from 'ipaddr.js';
import {
  type FurtherListener,
  type OwnAddress,
  toListenerOrigin,
} from '../../shared/connect/further-listener.ts';
import type { Status } from '../../shared/status.ts';
import type { CommandContext } from '../command-context.ts';
import { type RunningEngine, withEngine } from '../engine-client.ts';
import { CommandError } from '../errors.ts';

interface ListenerFlags {
  readonly name?: string;
  readonly data?: string;
  readonly json?: boolean;
}

const help = (command: string) => `
Gatehouse listens on the loopback addresses, which a container, a virtual machine or
WSL does not reach. A further listener is one more address of this machine, on the
same port. A request there needs a local key, as everywhere. It is not encrypted, so
only addresses of private networks are accepted, and each is named one by one. Choose
that of a network inside this machine: that of a Wi-Fi may be yours elsewhere, too.

Examples:
  ${command} listeners
  ${command} listeners add 172.17.0.1 --name Docker
  ${command} env openai --at Docker
  ${command} listeners remove Docker`;

/** Defines `gatehouse listeners`: where containers and virtual machines reach the Gatehouse that runs on this data folder. */
export function addListenerCommands(program: Command, context: CommandContext): void {
  const listeners = program
    .command('listeners')
    .helpCommand(false)
    .description('listen at further addresses, for containers, virtual machines and WSL')
    .addHelpText('after', help(context.command));
  withCommonFlags(
    listeners.command('list', { isDefault: true }).description('list the addresses'),
  ).action(async (flags: ListenerFlags) => {
    await withEngine(context, flags.data, async (engine) => {
      await printListeners(context, await readListeners(engine), flags);
    });
  });
  withCommonFlags(
    listeners
      .command('add <address>')
      .description('listen at one more address of this machine')
      .option('--name <name>', 'what is there (default: the name of its network)'),
  ).action(async (address: string, flags: ListenerFlags) => {
    await withEngine(context, flags.data, async (engine) => {
      await addListener(context, engine, { address, flags });
    });
  });
  withCommonFlags(
    listeners.command('remove <name>').description('end a listener, by its name or address'),
  ).action(async (name: string, flags: ListenerFlags) => {
    await withEngine(context, flags.data, async (engine) => {
      await removeListener(context, engine, { name, flags });
    });
  });
}

/** The further listeners, the port of all, and the addresses that others may have. */
interface Listeners extends Pick<Status, 'port' | 'furtherListeners'> {
  readonly possible: readonly OwnAddress[];
}

async function readListeners({ calls }: RunningEngine): Promise<Listeners> {
  const [status, possible] = await Promise.all([
    calls.status.get(),
    calls.settings.listeners.possible(),
  ]);
  return { ...status, possible };
}

function withCommonFlags(command: Command): Command {
  return command.option('--json', 'print JSON').option('--data <dir>', 'data folder');
}

async function addListener(
  context: CommandContext,
  engine: RunningEngine,
  { address, flags }: { readonly address: string; readonly flags: ListenerFlags },
): Promise<void> {
  const { calls } = engine;
  const { possible, furtherListeners } = await readListeners(engine);
  const own = possible.find((other) => other.address === toUsualNotation(address));
  const isFree = own !== undefined && findListener(furtherListeners, own.network) === undefined;
  const name = flags.name ?? (isFree ? own.network : toUsualNotation(address));
  const { settings } = await calls.settings.listeners.add({ name, address });
  const added = findListener(settings.furtherListeners, name);
  const listeners = await readListeners(engine);
  if (flags.json === true || added === undefined) {
    await printListeners(context, listeners, flags);
    return;
  }
  printAdded(context, listeners, added);
}

function printAdded(
  { terminal, command }: CommandContext,
  { port, furtherListeners }: Listeners,
  { name, address }: FurtherListener,
): void {
  const problem = furtherListeners.find((other) => other.address === address)?.problem ?? null;
  const root = toListenerOrigin({ address }, port);
  terminal.printText(
    problem === null
      ? `Gatehouse listens at ${root}. Whatever reaches this address needs a local key; nothing is encrypted on the way.`
      : `Added, but nothing can connect yet: ${problem} Gatehouse tries again by itself.`,
  );
  terminal.printText(
    `\nIn “${name}”, programs use\n  ${root}/v1   for Chat Completions and Responses\n  ${root}      for Messages\nVariables with a temporary key: ${command} env openai --at ${JSON.stringify(name)}\nA lasting key: ${command} clients add NAME`,
  );
}

async function removeListener(
  context: CommandContext,
  engine: RunningEngine,
  { name, flags }: { readonly name: string; readonly flags: ListenerFlags },
): Promise<void> {
  const { calls } = engine;
  const { settings } = await calls.settings.get();
  const found = findListener(settings.furtherListeners, name);
  if (found === undefined) {
    throw new CommandError(
      `There is no listener “${name}”. List them: ${context.command} listeners`,
    );
  }
  await calls.settings.listeners.remove({ address: found.address });
  if (flags.json === true) await printListeners(context, await readListeners(engine), flags);
  else context.terminal.printText(`Gatehouse listens at ${found.address} no longer.`);
}

/** Finds a listener by its name, in any case, or by its address, in any notation. */
export function findListener(
  listeners: readonly FurtherListener[],
  text: string,
): FurtherListener | undefined {
  const wanted = toUsualNotation(text);
  return listeners.find(
    ({ name, address }) => address === wanted || name.toLowerCase() === text.toLowerCase(),
  );
}

function toUsualNotation(text: string): string {
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : text;
}

async function printListeners(
  { terminal, command }: CommandContext,
  { port, furtherListeners, possible: own }: Listeners,
  { json = false }: ListenerFlags,
): Promise<void> {
  const possible = own.filter(
    ({ address }) => !furtherListeners.some((listener) => listener.address === address),
  );
  if (json) {
    terminal.printJson({ port, listeners: furtherListeners, possible });
    return;
  }
  await terminal.printTable({
    head: ['Name', 'Address', 'State'],
    rows: [
      ['this machine', `http://127.0.0.1:${port}`, 'open'],
      ...furtherListeners.map(({ name, address, problem }) => [
        name,
        toListenerOrigin({ address }, port),
        problem ?? 'open',
      ]),
    ],
  });
  const list = possible.map(({ address, network }) => `  ${address}   ${network}`).join('\n');
  terminal.printText(
    possible.length === 0
      ? '\nThis machine has no other private address.'
      : `\nOther private addresses of this machine:\n${list}\nTo listen at one: ${command} listeners add ADDRESS`,
  );
}
