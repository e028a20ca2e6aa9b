import { type UpstreamEndpoint, openConnectionsTo } from '../gateway/upstreams/connection-pool.ts';
import { openKeys, type Keys } from '../gateway/keys/keys.ts';
import {
  requestModelList,
  DEFAULT_VENDOR,
  parseBaseUrl,
  parseVersionVendor,
  type Upstreams,
} from '../gateway/upstreams/upstreams.ts';
import type { RedactingHost } from '../host/host.ts';
import { UsageError } from './errors.ts';
import type { CommandContext } from './command-context.ts';

/** The service that a command is about. */
export interface Service extends UpstreamEndpoint {
  readonly vendor: string;
}

export interface ServiceFlags {
  readonly upstream?: string;
  readonly vendor?: string;
}

/**
 * The service to use: the flag, then GATEHOUSE_UPSTREAM_URL, then the active one of the data folder; `null` when none is
 * configured. What was corrected in an address is told on standard error.
 * @throws InvalidBaseUrlError, UsageError
 */
export async function resolveService(
  context: CommandContext,
  upstreams: Upstreams,
  flags: ServiceFlags,
): Promise<Service | null> {
  const named = flags.upstream ?? context.envSettings.upstreamUrl;
  const stored = await upstreams.active();
  const baseUrl = named === undefined ? stored?.baseUrl : parseAddress(context, named);
  if (baseUrl === undefined) {
    return null;
  }
  const known = (await upstreams.list()).find((one) => one.baseUrl === baseUrl);
  const { versionVendor = DEFAULT_VENDOR, caFile = null, proxyUrl = null } = known ?? {};
  const vendor = flags.vendor === undefined ? versionVendor : parseVendor(flags.vendor);
  return { baseUrl, vendor, caFile, proxyUrl };
}

/** The same for a command that makes no sense without a service. @throws UsageError when none is configured. */
export async function requireService(
  context: CommandContext,
  upstreams: Upstreams,
  flags: ServiceFlags,
): Promise<Service> {
  const service = await resolveService(context, upstreams, flags);
  if (service === null) {
    throw new UsageError(
      describeKeyWithoutService(context) ??
        `No service is configured yet. Name one: ${context.command} key set --upstream https://models.example.com`,
    );
  }
  return service;
}

/** What is wrong when the environment gives a service key but no service is known; `null` when it gives none. */
export function describeKeyWithoutService({ envSettings }: CommandContext): string | null {
  return envSettings.upstreamKey === undefined
    ? null
    : 'GATEHOUSE_UPSTREAM_KEY is set, but no service: give GATEHOUSE_UPSTREAM_URL.';
}

export interface KeyLocation {
  readonly host: RedactingHost;
  /** Base address of the service. */
  readonly account: string;
  readonly thisRunKey?: string;
}

/** The service key of one service, from wherever this machine keeps it. @throws InvalidKeyError */
export async function openServiceKey(context: CommandContext, place: KeyLocation): Promise<Keys> {
  const { host, account, thisRunKey } = place;
  const environmentKey = context.envSettings.upstreamKey;
  const keys = await openKeys({
    secrets: host.secrets,
    fileStore: host.keyFile,
    account,
    log: host.log,
    ...(thisRunKey === undefined ? {} : { thisRunKey }),
    ...(environmentKey === undefined ? {} : { environmentKey }),
  });
  host.redactKeysOf(keys);
  return keys;
}

const LIST_TIMEOUT_MS = 10_000;

/** Fetches the model list with the key, connected as the service wants it. Rejects with the system's error when no answer comes within 10 s. */
export async function fetchModelList(service: UpstreamEndpoint, key: string) {
  const connections = await openConnectionsTo(service, {
    connectMs: LIST_TIMEOUT_MS,
    ownPorts: new Set(),
  });
  try {
    const { baseUrl } = service;
    return await requestModelList({
      baseUrl,
      key,
      timeoutMs: LIST_TIMEOUT_MS,
      dispatcher: connections.service,
    });
  } finally {
    await connections.close();
  }
}

function parseAddress(context: CommandContext, text: string): string {
  const { url, corrections } = parseBaseUrl(text);
  for (const correction of corrections) {
    context.terminal.printError(`${correction} Using ${url}`);
  }
  return url;
}

/** @throws UsageError when this cannot be a vendor. */
export function parseVendor(text: string): string {
  const vendor = parseVersionVendor(text);
  if (vendor === null) {
    throw new UsageError(
      '--vendor takes the first part of the version header: letters, digits and hyphens, such as "anthropic" in "anthropic-version".',
    );
  }
  return vendor;
}
