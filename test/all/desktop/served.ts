import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import type { Repositories } from '../../../gateway/gateway.ts';
import { openHistory } from '../../../gateway/history/history.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { openKeyFile } from '../../../host/keys/key-file.ts';
import type { Sandbox } from '../../../sandbox/server.ts';
import type { DesktopContract, DesktopState } from '../../../shared/desktop/desktop-contract.ts';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { seedDataFolder } from '../../kit/ui/seed/data-folder.ts';
import type { DesktopApp } from '../../kit/desktop/kit.ts';

/** A data folder as an earlier run would have left it: with a service in use and one client. */
export interface Folder extends AsyncDisposable {
  readonly dataDir: string;
  /** The client's. */
  readonly localKey: string;
}

/** Creates a folder; `baseUrl`: of the service, the sandbox by default; `put` adds more to it. */
export async function openFolder(
  baseUrl?: string,
  put?: (repositories: Repositories) => Promise<unknown>,
): Promise<Folder> {
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-folder-'));
  const dataDir = join(home, 'data');
  let localKey = '';
  await seedDataFolder(dataDir, {
    settings: { setUp: true },
    more: async (repositories) => {
      if (baseUrl !== undefined) await repositories.upstreams.addAndActivate({ baseUrl });
      localKey = (await repositories.clients.add('Test')).key;
      await put?.(repositories);
    },
  });
  const remove = () => rm(home, { recursive: true });
  return { dataDir, localKey, [Symbol.asyncDispose]: remove };
}

/** Creates a folder whose service is a sandbox of the test. */
export async function openFolderOf({ url, key }: Sandbox): Promise<Folder> {
  const folder = await openFolder(url);
  await openKeyFile(folder.dataDir).write(url, key);
  return folder;
}

/** The engine of an app, from when it serves. */
export interface ServingEngine {
  readonly pid: number;
  readonly port: number;
}

/** The engine that serves and that the app knows of, another one than `before`, waited for as long as the test may run. */
export async function engineOf(app: DesktopApp, before?: ServingEngine): Promise<ServingEngine> {
  for (;;) {
    if (app.snapshot.over !== null) throw app.snapshot.over;
    const { pid, port } = await lockOf(app.dataDir);
    if (pid !== 0 && pid !== before?.pid && port !== null) {
      await app.menuWith(`http://127.0.0.1:${port}`);
      return { pid, port };
    }
    await pause(20);
  }
}

async function lockOf(dataDir: string): Promise<{ pid: number; port: number | null }> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'serving.json'), 'utf8'));
  } catch {
    // Not there yet, or being written.
    return { pid: 0, port: null };
  }
}

/** A chat with the engine, as a client has it. */
export async function chat(
  { port }: ServingEngine,
  localKey: string,
  scenario = 'burst=3',
): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${localKey}`,
      'content-type': 'application/json',
      'x-sandbox-scenario': scenario,
    },
    body: JSON.stringify({
      model: 'aurora/aurora-large',
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
}

/** The calls that the app answers for its window. */
export async function callsOf(app: DesktopApp): Promise<ContractRouterClient<DesktopContract>> {
  return createORPCClient(new RPCLink({ port: await app.connect('gatehouse:desktop') }));
}

/** The state that the app tells its window. */
export async function stateOf(app: DesktopApp): Promise<DesktopState> {
  const { state } = await callsOf(app);
  for await (const now of await state()) return now;
  throw new Error('The app told nothing of its state.');
}

const log = (): void => undefined;

/** Reads the history of a data folder, once no engine runs on it. */
export async function recordsIn(dataDir: string): Promise<readonly ExchangeRecord[]> {
  const store = await openStore(join(dataDir, 'gatehouse.db'));
  const history = openHistory({ store, now: Date.now, redact: String, log, getRetention: null });
  const records = await history.list({ limit: 100 });
  await history.close();
  await store.close();
  return records;
}
