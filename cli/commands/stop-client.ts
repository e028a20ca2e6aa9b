import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { type RunningEngine, withEngine } from '../engine-client.ts';
import { CommandError } from '../errors.ts';

interface StopFlags {
  readonly data?: string;
  readonly json?: boolean;
}

/** Defines `gatehouse clients stop` and `gatehouse clients resume`, which act on the Gatehouse that runs on this data folder. */
export function addStopCommands(clients: Command, context: CommandContext): void {
  clients
    .command('stop <name>')
    .description('refuse requests of a client for answers until resume; those in progress finish')
    .option('--data <dir>', 'data folder')
    .option('--json', 'print JSON')
    .action(async (name: string, flags: StopFlags) => await stopClient(context, name, flags));
  clients
    .command('resume <name>')
    .description('let a client go on that was stopped, or whose agent runs away')
    .option('--data <dir>', 'data folder')
    .option('--json', 'print JSON')
    .action(async (name: string, flags: StopFlags) => await resumeClient(context, name, flags));
}

async function stopClient(
  context: CommandContext,
  name: string,
  { data, json = false }: StopFlags,
): Promise<void> {
  const { terminal, command } = context;
  const client = await withEngine(context, data, async ({ calls }) => {
    const found = await findRunningClient(calls, name);
    await calls.clients.stop({ id: found.id });
    return found;
  });
  if (json) terminal.printJson({ client, stopped: true });
  else {
    terminal.printText(
      `"${client.name}" was stopped: its requests for answers are refused.\nTo continue: ${command} clients resume "${client.name}"`,
    );
  }
}

async function resumeClient(
  context: CommandContext,
  name: string,
  { data, json = false }: StopFlags,
): Promise<void> {
  const { terminal } = context;
  const { client, resumed } = await withEngine(context, data, async ({ calls }) => {
    const found = await findRunningClient(calls, name);
    return { client: found, resumed: await calls.clients.resume({ id: found.id }) };
  });
  if (json) terminal.printJson({ client, stopped: false, resumed });
  else if (resumed) terminal.printText(`"${client.name}" goes on, and is counted anew.`);
  else terminal.printText(`"${client.name}" was not stopped.`);
}

/** Finds a client of a running Gatehouse, by its name or its id. @throws CommandError when there is no such client */
export async function findRunningClient(calls: RunningEngine['calls'], name: string) {
  const found = (await calls.clients.list()).find(
    (client) =>
      client.revokedAt === null &&
      (client.id === name || client.name.toLowerCase() === name.toLowerCase()),
  );
  if (found === undefined) throw new CommandError(`There is no client "${name}".`);
  return { id: found.id, name: found.name };
}
