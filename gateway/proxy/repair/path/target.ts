import { Problem } from '../../../../shared/problem.ts';

/** A request target in origin-form (RFC 9112 section 3.2.1): the path, and the query with its question mark or an empty string. */
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

/** Joins path and query, byte for byte. */
export function formatTarget({ path, query }: RequestTarget): string {
  return path + query;
}

/**
 * Rejects targets that two parsers could read differently: control characters (also percent-encoded), spaces, `#`, backslashes, and dot
 * segments in any spelling: encoded, encoded twice, or with a parameter.
 * @throws Problem invalid_path.
 */
export function checkTarget({ path, query }: RequestTarget): void {
  const target = path + query;
  if (!target.startsWith('/')) throw invalidPath('It must begin with a slash.');
  for (let index = 0; index < target.length; index += 1) {
    const code = target.charCodeAt(index);
    if (code <= 0x20 || code === 0x7f || code > 0xff) {
      throw invalidPath(
        'It contains a space, a control character or a character that must be percent-encoded.',
      );
    }
    if (code === 0x23) throw invalidPath('It contains “#”, which never belongs in a request.');
  }
  if (path.includes('\\')) throw invalidPath('It contains a backslash; write a slash.');
  if (path.includes('.') || path.includes('%')) checkDotSegments(path);
}

const ENCODED_CONTROL = /%(?:[01][0-9a-f]|7f)/iu;
const ENCODED = /%[0-9a-f]{2}/giu;
/**
 * Matches a dot segment. It may have a parameter (RFC 3986 section 3.3), or spaces and invisible characters in and around it, which some
 * servers remove before they resolve the path, as the repair does. All bytes beyond ASCII count as such characters.
 */
const DOT_SEGMENT = /^(?:[^\x21-\x7e]*\.){1,2}[^\x21-\x7e]*(?:;|$)/u;
/** Maximum number of encodings of a path. No meaningful name is encoded more often. */
const MAX_ENCODINGS = 4;

/** Checks the path as sent, and as servers see it that decode it once or several times. */
function checkDotSegments(path: string): void {
  let decodedPath = path;
  for (let times = 0; times <= MAX_ENCODINGS; times += 1) {
    if (decodedPath.split(/[/\\]/u).some((segment) => DOT_SEGMENT.test(segment))) {
      throw invalidPath('It contains “.” or “..” as a segment; remove it.');
    }
    if (!decodedPath.includes('%')) return;
    if (ENCODED_CONTROL.test(decodedPath))
      throw invalidPath('It contains an encoded control character.');
    const decoded = decodedPath.replace(ENCODED, (octet) =>
      String.fromCharCode(Number.parseInt(octet.slice(1), 16)),
    );
    if (decoded === decodedPath) return;
    decodedPath = decoded;
  }
  throw invalidPath('It is percent-encoded several times over; encode it once.');
}

function invalidPath(reason: string): Problem {
  return new Problem('invalid_path', `This address cannot be used. ${reason}`);
}
