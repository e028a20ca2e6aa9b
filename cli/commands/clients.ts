import type { Command } from 'commander';
import type { Client, ClientSummary } from '../../shared/client.ts';
import { formatTimestamp } from '../output/format.ts';
import { formatCount, pluralize } from '../../shared/format.ts';
import { formatMoney } from '../../shared/money/format-money.ts';
import { readLockOwner } from '../../host/lock/instance-lock.ts';
import { parseExpiryTime } from '../arguments/parse-time.ts';
import { parseInteger, parsePort } from '../arguments/parse-numbers.ts';
import { UsageError } from '../errors.ts';
import { withRepositories } from '../with-repositories.ts';
import { findUsageScope, SCOPE_NOTES } from '../usage-scope.ts';
import type { CommandContext } from '../command-context.ts';
import { disconnectClient, reportDisconnected } from './connect/disconnect.ts';
import { addHoldCommands } from './hold.ts';
import { addStopCommands } from './stop-client.ts';

interface ClientFlags {
  readonly expires?: string;
  readonly data?: string;
  readonly json?: boolean;
}

interface ModelFlags extends ClientFlags {
  readonly all?: boolean;
}

/** Defines `gatehouse clients`: local keys, one for each program. */
export function addClientCommands(program: Command, context: CommandContext): void {
  const clients = program
    .command('clients')
    .helpCommand(false)
    .description('add, list, revoke, stop or hold clients, and their local keys');
  withCommonFlags(
    clients.command('add <name>').description('create a local key, which is shown only once'),
  )
    .option('--expires <when>', 'refuse the key after 7d, 12h, a date or a time')
    .addHelpText(
      'after',
      `\nExamples:\n  ${context.command} clients add "my editor"\n  ${context.command} clients add "a test" --expires 7d`,
    )
    .action(async (name: string, flags: ClientFlags) => await addClient(context, name, flags));
  withCommonFlags(clients.command('list').description('list the clients and their usage')).action(
    async (flags: ClientFlags) => await listClients(context, flags),
  );
  withCommonFlags(
    clients
      .command('expiry <name> <when>')
      .description('change when a local key expires: 7d, 12h, a date, a time, or never'),
  )
    .addHelpText('after', `\nExample:\n  ${context.command} clients expiry "my editor" 30d`)
    .action(
      async (name: string, when: string, flags: ClientFlags) =>
        await changeExpiry(context, { name, when }, flags),
    );
  withCommonFlags(
    clients
      .command('keep <name> <days>')
      .description(
        'change for how many days the requests and responses of a client are kept: 0 for none, or default',
      ),
  )
    .addHelpText('after', `\nExample:\n  ${context.command} clients keep "my editor" 30`)
    .action(
      async (name: string, days: string, flags: ClientFlags) =>
        await changeKeepBodies(context, { name, days }, flags),
    );
  withCommonFlags(
    clients
      .command('models <name> [models...]')
      .description(
        'say or change which models a client may use; * in a name stands for any characters',
      ),
  )
    .option('--all', 'all models')
    .addHelpText(
      'after',
      `\nExamples:\n  ${context.command} clients models "my editor" "gpt-*" claude-haiku-4-5\n  ${context.command} clients models "my editor" --all`,
    )
    .action(
      async (name: string, models: string[], flags: ModelFlags) =>
        await changeModels(context, { name, models }, flags),
    );
  withCommonFlags(
    clients.command('revoke <name>').description('reject a local key from now on'),
  ).action(async (name: string, flags: ClientFlags) => await revokeClient(context, name, flags));
  for (const add of [addStopCommands, addHoldCommands]) add(clients, context);
}

function withCommonFlags(command: Command): Command {
  return command.option('--data <dir>', 'data folder').option('--json', 'print JSON');
}

async function addClient(context: CommandContext, name: string, flags: ClientFlags): Promise<void> {
  const { terminal } = context;
  await withRepositories(context, flags.data, async (repositories) => {
    const { now } = repositories.host;
    const expiresAt = flags.expires === undefined ? null : parseExpiryTime(flags.expires, now());
    const { client, key } = await repositories.clients.add(name, expiresAt);
    if (flags.json === true) {
      terminal.printJson({ client, key });
      return;
    }
    const owner = await readLockOwner(repositories.host.dataDir);
    const port =
      (owner === null || owner.runs === 'video' ? null : owner.port) ??
      parsePort(undefined, context.envSettings.port) ??
      repositories.settings.current().port;
    const root = `http://127.0.0.1:${port}`;
    terminal.print(`The local key of "${client.name}", shown only once:\n`);
    terminal.print(`  ${terminal.bold(key)}\n`);
    terminal.print(`Base address: ${root}/v1 (Chat Completions, Responses) or ${root} (Messages)`);
    if (client.expiresAt !== null) terminal.print(describeExpiry(client));
  });
}

