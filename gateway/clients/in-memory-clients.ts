import {
  ClientId,
  type Client,
  type ClientSummary,
  VIDEOS_CLIENT_ID,
  VIDEOS_CLIENT_NAME,
} from '../../shared/client.ts';
import { ClientError } from './client-error.ts';
import { hashLocalKey } from './local-key.ts';

/** A client and the hash of its local key. */
export interface ClientWithHash {
  readonly client: Client;
  readonly hash: Buffer;
  /** Unix time in milliseconds from which this key is unknown; absent for the client's own key. */
  readonly until?: number;
  /** The project that the program with this key works on; absent when it is not known. */
  readonly project?: string;
}

/** A fixed local key is too weak or not a single word. */
export class InvalidLocalKeyError extends ClientError {}

/** Name of the client of the fixed local key. */
export const FIXED_CLIENT_NAME = 'Environment';

/** The clients with which Gatehouse calls its own proxy, each with a local key in memory, and why they cannot be changed. */
const OWN_CLIENTS = {
  window: { name: 'Window', about: 'This is the window itself.' },
  chat: { name: 'Chat', about: 'This is the chat of this window.' },
  terminal: { name: 'Terminal', about: 'This is the command gatehouse ask.' },
  replay: { name: 'Replay', about: 'These are requests of the history that were sent again.' },
} as const;

export type OwnClient = keyof typeof OWN_CLIENTS;

const FIXED_ID = ClientId.parse('environment');
/** Stands for all callers without a valid local key. */
export const UNKNOWN_ID = ClientId.parse('unknown');
/** Name of all callers without a valid local key. */
const UNKNOWN_CLIENT_NAME = 'Unknown callers';

const MIN_FIXED_KEY_LENGTH = 24;
/** A random text of the required length has more distinct characters, even in hexadecimal digits. */
const MIN_DISTINCT_CHARACTERS = 8;
/** Maximum share of similar neighbours. In a random text of digits it is about 0.3, in others less. */
const MAX_SIMILARITY = 2 / 3;

/** @throws InvalidLocalKeyError when the fixed local key is too weak or not a single word. */
export function createFixedClient(key: string, createdAt: number): ClientWithHash {
  if (!/^[\x21-\x7e]+$/u.test(key) || key.length < MIN_FIXED_KEY_LENGTH) {
    throw new InvalidLocalKeyError(
      `GATEHOUSE_LOCAL_KEY needs at least ${MIN_FIXED_KEY_LENGTH} visible ASCII characters without spaces. Create one with: openssl rand -hex 24`,
    );
  }
  if (new Set(key).size < MIN_DISTINCT_CHARACTERS || isRepeated(key) || isSequence(key)) {
    throw new InvalidLocalKeyError(
      `GATEHOUSE_LOCAL_KEY is too easy to guess: it needs at least ${MIN_DISTINCT_CHARACTERS} different characters and must be neither a repeated part nor a sequence such as abcdef or 654321. Create one with: openssl rand -hex 24`,
    );
  }
  const client = createClient(FIXED_ID, FIXED_CLIENT_NAME, createdAt);
  return { client, hash: hashLocalKey(key) };
}

/** Returns whether a text repeats one shorter text; the last repetition may be incomplete. */
function isRepeated(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period += 1) {
    if (text.startsWith(text.slice(period))) return true;
  }
  return false;
}

/** Returns whether most characters equal the one before, or follow it upwards or downwards, as in `abcd` and `9876`. */
function isSequence(text: string): boolean {
  let near = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (Math.abs(text.charCodeAt(at) - text.charCodeAt(at - 1)) <= 1) near += 1;
  }
  return near > (text.length - 1) * MAX_SIMILARITY;
}

function createClient(id: ClientId, name: string, createdAt: number): Client {
  return {
    id,
    name,
    createdAt,
    revokedAt: null,
    expiresAt: null,
    expired: false,
    keepBodiesDays: null,
    models: null,
    onlyTemporaryKeys: false,
  };
}

/** The clients that Gatehouse itself defines, as they are listed where this process has not created them. */
export const BUILT_IN_CLIENTS: readonly Client[] = [
  ...Object.entries(OWN_CLIENTS).map(([id, { name }]) => createClient(ClientId.parse(id), name, 0)),
  createClient(VIDEOS_CLIENT_ID, VIDEOS_CLIENT_NAME, 0),
  createClient(UNKNOWN_ID, UNKNOWN_CLIENT_NAME, 0),
];

/** Returns whether a name is one of Gatehouse itself, so that a client with it could not be told apart in the history. */
export function isReservedName(name: string): boolean {
  const lower = name.toLowerCase();
  return [VIDEOS_CLIENT_NAME, UNKNOWN_CLIENT_NAME, 'unknown'].some(
    (reserved) => reserved.toLowerCase() === lower,
  );
}

/** Creates a client of Gatehouse itself for a key. */
export function createOwnClient(own: OwnClient, key: string, createdAt: number): ClientWithHash {
  const client = createClient(ClientId.parse(own), OWN_CLIENTS[own].name, createdAt);
  return { client, hash: hashLocalKey(key) };
}

function isOwnClient(id: string): id is OwnClient {
  return Object.hasOwn(OWN_CLIENTS, id);
}

export function toClientKind(id: string): ClientSummary['kind'] {
  if (id === FIXED_ID) return 'environment';
  if (id === VIDEOS_CLIENT_ID) return 'videos';
  if (id === UNKNOWN_ID) return 'unknown';
  return isOwnClient(id) ? id : 'stored';
}

/** Returns why this client cannot be changed; `null` for a stored one. */
function readOnlyReason(id: string): string | null {
  if (id === FIXED_ID) {
    return 'This local key comes from the environment. Start Gatehouse without GATEHOUSE_LOCAL_KEY to remove it.';
  }
  return isOwnClient(id)
    ? `${OWN_CLIENTS[id].about} Its client gets another local key at every start.`
    : null;
}

/** @throws ClientError for a client that Gatehouse defines itself */
export function assertChangeable({ id }: Client): void {
  const reason = readOnlyReason(id);
  if (reason !== null) throw new ClientError(reason);
}
