import { ClientId, type Client, type ClientSummary } from '../../shared/client.ts';
import { ClientError } from './client-error.ts';
import { hashLocalKey } from './local-key.ts';

/** A client and the hash of its local key. */
export interface ClientWithHash {
  readonly client: Client;
  readonly hash: Buffer;
}

/** A fixed local key that is too weak or no single word. */
export class InvalidLocalKeyError extends ClientError {}

/** The client of the fixed local key. */
export const FIXED_CLIENT_NAME = 'Environment';
/** The client of the window's own calls. */
const WINDOW_CLIENT_NAME = 'Window';
/** The client of the answers in conversations. */
const CHAT_CLIENT_NAME = 'Chat';

const FIXED_ID = ClientId.parse('environment');
const WINDOW_ID = ClientId.parse('window');
const CHAT_ID = ClientId.parse('chat');

const MIN_FIXED_KEY_LENGTH = 24;
/** A random text of that length has more, also one in hexadecimal digits. */
const MIN_DISTINCT_CHARACTERS = 8;
/** Of neighbouring characters. In a random text of digits it is about 0.3, in others less. */
const MAX_SIMILARITY = 2 / 3;

/** @throws UnusableLocalKey when the fixed local key is too weak or no single word. */
export function createFixedClient(key: string, createdAt: number): ClientWithHash {
  if (!/^[\x21-\x7e]+$/u.test(key) || key.length < MIN_FIXED_KEY_LENGTH) {
    throw new InvalidLocalKeyError(
      `GATEHOUSE_LOCAL_KEY needs at least ${MIN_FIXED_KEY_LENGTH} visible ASCII characters without spaces. Make one with: openssl rand -hex 24`,
    );
  }
  if (new Set(key).size < MIN_DISTINCT_CHARACTERS || isRepeated(key) || isSequence(key)) {
    throw new InvalidLocalKeyError(
      `GATEHOUSE_LOCAL_KEY is too easy to guess: it needs at least ${MIN_DISTINCT_CHARACTERS} different characters and must be neither one part again and again nor a row such as abcdef or 654321. Make one with: openssl rand -hex 24`,
    );
  }
  const client = { id: FIXED_ID, name: FIXED_CLIENT_NAME, createdAt, revokedAt: null };
  return { client, hash: hashLocalKey(key) };
}

/** Whether a text is one shorter text twice or more often; the last time it may break off. */
function isRepeated(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period += 1) {
    if (text.startsWith(text.slice(period))) return true;
  }
  return false;
}

/** Whether most characters are the same as the one before, or its neighbour in the order of characters, upwards or downwards. */
function isSequence(text: string): boolean {
  let near = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (Math.abs(text.charCodeAt(at) - text.charCodeAt(at - 1)) <= 1) near += 1;
  }
  return near > (text.length - 1) * MAX_SIMILARITY;
}

/** The client of the window, with a key that was made for it. */
export function createWindowClient(key: string, createdAt: number): ClientWithHash {
  const client = { id: WINDOW_ID, name: WINDOW_CLIENT_NAME, createdAt, revokedAt: null };
  return { client, hash: hashLocalKey(key) };
}

/** The client of the conversations, with a key that was made for it. */
export function createChatClient(key: string, createdAt: number): ClientWithHash {
  const client = { id: CHAT_ID, name: CHAT_CLIENT_NAME, createdAt, revokedAt: null };
  return { client, hash: hashLocalKey(key) };
}

export function toClientKind(id: ClientId): ClientSummary['kind'] {
  if (id === FIXED_ID) return 'environment';
  if (id === CHAT_ID) return 'chat';
  return id === WINDOW_ID ? 'window' : 'stored';
}

/** Why this client cannot be changed; `null` for one that is kept here. */
export function readOnlyReason(id: ClientId): string | null {
  if (id === FIXED_ID) {
    return 'This local key comes from the environment. Start Gatehouse without GATEHOUSE_LOCAL_KEY to end it.';
  }
  if (id === CHAT_ID) {
    return 'These are the conversations of this window. They get another local key at every start.';
  }
  return id === WINDOW_ID
    ? 'This is the window itself. It gets another local key at every start.'
    : null;
}
