/** A boundary is 1 to 70 of these and does not end in a space (RFC 2046 section 5.1.1). */
const FIRST_LINE = /^(?:\r?\n)?--([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])[ \t]*\r?\n([\s\S]{0,8})/u;

/** The most that is looked at: a boundary, its line, and the beginning of the next one. */
const LOOK = 96;

/**
 * The boundary of a multipart body, read from its first line; `null` when the body does not begin like one: a line of two
 * hyphens and a boundary, then a part's header, of which all begin with `Content-` (RFC 2046 section 5.1).
 */
export function detectBoundary(start: Uint8Array): string | null {
  const text = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, LOOK));
  const match = FIRST_LINE.exec(text.toString('latin1'));
  if (match === null) return null;
  const header = (match[2] ?? '').toLowerCase();
  return 'content-'.startsWith(header) ? (match[1] ?? null) : null;
}

/** Whether the body begins with a part of this boundary. */
export function startsWithPart(start: Uint8Array, boundary: string): boolean {
  const text = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, LOOK));
  return text.toString('latin1').trimStart().startsWith(`--${boundary}`);
}
