import type { Command } from 'commander';
import type { Model } from '../shared/model.ts';
import { explainKeyError, explainKeyStatus } from '../gateway/keys/keys.ts';
import { openModels, readModelList } from '../gateway/models/models.ts';
import { Refused } from '../gateway/refused.ts';
import { openSandbox } from '../sandbox/server.ts';
import { duration, visible } from './figures.ts';
import { processOf } from '../hosting/lock.ts';
import { adviceFor, isUsable } from './key-status.ts';
import { CommandFailed } from './problem.ts';
import { withRooms } from './rooms.ts';
import type { Rooms } from './rooms.ts';
import { findServiceInUse } from './service-in-use.ts';
import { callModelList, openServiceKey } from './service.ts';
import type { Service } from './service.ts';
import type { Shell } from './shell.ts';

interface ModelFlags {
  readonly data?: string;
  readonly upstream?: string;
  readonly json?: boolean;
}

/** A model list and where it comes from. `age` in milliseconds; `fault` says why the service could not be asked. */
interface FoundModels {
  readonly source: 'service' | 'cache' | 'sandbox';
  readonly models: readonly Model[];
  readonly age: number;
  readonly fault: string | null;
  /** Which models of the service are left out, in words. */
  readonly omitted: string | null;
}

/** `gatehouse models`: the exact ids a request may name. */
export function addModelCommands(program: Command, shell: Shell): void {
  program
    .command('models')
    .description('list the models of the service; without a connection, the list as last seen')
    .option('--upstream <url>', 'base address of the service')
    .option('--json', 'print JSON, every model as the service describes it')
    .option('--data <dir>', 'data folder')
    .action(async (flags: ModelFlags) => {
      await withRooms(shell, flags.data, async (rooms) => {
        const found = await findModels(shell, rooms, flags).catch((error: unknown) => {
          if (flags.json === true && error instanceof CommandFailed) {
            const fault = error.message;
            shell.terminal.printJson({
              source: null,
              ageMs: null,
              models: [],
              omitted: null,
              fault,
            });
          }
          throw error;
        });
        show(shell, flags, found);
      });
    });
}

async function findModels(shell: Shell, rooms: Rooms, flags: ModelFlags): Promise<FoundModels> {
  const { service, running } = await findServiceInUse(shell, rooms, flags);
  if (service === null) {
    return await listSandboxModels();
  }
  const keys = await openServiceKey(shell, { host: rooms.host, account: service.baseUrl });
  const { name, sentence } = keys.state();
  const key = keys.current();
  const fault =
    running?.key == null || !isUsable(running.key.name)
      ? `${sentence} ${adviceFor(name, shell.command)}`
      : `The Gatehouse that runs here (${processOf(running)}) has a service key that this shell does not know. Use its window, or give this shell the key in GATEHOUSE_UPSTREAM_KEY.`;
  return await askOrRemember({
    rooms,
    command: shell.command,
    service,
    key,
    fault,
  });
}

/** Not remembered: this sandbox ends with the command. */
async function listSandboxModels(): Promise<FoundModels> {
  const sandbox = await openSandbox();
  try {
    const here = { baseUrl: sandbox.url, caFile: null, proxyUrl: null };
    const { body } = await callModelList(here, sandbox.key);
    const models = readModelList(JSON.parse(body.toString('utf8')))?.models ?? [];
    return { source: 'sandbox', models, age: 0, fault: null, omitted: null };
  } finally {
    await sandbox.close();
  }
}

interface ListTask {
  readonly rooms: Rooms;
  readonly command: string;
  readonly service: Service;
  readonly key: string | null;
  /** Why there is no key. */
  readonly fault: string;
}

async function askOrRemember(task: ListTask): Promise<FoundModels> {
  const { rooms, service } = task;
  const { store, host } = rooms;
  const models = await openModels({
    store,
    upstream: service.baseUrl,
    fetchList: async () => await fetchList(task),
    now: host.now,
    // Why the list cannot be had is told once, by this command.
    log: () => undefined,
  });
  try {
    const found = await models.refresh();
    return { source: 'service', models: found, age: 0, fault: null, omitted: models.omitted() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given';
    const age = models.age();
    if (age === null) {
      throw new CommandFailed(reason, { cause: error });
    }
    return {
      source: 'cache',
      models: models.known(),
      age,
      fault: reason,
      omitted: models.omitted(),
    };
  } finally {
    await models.close();
  }
}

async function fetchList({ service, key, command, fault }: ListTask): Promise<Buffer> {
  if (key === null) {
    throw new CommandFailed(fault);
  }
  const answer = await callModelList(service, key).catch((error: unknown) => {
    if (error instanceof Refused) throw error;
    const { sentence, advice } = explainKeyError(error);
    throw new CommandFailed(`${sentence} ${advice}`, { cause: error });
  });
  const { accepted, sentence, advice } = explainKeyStatus(answer.status, command);
  if (!accepted) {
    throw new CommandFailed(`${sentence} ${advice}`);
  }
  return answer.body;
}

function show({ terminal }: Shell, flags: ModelFlags, found: FoundModels): void {
  if (found.fault !== null) {
    terminal.complain(found.fault);
  }
  if (found.omitted !== null) terminal.complain(found.omitted);
  if (flags.json === true) {
    const { source, age, models, omitted, fault } = found;
    terminal.printJson({ source, ageMs: age, models, omitted, fault });
    return;
  }
  if (found.source === 'cache') {
    terminal.complain(`This is the list as last seen, ${duration(found.age)} ago.`);
  }
  if (found.source === 'sandbox') {
    terminal.complain('The sandbox is used: these are its models.');
  }
  for (const { id } of found.models) {
    terminal.print(visible(id));
  }
}
