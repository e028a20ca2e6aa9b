import type { CommandRepositories } from './with-repositories.ts';
import { resolveService, type Service, type ServiceFlags } from './service.ts';
import type { CommandContext } from './command-context.ts';
import { readLockOwner, type LockOwner } from '../host/lock/instance-lock.ts';

/** The service that requests go to here; `null` for the sandbox. */
export interface ServiceInUse {
  readonly service: Service | null;
  /** The running Gatehouse that uses it; `null` when none does. */
  readonly running: LockOwner | null;
}

/**
 * Finds the service to report on: the flag, then GATEHOUSE_UPSTREAM_URL, then that of the Gatehouse that runs on the data folder, then
 * the active one of the data folder. @throws InvalidBaseUrlError, UsageError
 */
export async function findServiceInUse(
  context: CommandContext,
  { host, upstreams }: CommandRepositories,
  flags: ServiceFlags,
): Promise<ServiceInUse> {
  const owner = await readLockOwner(host.dataDir);
  const used = owner === null || owner.runs === 'video' ? null : owner.service;
  const named = flags.upstream ?? context.envSettings.upstreamUrl;
  if (used === null)
    return { service: await resolveService(context, upstreams, flags), running: null };
  if (used === 'sandbox') {
    return named === undefined
      ? { service: null, running: owner }
      : { service: await resolveService(context, upstreams, flags), running: null };
  }
  const upstream = named ?? used;
  const service = await resolveService(context, upstreams, { ...flags, upstream });
  return { service, running: service?.baseUrl === used ? owner : null };
}
