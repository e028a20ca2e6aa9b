import { maskLocalKeys } from '../clients/clients.ts';
import { type Keys, openKeys, redactor } from '../keys/keys.ts';
import type { Lender } from '../lender.ts';
import type { Rooms } from '../rooms.ts';
import type { KeyRing } from './key-ring.ts';
import type { Roster } from './roster.ts';

/** Where keys come from. */
export interface KeyGround {
  readonly lender: Lender;
  readonly rooms: Rooms;
}

/** The key of the service at an address: the shell knows it; that of the sandbox came with it. */
export async function openKeysFor(
  baseUrl: string,
  roster: Roster,
  { lender, rooms }: KeyGround,
): Promise<Keys> {
  const sandbox = roster.lentSandbox;
  if (sandbox?.url !== baseUrl) return await lender.openServiceKey(baseUrl);
  const { secrets, log } = rooms.host;
  return await openKeys({ secrets, log, account: baseUrl, thisRunKey: sandbox.key });
}

/**
 * Whatever a service repeats and whoever writes it, no service key and no fixed local key gets into the databases. Returns what takes
 * those, and every other local key, out of a text.
 */
export function guardSecrets(ring: KeyRing, { clients, store }: Rooms): (text: string) => string {
  const serviceKeys = () => ring.secrets();
  const fixedKeys = () => clients.secrets();
  store.guard.add(serviceKeys, '<service key>');
  store.guard.add(fixedKeys, '<local key>');
  const redactServiceKeys = redactor(serviceKeys);
  const redactFixedKey = redactor(fixedKeys, '<local key>');
  return (text) => maskLocalKeys(redactFixedKey(redactServiceKeys(text)));
}
