import type { Rooms } from './rooms.ts';
import { chooseService } from './service.ts';
import type { Service, ServiceFlags } from './service.ts';
import type { Shell } from './shell.ts';
import { readHolder } from '../hosting/lock.ts';
import type { Holder } from '../hosting/lock.ts';

/** The service that requests go to here; `null` for the sandbox. */
export interface ServiceInUse {
  readonly service: Service | null;
  /** The Gatehouse that runs here and uses it; `null` where none does. */
  readonly running: Holder | null;
}

/**
 * The service to tell about: the flag, then GATEHOUSE_UPSTREAM_URL, then that of the Gatehouse that runs on the data folder, then the
 * active one of the data folder.
 * @throws UnusableBaseUrl, UsageProblem
 */
export async function findServiceInUse(
  shell: Shell,
  { host, upstreams }: Rooms,
  flags: ServiceFlags,
): Promise<ServiceInUse> {
  const holder = await readHolder(host.dataDir);
  const used = holder === null || holder.runs === 'video' ? null : holder.service;
  const named = flags.upstream ?? shell.settings.upstreamUrl;
  if (used === null)
    return { service: await chooseService(shell, upstreams, flags), running: null };
  if (used === 'sandbox') {
    return named === undefined
      ? { service: null, running: holder }
      : { service: await chooseService(shell, upstreams, flags), running: null };
  }
  const upstream = named ?? used;
  const service = await chooseService(shell, upstreams, { ...flags, upstream });
  return { service, running: service?.baseUrl === used ? holder : null };
}
