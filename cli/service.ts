import { type Address, connectTo } from '../gateway/engine/link.ts';
import { openKeys } from '../gateway/keys/keys.ts';
import type { Keys } from '../gateway/keys/keys.ts';
import {
  askModelList,
  DEFAULT_VENDOR,
  readBaseUrl,
  readVendor,
} from '../gateway/upstreams/upstreams.ts';
import type { Upstreams } from '../gateway/upstreams/upstreams.ts';
import type { GuardedHost } from '../hosting/host.ts';
import { UsageProblem } from './problem.ts';
import type { Shell } from './shell.ts';

/** The service that a command is about. */
export interface Service extends Address {
  readonly vendor: string;
}

export interface ServiceFlags {
  readonly upstream?: string;
  readonly vendor?: string;
}

/**
 * The service to use: the flag, then GATEHOUSE_UPSTREAM_URL, then the active one of the data folder; `null` when none is
 * configured. What was corrected in an address is told on standard error.
 * @throws UnusableBaseUrl, UsageProblem
 */
export async function chooseService(
  shell: Shell,
  upstreams: Upstreams,
  flags: ServiceFlags,
): Promise<Service | null> {
  const named = flags.upstream ?? shell.settings.upstreamUrl;
  const stored = await upstreams.active();
  const baseUrl = named === undefined ? stored?.baseUrl : readAddress(shell, named);
  if (baseUrl === undefined) {
    return null;
  }
  const known = (await upstreams.list()).find((one) => one.baseUrl === baseUrl);
  const { versionVendor = DEFAULT_VENDOR, caFile = null, proxyUrl = null } = known ?? {};
  const vendor = flags.vendor === undefined ? versionVendor : requireVendor(flags.vendor);
  return { baseUrl, vendor, caFile, proxyUrl };
}

/** The same for a command that makes no sense without a service. @throws UsageProblem when none is configured. */
export async function requireService(
  shell: Shell,
  upstreams: Upstreams,
  flags: ServiceFlags,
): Promise<Service> {
  const service = await chooseService(shell, upstreams, flags);
  if (service === null) {
    throw new UsageProblem(
      keyWithoutService(shell) ??
        `No service is configured yet. Name one: ${shell.command} key set --upstream https://models.example.com`,
    );
  }
  return service;
}

/** What is wrong when the environment gives a service key but no service is known; `null` when it gives none. */
export function keyWithoutService({ settings }: Shell): string | null {
  return settings.upstreamKey === undefined
    ? null
    : 'GATEHOUSE_UPSTREAM_KEY is set, but no service: give GATEHOUSE_UPSTREAM_URL.';
}

export interface KeyPlace {
  readonly host: GuardedHost;
  /** Base address of the service. */
  readonly account: string;
  readonly thisRunKey?: string;
}

/** The service key of one service, from wherever this machine keeps it. @throws UnusableKey */
export async function openServiceKey(shell: Shell, place: KeyPlace): Promise<Keys> {
  const { host, account, thisRunKey } = place;
  const environmentKey = shell.settings.upstreamKey;
  const keys = await openKeys({
    secrets: host.secrets,
    fileStore: host.keyFile,
    account,
    log: host.log,
    ...(thisRunKey === undefined ? {} : { thisRunKey }),
    ...(environmentKey === undefined ? {} : { environmentKey }),
  });
  host.guard(keys);
  return keys;
}

const LIST_MS = 10_000;

/** Fetches the model list with the key, connected as the service wants it. Rejects with the system's error when no answer comes within 10 s. */
export async function callModelList(service: Address, key: string) {
  const connections = await connectTo(service, { connectMs: LIST_MS, ownPorts: new Set() });
  try {
    const { baseUrl } = service;
    return await askModelList({
      baseUrl,
      key,
      timeoutMs: LIST_MS,
      dispatcher: connections.service,
    });
  } finally {
    await connections.close();
  }
}

function readAddress(shell: Shell, text: string): string {
  const { url, corrections } = readBaseUrl(text);
  for (const correction of corrections) {
    shell.terminal.complain(`${correction} Using ${url}`);
  }
  return url;
}

/** @throws UsageProblem when this cannot be a vendor. */
export function requireVendor(text: string): string {
  const vendor = readVendor(text);
  if (vendor === null) {
    throw new UsageProblem(
      '--vendor takes the first part of the version header: letters, digits and hyphens, such as "anthropic" in "anthropic-version".',
    );
  }
  return vendor;
}
