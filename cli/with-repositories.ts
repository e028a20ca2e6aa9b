import { openRepositories, type Repositories } from '../gateway/gateway.ts';
import { maskLocalKeys } from '../gateway/clients/clients.ts';
import { openHistory, type History } from '../gateway/history/history.ts';
import { prepareDataDir } from '../host/data-folder.ts';
import { createCliHost } from './host.ts';
import type { RedactingHost } from '../host/host.ts';
import type { CommandContext } from './command-context.ts';

/** The repositories for a short command; a gateway may be running on the same data folder. */
export interface CommandRepositories extends Repositories {
  readonly host: RedactingHost;
}

/** Opens the data folder while `work` runs. @throws CommandError, StoreError */
export async function withRepositories<Value>(
  context: CommandContext,
  dataFlag: string | undefined,
  work: (repositories: CommandRepositories) => Promise<Value>,
): Promise<Value> {
  const dataDir = await prepareDataDir(dataFlag, context.environment);
  const host = createCliHost(context, { dataDir, logLevel: 'warn' });
  const repositories = await openRepositories({ host });
  repositories.store.guard.add(() => host.serviceKeys(), '<service key>');
  try {
    return await work({ ...repositories, host });
  } finally {
    await repositories.close();
  }
}

/** Opens the history while `use` runs. `redact` removes secrets from what is exported. */
export async function withHistory<Value>(
  { store, host }: CommandRepositories,
  use: (history: History) => Promise<Value>,
  redact: (text: string) => string = maskLocalKeys,
): Promise<Value> {
  const history = openHistory({
    store,
    now: host.now,
    redact,
    log: host.log,
    getRetention: null,
  });
  try {
    return await use(history);
  } finally {
    await history.close();
  }
}

/** The keys that a command knows: those in its environment and in the file of keys. It does not ask the keychain. */
export interface KnownSecrets {
  readonly serviceKeys: readonly string[];
  readonly localKeys: readonly string[];
}

/** Finds the keys that a command knows. */
export async function findSecrets(
  { envSettings: { localKey } }: CommandContext,
  { host, upstreams }: CommandRepositories,
): Promise<KnownSecrets> {
  const inFile = await Promise.all(
    (await upstreams.list()).map(async ({ baseUrl }) => await host.keyFile.read(baseUrl)),
  );
  const found = inFile.flatMap((answer) => (answer.state === 'found' ? [answer.secret] : []));
  return {
    serviceKeys: [...new Set([...host.serviceKeys(), ...found])],
    localKeys: localKey === undefined ? [] : [localKey],
  };
}
