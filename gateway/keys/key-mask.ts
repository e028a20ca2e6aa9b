/** Removes the service key from what is passed to a client: as it is, escaped for JSON, and percent-encoded. */
export interface KeyMask {
  /** Returns the text with the key replaced. */
  readonly text: (text: string) => string;
  /**
   * Returns the bytes with the key overwritten by asterisks, in the same length. Does not find a key that is split between two
   * chunks.
   */
  readonly bytes: (chunk: Buffer) => Buffer;
}

const ASTERISK = 0x2a;

/** Shorter keys, as local services have them (`none`, `test`), are words that occur in valid answers. */
const MIN_LENGTH = 16;

/** Returns a function like {@link createKeyMask} that keeps the latest mask, because nearly all responses have the same key. */
export function createKeyMasks(): (key: string | null) => KeyMask {
  let latest: { readonly key: string | null; readonly mask: KeyMask } | null = null;
  return (key) => {
    if (latest === null || latest.key !== key) latest = { key, mask: createKeyMask(key) };
    return latest.mask;
  };
}

/** Creates a mask for the key that was sent; `null` and short keys mask nothing. */
export function createKeyMask(key: string | null): KeyMask {
  if (key === null || key.length < MIN_LENGTH)
    return { text: (text) => text, bytes: (chunk) => chunk };
  // Most keys are the same in all three forms.
  const forms = [...new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])];
  const secrets = forms.map((form) => Buffer.from(form));
  return {
    text: (text) => forms.reduce((masked, form) => masked.replaceAll(form, '<service key>'), text),
    bytes: (chunk) => secrets.reduce(overwritten, chunk),
  };
}

function overwritten(chunk: Buffer, secret: Buffer): Buffer {
  let at = chunk.indexOf(secret);
  if (at === -1) return chunk;
  const masked = Buffer.from(chunk);
  for (; at !== -1; at = masked.indexOf(secret, at)) {
    masked.fill(ASTERISK, at, at + secret.length);
  }
  return masked;
}
