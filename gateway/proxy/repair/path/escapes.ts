import { isUtf8 } from 'node:buffer';

const ESCAPE = /%[0-9a-f]{2}/giu;
const ESCAPES = /(?:%[0-9a-f]{2})+/giu;
const UNRESERVED = /^[a-z0-9._~-]$/iu;

/** A path whose needless escapes are decoded: letters, digits and `-._~` mean the same without them (RFC 3986 section 6.2.2.2). */
export function decodeUnreserved(path: string): string {
  return path.replace(ESCAPE, (escape) => {
    const sign = String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
    return UNRESERVED.test(sign) ? sign : escape;
  });
}

/** Somebody who decodes this often does not mean it well. */
const MAX_ROUNDS = 8;

/** A path as it is read by services that decode everything, also what was encoded several times over. Escapes that stand for nothing stay. */
export function decodeFully(path: string): string {
  let text = path;
  for (let round = 0; round < MAX_ROUNDS && text.includes('%'); round += 1) {
    const plain = text.replace(ESCAPES, decoded);
    if (plain === text) break;
    text = plain;
  }
  return text;
}

/** Without the exceptions of `decodeURIComponent`: a path of 60 KB can have thousands of escapes that stand for nothing, and each costs microseconds. */
function decoded(escapes: string): string {
  const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
  if (isUtf8(bytes)) return bytes.toString();
  // Not UTF-8 as a whole: the signs of ASCII among it are read all the same.
  return escapes.replace(ESCAPE, (escape) => {
    const code = Number.parseInt(escape.slice(1), 16);
    return code < 0x80 ? String.fromCodePoint(code) : escape;
  });
}
