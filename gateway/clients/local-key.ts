import { hash, timingSafeEqual } from 'node:crypto';

const PREFIX = 'gh-';
const KEY_BYTES = 32;
const KEY_PATTERN = /gh-[\w-]{43}/g;
const WHOLE_KEY_PATTERN = /^gh-[\w-]{43}$/;
/** Longer texts are not local keys; hashing them would only cost time. */
const MAX_LENGTH = 4_096;

/** Creates a local key: `gh-` and 43 base64url characters, 256 random bits. */
export function createLocalKey(randomBytes: (size: number) => Uint8Array): string {
  return `${PREFIX}${Buffer.from(randomBytes(KEY_BYTES)).toString('base64url')}`;
}

/** Returns whether a text looks like a local key that Gatehouse created. */
export function isLocalKey(text: string): boolean {
  return WHOLE_KEY_PATTERN.test(text);
}

/** Returns the stored form of a local key: its SHA-256. A random key of 256 bits needs no slower hash. */
export function hashLocalKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Returns the stored form of a local key in hexadecimal. */
export function toKeyHash(key: string): string {
  return hashLocalKey(key).toString('hex');
}

const MAX_DIGESTS = 64;

/** Remembers the stored forms of up to 64 keys, because nearly all requests have one of a few; with one more it begins anew. */
export class KeyDigests {
  readonly #digests = new Map<string, Buffer>();

  /** As {@link hashLocalKey}. */
  of(key: string): Buffer {
    return this.#digests.get(key) ?? hashLocalKey(key);
  }

  /** Remembers a key that belongs to a client. Whether it still does is for the caller to check each time. */
  remember(key: string): void {
    if (this.#digests.has(key)) return;
    if (this.#digests.size >= MAX_DIGESTS) this.#digests.clear();
    // A part of a longer text would keep all of that in memory.
    this.#digests.set(Buffer.from(key).toString(), hashLocalKey(key));
  }
}

/** Returns the local keys in a text. */
export function findLocalKeys(text: string): string[] {
  return text.match(KEY_PATTERN) ?? [];
}

/** Replaces every local key in a text with `<local key>`. */
export function maskLocalKeys(text: string): string {
  return text.includes(PREFIX) ? text.replaceAll(KEY_PATTERN, '<local key>') : text;
}

/**
 * Finds the first candidate that belongs to a hash. Compares every candidate with every hash in constant time, so that the
 * duration reveals nothing about a key. An empty candidate never matches. `digestOf`: as {@link hashLocalKey}.
 */
export function findMatchingKey(
  candidates: readonly string[],
  hashes: readonly Buffer[],
  digestOf: (key: string) => Buffer = hashLocalKey,
): { readonly candidate: number; readonly hash: number } | null {
  let found: { readonly candidate: number; readonly hash: number } | null = null;
  for (const [candidate, text] of candidates.entries()) {
    if (text === '' || text.length > MAX_LENGTH) {
      continue;
    }
    const digest = digestOf(text);
    for (const [index, known] of hashes.entries()) {
      const same = timingSafeEqual(digest, known);
      found = same && found === null ? { candidate, hash: index } : found;
    }
  }
  return found;
}

/** Parses the stored form of a local key; returns `null` when the text is not a SHA-256 hash. */
export function parseHash(text: string): Buffer | null {
  return /^[0-9a-f]{64}$/iu.test(text) ? Buffer.from(text, 'hex') : null;
}
