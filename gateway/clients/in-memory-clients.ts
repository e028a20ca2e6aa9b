import { ClientId, type Client, type ClientSummary } from '../../shared/client.ts';
import { ClientError } from './client-error.ts';
import { hashLocalKey } from './local-key.ts';

/** A client and the hash of its local key. */
export interface ClientWithHash {
  readonly client: Client;
  readonly hash: Buffer;
}

/** A fixed local key is too weak or not a single word. */
export class InvalidLocalKeyError extends ClientError {}

/** Name of the client of the fixed local key. */
export const FIXED_CLIENT_NAME = 'Environment';
/** Name of the client for the window's own calls. */
const WINDOW_CLIENT_NAME = 'Window';
/** Name of the client for the answers in conversations. */
const CHAT_CLIENT_NAME = 'Chat';

const FIXED_ID = ClientId.parse('environment');
const WINDOW_ID = ClientId.parse('window');
const CHAT_ID = ClientId.parse('chat');

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
  const client = { id: FIXED_ID, name: FIXED_CLIENT_NAME, createdAt, revokedAt: null };
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

/** Creates the client of the window for a key. */
export function createWindowClient(key: string, createdAt: number): ClientWithHash {
  const client = { id: WINDOW_ID, name: WINDOW_CLIENT_NAME, createdAt, revokedAt: null };
  return { client, hash: hashLocalKey(key) };
}

/** Creates the client of the conversations for a key. */
export function createChatClient(key: string, createdAt: number): ClientWithHash {
  const client = { id: CHAT_ID, name: CHAT_CLIENT_NAME, createdAt, revokedAt: null };
  return { client, hash: hashLocalKey(key) };
}

export function toClientKind(id: ClientId): ClientSummary['kind'] {
  if (id === FIXED_ID) return 'environment';
  if (id === CHAT_ID) return 'chat';
  return id === WINDOW_ID ? 'window' : 'stored';
}

/** Returns why this client cannot be changed; `null` for a stored one. */
export function readOnlyReason(id: ClientId): string | null {
  if (id === FIXED_ID) {
    return 'This local key comes from the environment. Start Gatehouse without GATEHOUSE_LOCAL_KEY to remove it.';
  }
  if (id === CHAT_ID) {
    return 'This is the chat of this window. It gets another local key at every start.';
  }
  return id === WINDOW_ID
    ? 'This is the window itself. It gets another local key at every start.'
    : null;
}
