import type { Client } from '../../shared/client.ts';
import { findFreeName } from '../../shared/free-name.ts';
import type { Clients } from '../clients/clients.ts';
import { findLocalKeys } from '../clients/local-key.ts';
import type { Log } from '../host.ts';
import { CONFIG_FORMATS } from './edit/config-format.ts';
import type { JournalEntry, JournalFile } from './journal/journal.ts';
import { toText } from './text.ts';
import { readUserFile } from './write-file.ts';

/** The client of a connection with its local key. */
export interface ConnectionClient {
  readonly client: JournalEntry['client'];
  /** `null` where the person has entered it in the program before, and it stays. */
  readonly key: string | null;
  /** Whether it was added for this connection. */
  readonly isNew: boolean;
}

interface ClientQuestion {
  readonly name: string;
  readonly old: JournalEntry | null;
  /** Whether the files of the program hold the key. */
  readonly isInFiles: boolean;
  /** The ids of the clients that have a connection. */
  readonly connected: readonly string[];
}

/** Returns the local key of an earlier connection that its files still hold; `null` for none. */
export async function findPresentKey(
  clients: Clients,
  old: JournalEntry | null,
): Promise<string | null> {
  if (old === null) return null;
  const keys = await Promise.all(old.files.map(readKeys));
  const isValid = (key: string) => {
    const found = clients.find([key])?.client;
    return found?.id === old.client.id && !found.expired;
  };
  return keys.flat().find(isValid) ?? null;
}

/**
 * Returns the client of a connection: that of the earlier one with its key, the one with this name if it was never used and has no
 * connection, or a new one with this name or one like it. Runs under the lock of the connections, so that no two share a client.
 */
export async function prepareClient(
  clients: Clients,
  { name, old, isInFiles, connected }: ClientQuestion,
): Promise<ConnectionClient> {
  await clients.reload();
  const present = await findPresentKey(clients, old);
  if (old !== null && present !== null) return { client: old.client, key: present, isNew: false };
  const all = await clients.list();
  const active = all.filter(({ revokedAt }) => revokedAt === null);
  const own = active.find(({ id }) => id === old?.client.id);
  if (own !== undefined) {
    if (!isInFiles && !own.expired) return { client: toReference(own), key: null, isNew: false };
    return await renewClient(clients, own);
  }
  const folded = name.toLowerCase();
  const namesake = active.find((one) => one.kind === 'stored' && one.name.toLowerCase() === folded);
  const isFree = namesake !== undefined && !connected.includes(namesake.id);
  if (isFree && (await clients.isUnused(namesake.id))) return await renewClient(clients, namesake);
  const names = active.map((one) => one.name);
  const { client, key } = await clients.add(findFreeName(name, names));
  return { client: { id: client.id, name: client.name }, key, isNew: true };
}

/** Gives a client a new key. Its expiry stays, unless it has passed. */
async function renewClient(clients: Clients, client: Client): Promise<ConnectionClient> {
  const { key } = await clients.renew(client.id, client.expired ? null : client.expiresAt);
  return { client: toReference(client), key, isNew: false };
}

function toReference({ id, name }: Client): ConnectionClient['client'] {
  return { id, name };
}

/** Revokes the client of a connection, unless it is revoked already. */
export async function revokeClient(
  clients: Clients,
  { client }: JournalEntry,
  log: Log,
): Promise<void> {
  // Another process may have added it.
  await clients.reload();
  const known = await clients.list();
  if (known.every(({ id, revokedAt }) => id !== client.id || revokedAt !== null)) return;
  await clients.revoke(client.id);
  log('info', 'A local key was revoked, because its program was disconnected', {
    client: client.name,
  });
}

async function readKeys({ path, format, fields }: JournalFile): Promise<readonly string[]> {
  try {
    const { bytes } = await readUserFile(path);
    if (bytes === null) return [];
    const text = toText(bytes, path);
    return fields.flatMap((field) => {
      const value = CONFIG_FORMATS[format].read(text, field.path);
      return value === undefined ? [] : findLocalKeys(JSON.stringify(value));
    });
  } catch {
    // A file that cannot be read holds no key that can be used again.
    return [];
  }
}
