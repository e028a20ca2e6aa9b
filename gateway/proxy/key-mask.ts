/** Takes the service key out of what passes to a client. */
export interface KeyMask {
  /** The same text with the key replaced. */
  readonly text: (text: string) => string;
  /** The same bytes, the key in them overwritten with asterisks: the length stays. A key cut in two by the pieces of a body is not found. */
  readonly bytes: (chunk: Buffer) => Buffer;
}

const ASTERISK = 0x2a;

/** A mask for the key as it is now; `null` masks nothing. */
export function keyMask(key: string | null): KeyMask {
  if (key === null) return { text: (text) => text, bytes: (chunk) => chunk };
  const secret = Buffer.from(key);
  return {
    text: (text) => (text.includes(key) ? text.replaceAll(key, '<service key>') : text),
    bytes: (chunk) => {
      let at = chunk.indexOf(secret);
      if (at === -1) return chunk;
      const masked = Buffer.from(chunk);
      for (; at !== -1; at = masked.indexOf(secret, at)) {
        masked.fill(ASTERISK, at, at + secret.length);
      }
      return masked;
    },
  };
}
