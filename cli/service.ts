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
 * Finds the service to use: the flag, then GATEHOUSE_UPSTREAM_URL, then the active one of the data folder; `null` when none is
 * configured. Corrections of an address are printed on standard error. @throws InvalidBaseUrlError, UsageError
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

/** Explains the problem when the environment contains a service key but no service is known; `null` when there is none. */
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

/** Opens the service key of one service, from wherever this machine stores it. @throws InvalidKeyError */
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
  host.redactKeys(keys);
  return keys;
}

const LIST_TIMEOUT_MS = 10_000;

/**
 * Fetches the model list with the key and the service's connection settings. Rejects with the system's error when there is no response
 * within 10 s.
 */
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

/** Parses a vendor. @throws UsageError when it is not a valid one. */
export function parseVendor(text: string): string {
  const vendor = parseVersionVendor(text);
  if (vendor === null) {
    throw new UsageError(
      '--vendor takes the first part of the version header: letters, digits and hyphens, such as "anthropic" in "anthropic-version".',
    );
  }
  return vendor;
}
