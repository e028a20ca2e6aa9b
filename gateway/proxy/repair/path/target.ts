import { Problem } from '../../../../shared/problem.ts';

/** A request target in origin-form (RFC 9112 section 3.2.1): the path, and the query with its question mark or nothing. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/** Splits a target at its question mark. Nothing is decoded. */
export function parseTarget(target: string): RequestTarget {
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, query: '' };
  return { path: target.slice(0, mark), query: target.slice(mark) };
}

/** Joins a target again, byte for byte. */
export function formatTarget({ path, query }: RequestTarget): string {
  return path + query;
}

/**
 * Refuses what two readers could understand differently, before anybody acts on it: control characters (also percent-encoded),
 * spaces, `#`, backslashes, and dot segments in any spelling: encoded, encoded again, or with a parameter. Throws Problem invalid_path.
 */
export function checkTarget({ path, query }: RequestTarget): void {
  const target = path + query;
  if (!target.startsWith('/')) throw invalid('It has to begin with a slash.');
  for (let index = 0; index < target.length; index += 1) {
    const code = target.charCodeAt(index);
    if (code <= 0x20 || code === 0x7f || code > 0xff) {
      throw invalid(
        'It contains a space, a control character or a letter that must be percent-encoded.',
      );
    }
    if (code === 0x23) throw invalid('It contains “#”, which never belongs in a request.');
  }
  if (path.includes('\\')) throw invalid('It contains a backslash; write a slash.');
  if (path.includes('.') || path.includes('%')) checkDisguises(path);
}

const ENCODED_CONTROL = /%(?:[01][0-9a-f]|7f)/iu;
const ENCODED = /%[0-9a-f]{2}/giu;
/**
 * A step may carry a parameter (RFC 3986 section 3.3), or spaces and invisible signs in and around it, which some servers take off before
 * they walk the path, as repair does. The bytes of such signs are told from no others beyond ASCII.
 */
const DOT_STEP = /^(?:[^\x21-\x7e]*\.){1,2}[^\x21-\x7e]*(?:;|$)/u;
/** Nothing that is meant as a name is encoded more often than this. */
const MAX_ENCODINGS = 4;

/** Looks at the path as it is, and as servers see it that decode it once or several times. */
function checkDisguises(path: string): void {
  let plain = path;
  for (let times = 0; times <= MAX_ENCODINGS; times += 1) {
    if (plain.split(/[/\\]/u).some((step) => DOT_STEP.test(step))) {
      throw invalid('It contains “.” or “..” as a step; write the address out.');
    }
    if (!plain.includes('%')) return;
    if (ENCODED_CONTROL.test(plain)) throw invalid('It contains an encoded control character.');
    const decoded = plain.replace(ENCODED, (octet) =>
      String.fromCharCode(Number.parseInt(octet.slice(1), 16)),
    );
    if (decoded === plain) return;
    plain = decoded;
  }
  throw invalid('It is percent-encoded several times over; encode it once.');
}

function invalid(reason: string): Problem {
  return new Problem('invalid_path', `This address cannot be used. ${reason}`);
}
