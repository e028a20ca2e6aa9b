import { Problem } from '../../../shared/problem.ts';

/** A request target in origin-form (RFC 9112 section 3.2.1): the path, and the query with its question mark or nothing. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

/** Cuts a target at its question mark. Nothing is decoded. */
export function splitTarget(target: string): Target {
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, query: '' };
  return { path: target.slice(0, mark), query: target.slice(mark) };
}

/**
 * Refuses what two readers could understand differently, before anybody acts on it: control characters (also percent-encoded),
 * spaces, `#`, backslashes, and dot segments in any spelling. Throws Problem invalid_path.
 */
export function checkTarget(target: string, path: string): void {
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
const ENCODED_SEPARATOR = /%2f|%5c/giu;
const ENCODED_DOT = /%2e/giu;

function checkDisguises(path: string): void {
  if (ENCODED_CONTROL.test(path)) throw invalid('It contains an encoded control character.');
  const plain = path.replace(ENCODED_SEPARATOR, '/').replace(ENCODED_DOT, '.');
  const dotted = plain.split('/').some((segment) => segment === '.' || segment === '..');
  if (dotted) throw invalid('It contains “.” or “..” as a step; write the address out.');
}

function invalid(reason: string): Problem {
  return new Problem('invalid_path', `This address cannot be used. ${reason}`);
}
