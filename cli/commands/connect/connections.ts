import { type Connections, openConnections } from '../../../gateway/connect/connect.ts';
import { toListenerOrigin } from '../../../shared/connect/further-listener.ts';
import { findNearest } from '../../../shared/filter-language/find-nearest.ts';
import type { Model } from '../../../shared/model.ts';
import { findUserPlace } from '../../../host/user-place.ts';
import { readLockOwner } from '../../../host/lock/instance-lock.ts';
import { parsePort } from '../../arguments/parse-numbers.ts';
import type { CommandContext } from '../../command-context.ts';
import { findModels } from '../../list-models.ts';
import type { CommandRepositories } from '../../with-repositories.ts';

/** Returns the port of the Gatehouse that runs on the data folder; `null` when none answers requests. */
export async function readServingPort({ host }: CommandRepositories): Promise<number | null> {
  const owner = await readLockOwner(host.dataDir);
  return owner === null || owner.runs === 'video' ? null : owner.port;
}

/** Returns the port of a start without options. */
export function findUsualPort(
  { envSettings }: CommandContext,
  { settings }: CommandRepositories,
): number {
  return parsePort(undefined, envSettings.port) ?? settings.current().port;
}

/** Returns the local address without a path: that of the Gatehouse that runs, or else of the next start. */
export async function findAddress(
  context: CommandContext,
  repositories: CommandRepositories,
): Promise<string> {
  const port = (await readServingPort(repositories)) ?? findUsualPort(context, repositories);
  return `http://127.0.0.1:${port}`;
}

/** Lists the models of the service; none when they cannot be had, with the reason. */
export async function listModels(
  context: CommandContext,
  repositories: CommandRepositories,
): Promise<{ readonly models: readonly Model[]; readonly fault: string | null }> {
  try {
    return await findModels(context, repositories, {});
  } catch (error) {
    return { models: [], fault: error instanceof Error ? error.message : 'no reason given' };
  }
}

/** Opens the connections for a command. */
export async function openCommandConnections(
  context: CommandContext,
  repositories: CommandRepositories,
  models: readonly Model[],
): Promise<Connections> {
  const serving = await readServingPort(repositories);
  const port = serving ?? findUsualPort(context, repositories);
  const { host, clients, settings } = repositories;
  return openConnections({
    dataDir: host.dataDir,
    place: findUserPlace(context.environment),
    clients,
    now: host.now,
    log: host.log,
    address: () => `http://127.0.0.1:${port}`,
    furtherAddresses: () =>
      settings.current().furtherListeners.map((listener) => toListenerOrigin(listener, port)),
    isRunning: serving !== null,
    models: () => models,
    terminal: { variables: context.environment, folder: findFolder() },
  });
}

/** Returns the folder of this process; `null` when somebody has removed it. */
function findFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** Says that there is no such program, and which was probably meant: one with this beginning, or a similar name. */
export function describeUnknown(name: string, ids: readonly string[], command: string): string {
  const typed = name.toLowerCase().replaceAll(/[\s_]+/gu, '-');
  const meant =
    (typed.length < 2 ? undefined : ids.find((id) => id.startsWith(typed))) ??
    findNearest(typed, ids);
  const question = meant === null ? '' : ` Did you mean ${meant}?`;
  return `There is no program “${name}”.${question} List those there are: ${command} connect`;
}