async function listClients(context: CommandContext, flags: ClientFlags): Promise<void> {
  const { terminal } = context;
  await withRepositories(context, flags.data, async (repositories) => {
    const scope = await findUsageScope(context, repositories);
    const clients = await repositories.clients.list(scope);
    const { currency } = repositories.settings.current();
    if (flags.json === true) {
      terminal.printJson({ clients });
    } else if (clients.length === 0) {
      terminal.printText(`There is no client yet. Add one: ${context.command} clients add NAME`);
    } else {
      await terminal.printTable({
        head: ['Client', 'Requests', 'Input', 'Output', 'Cost', 'Last used', 'Expires', 'State'],
        rows: clients.map((client) => toRow(client, currency)),
        numbers: [1, 2, 3, 4],
        narrowing: [{ truncate: 0, minWidth: 16 }],
      });
      terminal.printText(SCOPE_NOTES[scope]);
    }
  });
}

function toRow(client: ClientSummary, currency: string): string[] {
  return [
    client.name,
    formatFigure(client.exchanges),
    formatFigure(client.inputTokens),
    formatFigure(client.outputTokens),
    client.cost === null ? '–' : formatMoney(client.cost, currency),
    client.lastUsedAt === null ? 'never' : formatTimestamp(client.lastUsedAt).slice(0, 16),
    client.expiresAt === null ? '–' : formatTimestamp(client.expiresAt).slice(0, 16),
    describeState(client),
  ];
}

/** Formats a figure as the window does: none is a dash. */
function formatFigure(count: number): string {
  return count === 0 ? '–' : formatCount(count);
}

function describeState({ kind, revokedAt, expired, onlyTemporaryKeys }: ClientSummary): string {
  if (kind === 'unknown') return 'refused';
  if (kind !== 'stored') return 'built in';
  if (revokedAt !== null) return 'revoked';
  if (expired) return 'expired';
  return onlyTemporaryKeys ? 'not connected' : 'active';
}

function describeExpiry({ expiresAt }: Pick<Client, 'expiresAt'>): string {
  return expiresAt === null
    ? 'The local key does not expire.'
    : `The local key expires on ${formatTimestamp(expiresAt).slice(0, 16)}.`;
}

async function changeExpiry(
  context: CommandContext,
  { name, when }: { readonly name: string; readonly when: string },
  flags: ClientFlags,
): Promise<void> {
  await withRepositories(context, flags.data, async ({ clients, host }) => {
    const client = await clients.setExpiry(name, parseExpiryTime(when, host.now()));
    if (flags.json === true) context.terminal.printJson({ client });
    else {
      context.terminal.printText(
        `"${client.name}": ${describeExpiry(client)} A running Gatehouse knows within a second.`,
      );
    }
  });
}

async function changeKeepBodies(
  context: CommandContext,
  { name, days }: { readonly name: string; readonly days: string },
  flags: ClientFlags,
): Promise<void> {
  const kept =
    days === 'default'
      ? null
      : parseInteger(days, { name: 'The number of days', from: 0, to: 3650 });
  await withRepositories(context, flags.data, async ({ clients, settings }) => {
    const client = await clients.setKeepBodies(name, kept);
    if (flags.json === true) context.terminal.printJson({ client });
    else {
      const effective = kept ?? settings.current().keepBodiesDays;
      const what =
        effective === 0
          ? 'No requests and responses are kept.'
          : `Requests and responses are kept for ${pluralize(effective, 'day')}${kept === null ? ', as in Settings' : ''}.`;
      context.terminal.printText(
        `"${client.name}": ${what} A running Gatehouse knows within a second.`,
      );
    }
  });
}

async function changeModels(
  context: CommandContext,
  { name, models }: { readonly name: string; readonly models: readonly string[] },
  { all = false, ...flags }: ModelFlags,
): Promise<void> {
  if (all && models.length > 0) throw new UsageError('Name models, or --all.');
  await withRepositories(context, flags.data, async ({ clients }) => {
    const known = (await clients.list()).find(
      (one) => one.name.toLowerCase() === name.toLowerCase(),
    );
    const isQuestion = !all && models.length === 0 && known !== undefined;
    const client = isQuestion ? known : await clients.setModels(name, all ? null : [...models]);
    if (flags.json === true) context.terminal.printJson({ client });
    else {
      const allowed = client.models === null ? 'all models' : `${client.models.join(', ')} only`;
      const note = isQuestion ? '' : ' A running Gatehouse knows within a second.';
      context.terminal.printText(`"${client.name}" may use ${allowed}.${note}`);
    }
  });
}

async function revokeClient(
  context: CommandContext,
  name: string,
  flags: ClientFlags,
): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const client = await repositories.clients.revoke(name);
    const disconnected = await disconnectClient(context, repositories, client.id);
    if (flags.json === true) {
      context.terminal.printJson({ client, disconnected });
      return;
    }
    context.terminal.printText(
      `The local key of "${client.name}" was revoked. A running Gatehouse refuses it within a second.`,
    );
    if (disconnected === null) return;
    for (const note of disconnected.notes) context.terminal.printText(note);
    reportDisconnected(context, [disconnected]);
  });
}
