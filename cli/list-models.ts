import type { Model } from '../shared/model.ts';
import { explainKeyError } from '../gateway/keys/keys.ts';
import { judgeModelList } from '../gateway/upstreams/upstreams.ts';
import { openModels, readModelList } from '../gateway/models/models.ts';
import { UserError } from '../gateway/errors.ts';
import { openSandbox } from '../sandbox/server.ts';
import { describeProcess } from '../host/lock/instance-lock.ts';
import { isUsableKey, keyAdvice } from '../gateway/keys/keys.ts';
import { CommandError } from './errors.ts';
import type { CommandRepositories } from './with-repositories.ts';
import { findServiceInUse } from './service-in-use.ts';
import { fetchModelList, openServiceKey, type Service, type ServiceFlags } from './service.ts';
import type { CommandContext } from './command-context.ts';

/** A model list and its source. `age` in milliseconds; `fault` says why the service could not be asked. */
export interface ModelListing {
  readonly source: 'service' | 'cache' | 'sandbox';
  readonly models: readonly Model[];
  readonly age: number;
  readonly fault: string | null;
  /** Explains which models of the service are left out. */
  readonly omitted: string | null;
}

/** Lists the models of the service in use: from the service, or else as last seen. @throws CommandError when neither can be had */
export async function findModels(
  context: CommandContext,
  repositories: CommandRepositories,
  flags: ServiceFlags,
): Promise<ModelListing> {
  const { service, running } = await findServiceInUse(context, repositories, flags);
  if (service === null) {
    return await listSandboxModels();
  }
  const keys = await openServiceKey(context, { host: repositories.host, account: service.baseUrl });
  const { name, sentence } = keys.state();
  const key = keys.current();
  const fault =
    running?.key == null || !isUsableKey(running.key.name)
      ? `${sentence} ${keyAdvice(name, context.command)}`
      : `The Gatehouse that runs here (${describeProcess(running)}) has a service key that this shell does not know. Use its window, or give this shell the key in GATEHOUSE_UPSTREAM_KEY.`;
  return await fetchOrReadCache({
    repositories,
    command: context.command,
    service,
    key,
    fault,
  });
}

/** The list is not cached, because this sandbox ends with the command. */
async function listSandboxModels(): Promise<ModelListing> {
  const sandbox = await openSandbox();
  try {
    const here = { baseUrl: sandbox.url, caFile: null, proxyUrl: null };
    const { body } = await fetchModelList(here, sandbox.key);
    const models = readModelList(JSON.parse(body.toString('utf8')))?.models ?? [];
    return { source: 'sandbox', models, age: 0, fault: null, omitted: null };
  } finally {
    await sandbox.close();
  }
}

interface ListModelsTask {
  readonly repositories: CommandRepositories;
  readonly command: string;
  readonly service: Service;
  readonly key: string | null;
  /** The reason why there is no key. */
  readonly fault: string;
}

async function fetchOrReadCache(task: ListModelsTask): Promise<ModelListing> {
  const { repositories, service } = task;
  const { store, host } = repositories;
  const models = await openModels({
    store,
    upstream: service.baseUrl,
    fetchList: async () => await fetchList(task),
    now: host.now,
    // This command itself reports once why the list could not be loaded.
    log: () => undefined,
  });
  try {
    const found = await models.refresh();
    return { source: 'service', models: found, age: 0, fault: null, omitted: models.omitted() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given';
    const age = models.age();
    if (age === null) {
      throw new CommandError(reason, { cause: error });
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

async function fetchList({ service, key, command, fault }: ListModelsTask): Promise<Buffer> {
  if (key === null) {
    throw new CommandError(fault);
  }
  const answer = await fetchModelList(service, key).catch((error: unknown) => {
    if (error instanceof UserError) throw error;
    const { sentence, advice } = explainKeyError(error);
    throw new CommandError(`${sentence} ${advice}`, { cause: error });
  });
  const { accepted, sentence, advice } = judgeModelList(answer, command).words;
  if (!accepted) {
    throw new CommandError(`${sentence} ${advice}`);
  }
  return answer.body;
}
