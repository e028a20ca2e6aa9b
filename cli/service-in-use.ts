import type { CommandRepositories } from './with-repositories.ts';
import { UsageError } from './errors.ts';
import {
  describeKeyWithoutService,
  resolveService,
  type Service,
  type ServiceFlags,
} from './service.ts';
import type { CommandContext } from './command-context.ts';
import { describeProcess, readLockOwner, type LockOwner } from '../host/lock/instance-lock.ts';

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

/** Finds the service for a command that needs one. @throws UsageError when the sandbox is in use, and when none is configured */
export async function requireService(
  context: CommandContext,
  repositories: CommandRepositories,
  flags: ServiceFlags,
): Promise<Service> {
  const chosen = await resolveService(context, repositories.upstreams, flags);
  if (chosen !== null) return chosen;
  const { service, running } = await findServiceInUse(context, repositories, flags);
  if (service !== null) return service;
  throw new UsageError((await explainNoService(context, repositories, running)).sentence);
}

/** Why no service is meant, for people, and whether this is so because the sandbox is in use. */
export interface NoService {
  readonly sentence: string;
  readonly usesSandbox: boolean;
}

/** Explains that no service is in use: the sandbox is, beside the services that are configured, or there is none yet. */
export async function explainNoService(
  context: CommandContext,
  { upstreams }: CommandRepositories,
  running: LockOwner | null,
): Promise<NoService> {
  const services = await upstreams.list();
  const lonely = running === null ? describeKeyWithoutService(context) : null;
  if (lonely !== null) return { sentence: lonely, usesSandbox: false };
  const [first] = services;
  const nameOne = `Name one: ${context.command} key set --upstream https://models.example.com`;
  if (first === undefined && running === null) {
    return { sentence: `No service is configured yet. ${nameOne}`, usesSandbox: false };
  }
  const sandbox =
    running === null
      ? 'The sandbox is used, which needs no service key.'
      : `The Gatehouse that runs here (${describeProcess(running)}) uses the sandbox, which needs no service key.`;
  if (first === undefined) {
    const sentence = `${sandbox} No service is configured yet. ${nameOne}`;
    return { sentence, usesSandbox: true };
  }
  const names = services.map(({ name, baseUrl }) =>
    name === new URL(baseUrl).host ? baseUrl : `${name} (${baseUrl})`,
  );
  return {
    sentence: `${sandbox} Configured: ${names.join(', ')}. To name one: --upstream ${first.baseUrl}`,
    usesSandbox: true,
  };
}
