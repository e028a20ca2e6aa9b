import { maskLocalKeys } from '../clients/clients.ts';
import { type Keys, openKeys, createRedactor } from '../keys/keys.ts';
import type { PlatformAdapter } from '../platform.ts';
import type { Repositories } from '../repositories.ts';
import type { KeyRing } from '../upstreams/key-ring.ts';
import type { UpstreamCatalog } from '../upstreams/upstream-catalog.ts';

/** Dependencies for opening service keys. */
export interface ServiceKeyDeps {
  readonly platform: PlatformAdapter;
  readonly repositories: Repositories;
}

/** Opens the key of the service at an address: the shell's, or that of the running sandbox. */
export async function openServiceKeys(
  baseUrl: string,
  catalog: UpstreamCatalog,
  { platform, repositories }: ServiceKeyDeps,
): Promise<Keys> {
  const sandbox = catalog.runningSandbox;
  if (sandbox?.url !== baseUrl) return await platform.openServiceKey(baseUrl);
  const { secrets, log } = repositories.host;
  return await openKeys({ secrets, log, account: baseUrl, thisRunKey: sandbox.key });
}

/**
 * Keeps service keys and fixed local keys out of the databases, whoever writes them. Returns a function that redacts them, and every
 * other local key, in a text.
 */
export function guardSecrets(
  ring: KeyRing,
  { clients, store }: Repositories,
): (text: string) => string {
  const serviceKeys = () => ring.secrets();
  const fixedKeys = () => clients.secrets();
  store.guard.add(serviceKeys, '<service key>');
  store.guard.add(fixedKeys, '<local key>');
  const redactServiceKeys = createRedactor(serviceKeys);
  const redactFixedKey = createRedactor(fixedKeys, { mask: '<local key>' });
  return (text) => maskLocalKeys(redactFixedKey(redactServiceKeys(text)));
}
