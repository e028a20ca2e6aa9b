import type { Client, NewClient } from '../../shared/client.ts';
import { findFreeName } from '../../shared/free-name.ts';
import type { Clients } from '../clients/clients.ts';
import { findLocalKeys, toKeyHash } from '../clients/local-key.ts';
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
  readonly keyHash: JournalEntry['keyHash'];
  /** Takes back what was added for this connection, when it is not made. */
  readonly takeBack: () => Promise<void>;
}

/** Which client a connection of a program joins. */
interface ClientQuestion {
  readonly name: string;
  readonly old: JournalEntry | null;
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
 * Finds the client that a new connection of a program joins: that of the earlier connection, or the one with the name of the
 * program, unless another program is connected as it. `undefined` when there is none.
 */
async function findJoined(
  clients: Clients,
  { name, old, connected }: ClientQuestion,
): Promise<Client | undefined> {
  const active = await listActive(clients);
  const folded = name.toLowerCase();
  return (
    active.find(({ id }) => id === old?.client.id) ??
    active.find(
      (one) =>
        one.kind === 'stored' && one.name.toLowerCase() === folded && !connected.includes(one.id),
    )
  );
}

/** Says for which client the requests of a program will count. */
export async function describeClient(
  clients: Clients,
  question: ClientQuestion,
): Promise<readonly string[]> {
  await clients.reload();
  const { name, old } = question;
  const joined = await findJoined(clients, question);
  if (joined === undefined) return [`A client for ${name} is added. It has no limit yet.`];
  if (joined.id === old?.client.id) return [];
  return [
    `Its requests count for the client “${joined.name}” that you have: what you set there holds for them.`,
  ];
}

/**
 * Returns the client of a connection with its key: the one it joins, or a new one with the name of the program or one like it.
 * The key is that of the earlier connection where the program has it still, in its files (`isInFiles`) or as a person has entered it. A client whose own key may be in use keeps it and gets
 * one more. Runs under the lock of the connections, so that no two share a client.
 */
export async function prepareClient(
  clients: Clients,
  question: ClientQuestion,
  isInFiles: boolean,
): Promise<ConnectionClient> {
  const { name, old } = question;
  await clients.reload();
  const present = await findPresentKey(clients, old);
  if (old !== null && present !== null) return keep(old, present);
  const joined = await findJoined(clients, question);
  if (joined === undefined) {
    const names = (await listActive(clients)).map((one) => one.name);
    const added = await clients.add(findFreeName(name, names));
    return toConnectionClient(added, async () => void (await clients.revoke(added.client.id)));
  }
  if (old?.client.id === joined.id) {
    if (!isInFiles && !joined.expired) return keep(old, null);
    await clients.endKey(joined.id, old.keyHash ?? null);
  }
  const given = await giveKey(clients, joined);
  return toConnectionClient(given, () => clients.endKey(joined.id, toKeyHash(given.key)));
}

function keep({ client, keyHash }: JournalEntry, key: ConnectionClient['key']): ConnectionClient {
  return { client, key, keyHash, takeBack: async () => undefined };
}

function toConnectionClient(
  { client: { id, name }, key }: NewClient,
  takeBack: ConnectionClient['takeBack'],
): ConnectionClient {
  return { client: { id, name }, key, keyHash: toKeyHash(key), takeBack };
}

/** Gives a client a key for a connection: a new own one where nobody uses it. Its expiry stays, unless it has passed. */
async function giveKey(clients: Clients, { id, expired }: Client): Promise<NewClient> {
  if (expired) await clients.setExpiry(id, null);
  const client = (await listActive(clients)).find((one) => one.id === id);
  const isFree = client?.onlyTemporaryKeys === true || (await clients.isUnused(id));
  if (isFree) return await clients.renew(id, client?.expiresAt ?? null);
  return await clients.addConnectionKey(id);
}

async function listActive(clients: Clients) {
  return (await clients.list()).filter(({ revokedAt }) => revokedAt === null);
}

/** Ends the local key of a connection. Its client stays, with its limits. */
export async function endConnectionKey(
  clients: Clients,
  { client, keyHash }: JournalEntry,
  log: Log,
): Promise<void> {
  await clients.endKey(client.id, keyHash ?? null);
  log('info', 'A local key was ended, because its program was disconnected', {
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
