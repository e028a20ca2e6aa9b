import type { Client, NewClient } from '../../shared/client.ts';
import { findFreeName } from '../../shared/free-name.ts';
import { matchesPattern } from '../../shared/name-pattern.ts';
import { ClientError, type Clients } from '../clients/clients.ts';
import { findLocalKeys, toKeyHash } from '../clients/local-key.ts';
import { UserError } from '../errors.ts';
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
 * Finds the client of a program: that of its connection, or the one with its name, unless another program is connected as it.
 * `undefined` when there is none. @throws UserError when its keys have expired
 */
async function findJoined(
  clients: Clients,
  { name, old, connected }: ClientQuestion,
): Promise<Client | undefined> {
  await clients.reload();
  const active = await listActive(clients);
  const folded = name.toLowerCase();
  const found =
    active.find(({ id }) => id === old?.client.id) ??
    active.find(
      (one) =>
        one.kind === 'stored' && one.name.toLowerCase() === folded && !connected.includes(one.id),
    );
  if (found?.expired !== true) return found;
  throw new UserError(
    `The client “${found.name}” has expired, so its requests would be refused. Change its expiry first: in the window under Clients, or with “clients expiry”.`,
  );
}

/** Returns the name of the client of a program: a present one (see `findJoined`), or a free name for a new one. */
export async function findClientName(clients: Clients, question: ClientQuestion): Promise<string> {
  const joined = await findJoined(clients, question);
  if (joined !== undefined) return joined.name;
  const active = await listActive(clients);
  return findFreeName(
    question.name,
    active.map(({ name }) => name),
  );
}

/** Returns a text that stands for the client that a connection would join now, and for the models that it may use. */
export async function describeJoined(clients: Clients, question: ClientQuestion): Promise<string> {
  const joined = await findJoined(clients, question);
  return joined === undefined
    ? 'new'
    : JSON.stringify([joined.id, joined.models, joined.expiresAt]);
}

/** Says for which client the requests of a program will count, and which of its models that client may not use. */
export async function describeClient(
  clients: Clients,
  question: ClientQuestion,
  models: readonly string[],
): Promise<readonly string[]> {
  const joined = await findJoined(clients, question);
  const name = joined?.name ?? (await findClientName(clients, question));
  if (joined === undefined)
    return [`A client “${name}” is added for it, with no limit of its own.`];
  const allowed = joined.models;
  const refused = models.filter(
    (model) => allowed?.every((pattern) => !matchesPattern(pattern, model)) === true,
  );
  return [
    ...(joined.id === question.old?.client.id && name === question.name
      ? []
      : [
          `Its requests count for the client “${name}” that you have: what you set there holds for them.`,
        ]),
    ...new Set(refused.map((model) => `The client “${name}” may not use the model ${model}.`)),
  ];
}

/**
 * Returns the client of a connection with its key: the one it joins, or a new one. The key is that of the earlier connection where
 * the program has it still, in its files (`isInFiles`) or as a person has entered it. A client whose own key somebody may have
 * keeps it and gets one more. Runs under the lock of the connections, so that no two share a client.
 */
export async function prepareClient(
  clients: Clients,
  question: ClientQuestion,
  isInFiles: boolean,
): Promise<ConnectionClient> {
  const { old } = question;
  const found = await joinOrAdd(clients, question);
  if ('key' in found) {
    return toConnectionClient(found, async () => void (await clients.revoke(found.client.id)));
  }
  const joined = found;
  const isSame = old?.client.id === joined.id;
  const present = isSame ? await findPresentKey(clients, old) : null;
  if (present !== null) return toConnectionClient({ client: joined, key: present }, doNothing);
  const { keyHash } = old ?? {};
  if (isSame && !isInFiles && keyHash !== undefined && clients.hasKey(joined.id, keyHash)) {
    return { client: toReference(joined), key: null, keyHash, takeBack: doNothing };
  }
  if (isSame) await clients.endKey(joined.id, keyHash ?? null);
  const isFree = (await listActive(clients)).some(
    ({ id, onlyTemporaryKeys }) => id === joined.id && onlyTemporaryKeys,
  );
  const given = isFree
    ? await clients.renew(joined.id, joined.expiresAt)
    : await clients.addConnectionKey(joined.id);
  return toConnectionClient(given, async () => {
    await clients.endKey(joined.id, toKeyHash(given.key));
  });
}

/** Returns the client that a connection joins, or a new one with its key. */
async function joinOrAdd(clients: Clients, question: ClientQuestion): Promise<Client | NewClient> {
  for (let isAgain = false; ; isAgain = true) {
    const joined = await findJoined(clients, question);
    if (joined !== undefined) return joined;
    try {
      return await clients.add(await findClientName(clients, question));
    } catch (error) {
      // A start of the program, which takes no lock of the connections, may have added it meanwhile.
      if (isAgain || !(error instanceof ClientError)) throw error;
    }
  }
}

const doNothing = () => Promise.resolve();

function toConnectionClient(
  { client, key }: NewClient,
  takeBack: ConnectionClient['takeBack'],
): ConnectionClient {
  return { client: toReference(client), key, keyHash: toKeyHash(key), takeBack };
}

function toReference({ id, name }: Client): ConnectionClient['client'] {
  return { id, name };
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
  if (await clients.endKey(client.id, keyHash ?? null)) {
    log('info', 'A local key was ended, because its program was disconnected', {
      client: client.name,
    });
  }
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
