import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { listCopies } from '../../../gateway/backup/backup.ts';
import { openRepositories, type Repositories } from '../../../gateway/gateway.ts';
import { openHistory } from '../../../gateway/history/history.ts';
import type { Host } from '../../../gateway/host.ts';
import { createConversationInput } from '../../kit/chat/chat-folder.ts';
import {
  openTestMachine,
  type RunningServer,
  type TestMachine,
} from '../../kit/process/test-machine.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';

/** A used data folder, left by a process that was stopped and by one that was killed. */
export interface UsedFolders extends AsyncDisposable {
  readonly stopped: string;
  readonly killed: string;
  /** Local keys of the clients "Editor" and "Other". */
  readonly keys: { readonly editor: string; readonly other: string };
}

/** Creates a host for modules in this process. */
export function createHost(dataDir: string, logged: string[] = []): Host {
  return {
    dataDir,
    secrets: {
      read: () => Promise.resolve({ state: 'absent' }),
      write: () => Promise.resolve({ state: 'done' }),
      remove: () => Promise.resolve({ state: 'done' }),
    },
    log: (level, message) => void logged.push(`${level} ${message}`),
    now: Date.now,
    uptime: () => uptime() * 1000,
    randomBytes: (size) => randomBytes(size),
  };
}

/** Waits until both databases have a copy. */
async function copied(dataDir: string): Promise<void> {
  for (;;) {
    const copies = await listCopies(dataDir);
    if (new Set(copies.map(({ database }) => database)).size === 2) return;
    await new Promise(setImmediate);
  }
}

const keep = () => ({ days: 90, headersDays: 7 });

async function seed(repositories: Repositories): Promise<void> {
  const { store, host } = repositories;
  const history = openHistory({
    store,
    now: host.now,
    redact: String,
    log: host.log,
    getRetention: keep,
  });
  for (let row = 0; row < 2_000; row += 1) {
    history.record(anExchange(`exchange-${row}`, { startedAt: Date.now() - row * 1_000 }));
  }
  await history.close();
  const { conversations } = await repositories.openChatRepository();
  for (let row = 0; row < 40; row += 1) await conversations.add(createConversationInput('m'));
}

/** Creates both folders with the built command. */
export async function createUsedFolders(): Promise<UsedFolders> {
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-damage-'));
  await using terminal = await openTestMachine();
  const { dataDir } = terminal;
  const repositories = await openRepositories({ host: createHost(dataDir), serves: true }).catch(
    async () => {
      // The command creates the folder.
      await terminal.run(['clients', 'list']);
      return await openRepositories({ host: createHost(dataDir), serves: true });
    },
  );
  const { key: editor } = await repositories.clients.add('Editor');
  const { key: other } = await repositories.clients.add('Other');
  await seed(repositories);
  await repositories.close();
  await rm(join(dataDir, 'copies'), { recursive: true, force: true });
  await using first = await terminal.serve(['--no-ui']);
  await copied(dataDir);
  await first.stop('SIGTERM');
  const stopped = join(home, 'stopped');
  await cp(dataDir, stopped, { recursive: true });
  const second = await terminal.serve(['--no-ui']);
  await (await askModels(second, editor)).text();
  second.child.kill('SIGKILL');
  await once(second.child, 'exit');
  const killed = join(home, 'killed');
  await cp(dataDir, killed, { recursive: true });
  return {
    stopped,
    killed,
    keys: { editor, other },
    [Symbol.asyncDispose]: async () => await rm(home, { recursive: true, force: true }),
  };
}

/** Opens a terminal on a copy of a folder. */
export async function openCopy(folder: string): Promise<TestMachine> {
  const terminal = await openTestMachine();
  await cp(folder, terminal.dataDir, { recursive: true });
  return terminal;
}

export async function askModels({ port }: RunningServer, key: string): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
  });
}

/** Lists the files that a repair moved to `damaged`. */
export async function listSetAside(dataDir: string): Promise<readonly string[]> {
  return await readdir(join(dataDir, 'damaged')).catch(() => []);
}
