/** Takes the service key out of what passes to a client: as it is, escaped for JSON, and percent-encoded. */
export interface KeyMask {
  /** The same text with the key replaced. */
  readonly text: (text: string) => string;
  /** The same bytes, the key in them overwritten with asterisks: the length stays. A key cut in two by the pieces of a body is not found. */
  readonly bytes: (chunk: Buffer) => Buffer;
}

const ASTERISK = 0x2a;

/** Shorter keys, as services on one's own machine have them (`none`, `test`), are words that stand in good answers, too. */
const MIN_LENGTH = 16;

/** A mask for the key that was sent; `null` and short ones mask nothing. */
export function keyMask(key: string | null): KeyMask {
  if (key === null || key.length < MIN_LENGTH)
    return { text: (text) => text, bytes: (chunk) => chunk };
  // Most keys look the same in all of them.
  const forms = [...new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])];
  const secrets = forms.map((form) => Buffer.from(form));
  return {
    text: (text) => forms.reduce((clean, form) => clean.replaceAll(form, '<service key>'), text),
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
