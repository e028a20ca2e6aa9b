import type { Repair } from '../../../../shared/repair.ts';
import {
  matchEndpoint,
  isEndpointWord,
  isText,
  type Root,
  matchApiRoot,
  rootWords,
  type Segments,
  parseSegments,
} from './path-grammar.ts';
import { isForeignPrefix, throwUnknownPath } from './unknown-path.ts';
import { type PathChange, pathRepairs } from './path-advice.ts';
import { checkTarget, type RequestTarget } from './target.ts';

/** A target as the service is meant to see it, and what was corrected on the way. */
export interface RepairedPath {
  readonly target: RequestTarget;
  readonly repairs: Repair[];
}

/** Paths that need no look: what well-configured clients ask for all day. */
const CLEAN: ReadonlySet<string> = new Set([
  '/v1/models',
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/files',
  '/v1/videos',
]);

/**
 * Finds out which address of the service a client meant. `base` is the local base address without `/v1`, for the advice.
 *
 * The rules, in the order in which they decide:
 *
 * 1. Slashes are collapsed: doubled ones and those at the end mean nothing.                     path-slashes
 *    Encoded spaces and invisible signs around a segment were pasted along and are taken off.   path-spaces
 * 2. A `v1` followed by a known route starts anew, and the last such place wins, for that is what the client appended to
 *    whatever base address somebody typed. What stands before it is dropped.                     path-doubled, path-prefix
 *        /v1/messages/v1/messages        → /v1/messages
 *        /api/v1/v1/messages             → /v1/messages
 *        /any/thing/v1/chat/completions  → /v1/chat/completions
 * 3. Without such a place, `v1` may follow well-known prefixes and may be repeated; what comes after it is none of our
 *    business.                                                                                  path-doubled, path-prefix
 *        /openai/v1/embeddings           → /v1/embeddings
 *        /v1/v1/embeddings               → /v1/embeddings
 *        /v1/files/v1/content            stays: the file is called v1
 * 4. Without any such `v1`, a known route at the start or after well-known prefixes gets it.     path-missing-v1
 *        /messages                       → /v1/messages
 *        /openai/chat/completions        → /v1/chat/completions
 *    Anything else is an unknown path (404, with what was probably meant).
 * 5. Routes that follow each other without `v1` are concatenations, unless the grammar of sub-resources and the method say
 *    that the later word is an id. The last route that fits wins.                               path-doubled
 *        POST /v1/responses/chat/completions     → /v1/chat/completions
 *        POST /v1/files/messages                 → /v1/messages: nothing can be posted to a file
 *        GET  /v1/files/messages                 stays: the file is called messages
 *        POST /v1/responses/messages/cancel      stays: `cancel` continues a response, and not messages
 *        GET  /v1/models/chat/completions        stays: model ids have slashes
 *        GET  /v1/models/models                  → /v1/models: no model is called so
 *        POST /v1/chat/responses                 → /v1/responses: `chat` alone is no route
 *        GET  /v1/chat/completions/models        → /v1/models: after a route that takes text, a route word is never an id
 * 6. `v1`, route words and the fixed words of sub-resources are written in small letters, without percent-escapes (RFC 3986
 *    section 6.2.2.2) and without parameters after a semicolon; ids are kept.                    path-case, path-encoding
 *
 * The query is kept byte for byte, and so is everything that these rules do not name. There is one repair for each kind of
 * mistake, all with the same before and after (without the query, which may hold a key). The result is stable: repairing it again
 * changes nothing. Throws Problem: invalid_path, unknown_path.
 */
export function repairPath(method: string, target: RequestTarget, base: string): RepairedPath {
  const { path, query } = target;
  checkTarget(target);
  if (CLEAN.has(path)) return { target, repairs: [] };
  const segments = parseSegments(path);
  const kept = keptPart(segments, method) ?? throwUnknownPath(segments, path, base);
  const meant = `/v1${kept.words.map((word) => `/${word}`).join('')}`;
  if (meant === path) return { target, repairs: [] };
  checkTarget({ path: meant, query: '' });
  return {
    target: { path: meant, query },
    repairs: pathRepairs(segments, kept, { path, meant, base }),
  };
}

/** The part of the path that counts; `null` when no rule knows one. */
function keptPart(segments: Segments, method: string): PathChange | null {
  for (let index = segments.raw.length - 2; index >= 0; index -= 1) {
    const root = segments.lower[index] === 'v1' ? routeAt(segments, index + 1) : null;
    if (root !== null) return keptRoute(segments, lastRoute(segments, root, method), method);
  }
  let start = 0;
  while (isForeignPrefix(segments.lower[start])) start += 1;
  if (segments.lower[start] === 'v1') return keptUnknown(segments, start);
  const root = routeAt(segments, start);
  return root && keptRoute(segments, lastRoute(segments, root, method), method);
}

/** The route at this place, or right behind a `chat` that belongs to no route. */
function routeAt(segments: Segments, at: number): Root | null {
  return (
    matchApiRoot(segments, at) ??
    (segments.lower[at] === 'chat' ? matchApiRoot(segments, at + 1) : null)
  );
}

/** Rule 3: the last `v1` of a row of them, and whatever follows. */
function keptUnknown(segments: Segments, firstVersion: number): PathChange {
  let version = firstVersion;
  while (segments.lower[version + 1] === 'v1') version += 1;
  return { root: null, start: version + 1, words: segments.raw.slice(version + 1) };
}

function keptRoute(segments: Segments, root: Root, method: string): PathChange {
  const tail = segments.raw.slice(root.tail);
  const shape = matchEndpoint(segments, root, method);
  const proper = tail.map((segment, index) => properCase(segment, shape?.[index]));
  return { root, start: root.start, words: [...rootWords(root.family), ...proper] };
}

function properCase(segment: string, word: string | undefined): string {
  return word === undefined || word.startsWith('{') ? segment : word;
}

/** Rule 5: of the routes that follow each other from `first` on, the last one that is no id of the one before it. */
function lastRoute(segments: Segments, first: Root, method: string): Root {
  const row: Root[] = [];
  for (let root: Root | null = first; root !== null; root = following(segments, root, method)) {
    row.push(root);
  }
  return row.reduceRight((later, root) =>
    matchEndpoint(segments, later, method) !== null && yields(segments, root, method)
      ? later
      : root,
  );
}

/** The route that begins right where another one, or an endpoint without an id below it, ends. */
function following(segments: Segments, root: Root, method: string): Root | null {
  const next = segments.lower[root.tail];
  if (root.family === 'chat' && next === 'completions' && method === 'POST') {
    return { family: 'chat', start: root.tail, tail: root.tail + 1 };
  }
  const end = isEndpointWord(root.family, next) ? root.tail + 1 : root.tail;
  return matchApiRoot(segments, end);
}

/** Whether a route gives way to one that follows: nothing known continues it so, or only an id that looks like a route. */
function yields(segments: Segments, root: Root, method: string): boolean {
  const shape = matchEndpoint(segments, root, method);
  if (shape === null || (isText(root.family) && shape.at(-1) === '{id}')) return true;
  // An id that is this word and nothing more is none; `models/…` may be one.
  return (
    root.family === 'models' &&
    segments.lower[root.tail] === 'models' &&
    segments.lower.length === root.tail + 1
  );
}
