import type { Command } from 'commander';
import type { ClientSummary } from '../../shared/client.ts';
import { formatTimestamp } from '../output/format.ts';
import { formatCount } from '../../shared/format.ts';
import { readLockOwner } from '../../host/lock/instance-lock.ts';
import { parsePort } from '../parse-numbers.ts';
import { withRepositories } from '../with-repositories.ts';
import type { CommandContext } from '../command-context.ts';

interface ClientFlags {
  readonly data?: string;
  readonly json?: boolean;
}

/** Defines `gatehouse clients`: local keys, one for each program. */
export function addClientCommands(program: Command, context: CommandContext): void {
  const clients = program
    .command('clients')
    .helpCommand(false)
    .description('manage clients: each program has its own local key');
  withCommonFlags(
    clients.command('add <name>').description('create a local key, which is shown only once'),
  )
    .addHelpText('after', `\nExample:\n  ${context.command} clients add "my editor"`)
    .action(async (name: string, flags: ClientFlags) => await addClient(context, name, flags));
  withCommonFlags(clients.command('list').description('list the clients and their usage')).action(
    async (flags: ClientFlags) => await listClients(context, flags),
  );
  withCommonFlags(
    clients.command('revoke <name>').description('reject a local key from now on'),
  ).action(async (name: string, flags: ClientFlags) => await revokeClient(context, name, flags));
}

function withCommonFlags(command: Command): Command {
  return command.option('--data <dir>', 'data folder').option('--json', 'print JSON');
}

async function addClient(context: CommandContext, name: string, flags: ClientFlags): Promise<void> {
  const { terminal } = context;
  await withRepositories(context, flags.data, async (repositories) => {
    const { client, key } = await repositories.clients.add(name);
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
  });
}

async function listClients(context: CommandContext, flags: ClientFlags): Promise<void> {
  const { terminal } = context;
  await withRepositories(context, flags.data, async (repositories) => {
    const clients = await repositories.clients.list();
    if (flags.json === true) {
      terminal.printJson({ clients });
    } else if (clients.length === 0) {
      terminal.printText(`There is no client yet. Add one: ${context.command} clients add NAME`);
    } else {
      terminal.printTable({
        head: ['Client', 'Exchanges', 'Input', 'Output', 'Last used', 'State'],
        rows: clients.map(toRow),
        numbers: [1, 2, 3],
        narrowing: [{ truncate: 0, minWidth: 16 }],
      });
    }
  });
}

function toRow(client: ClientSummary): string[] {
  return [
    client.name,
    formatCount(client.exchanges),
    formatCount(client.inputTokens),
    formatCount(client.outputTokens),
    client.lastUsedAt === null ? 'never' : formatTimestamp(client.lastUsedAt).slice(0, 16),
    client.revokedAt === null ? 'active' : 'revoked',
  ];
}

async function revokeClient(
  context: CommandContext,
  name: string,
  flags: ClientFlags,
): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const client = await repositories.clients.revoke(name);
    if (flags.json === true) {
      context.terminal.printJson({ client });
    } else {
      context.terminal.printText(
        `The local key of "${client.name}" was revoked. A running Gatehouse refuses it within a second.`,
      );
    }
  });
}
