import { maskLocalKeys } from '../clients/clients.ts';
import { type Keys, openKeys, redactor } from '../keys/keys.ts';
import type { Lender } from '../lender.ts';
import type { Rooms } from '../rooms.ts';
import type { KeyRing } from './key-ring.ts';
import type { Roster } from './roster.ts';
import type { Store } from '../store/store.ts';

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

/** Takes every service key and every local key out of a text. */
export function redactorFor(ring: KeyRing, { clients }: Rooms): (text: string) => string {
  const redactServiceKeys = redactor(() => ring.secrets());
  const redactFixedKey = redactor(() => clients.secrets(), '<local key>');
  return (text) => maskLocalKeys(redactFixedKey(redactServiceKeys(text)));
}

/** Whatever a service repeats and whoever writes it: no service key and no fixed local key gets into the databases. */
export function keepSecretsOut({ guard }: Store, ring: KeyRing, { clients }: Rooms): void {
  guard.add(() => ring.secrets(), '<service key>');
  guard.add(() => clients.secrets(), '<local key>');
}
