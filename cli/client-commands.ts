import type { Command } from 'commander';
import type { ClientSummary } from '../shared/client.ts';
import { count, moment } from './figures.ts';
import { readHolder } from '../hosting/lock.ts';
import { readPort } from './numbers.ts';
import { withRooms } from './rooms.ts';
import type { Shell } from './shell.ts';

interface ClientFlags {
  readonly data?: string;
  readonly json?: boolean;
}

/** `gatehouse clients …`: local keys, one for each program. */
export function addClientCommands(program: Command, shell: Shell): void {
  const clients = program
    .command('clients')
    .helpCommand(false)
    .description('give each program a local key of its own');
  withUsualFlags(
    clients.command('add <name>').description('make a local key; it is shown this once'),
  )
    .addHelpText('after', `\nExample:\n  ${shell.command} clients add "my editor"`)
    .action(async (name: string, flags: ClientFlags) => await add(shell, name, flags));
  withUsualFlags(clients.command('list').description('show the clients and what they used')).action(
    async (flags: ClientFlags) => await list(shell, flags),
  );
  withUsualFlags(
    clients.command('revoke <name>').description('refuse a local key from now on'),
  ).action(async (name: string, flags: ClientFlags) => await revoke(shell, name, flags));
}

function withUsualFlags(command: Command): Command {
  return command.option('--data <dir>', 'data folder').option('--json', 'print JSON');
}

async function add(shell: Shell, name: string, flags: ClientFlags): Promise<void> {
  const { terminal } = shell;
  await withRooms(shell, flags.data, async (rooms) => {
    const { client, key } = await rooms.clients.add(name);
    if (flags.json === true) {
      terminal.printJson({ client, key });
      return;
    }
    const holder = await readHolder(rooms.host.dataDir);
    const port =
      (holder === null || holder.runs === 'video' ? null : holder.port) ??
      readPort(undefined, shell.settings.port) ??
      rooms.settings.current().port;
    const root = `http://127.0.0.1:${port}`;
    terminal.print(`The local key of "${client.name}", shown this once:\n`);
    terminal.print(`  ${terminal.strong(key)}\n`);
    terminal.print(`Base address: ${root}/v1 (Chat Completions, Responses) or ${root} (Messages)`);
  });
}

async function list(shell: Shell, flags: ClientFlags): Promise<void> {
  const { terminal } = shell;
  await withRooms(shell, flags.data, async (rooms) => {
    const clients = await rooms.clients.list();
    if (flags.json === true) {
      terminal.printJson({ clients });
    } else if (clients.length === 0) {
      terminal.say(`There is no client yet. Add one: ${shell.command} clients add NAME`);
    } else {
      terminal.printTable({
        head: ['Client', 'Exchanges', 'Tokens in', 'Tokens out', 'Last used', 'State'],
        rows: clients.map(toRow),
        numbers: [1, 2, 3],
        narrowing: [{ cut: 0, least: 16 }],
      });
    }
  });
}

function toRow(client: ClientSummary): string[] {
  return [
    client.name,
    count(client.exchanges),
    count(client.inputTokens),
    count(client.outputTokens),
    client.lastUsedAt === null ? 'never' : moment(client.lastUsedAt).slice(0, 16),
    client.revokedAt === null ? 'active' : 'revoked',
  ];
}

async function revoke(shell: Shell, name: string, flags: ClientFlags): Promise<void> {
  await withRooms(shell, flags.data, async (rooms) => {
    const client = await rooms.clients.revoke(name);
    if (flags.json === true) {
      shell.terminal.printJson({ client });
    } else {
      shell.terminal.say(
        `The local key of "${client.name}" is refused from now on, within a second where Gatehouse runs.`,
      );
    }
  });
}
