import type { Repair } from '../../../../shared/exchange/repair.ts';
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

/** The repaired target of a request, and what was corrected. */
export interface RepairedPath {
  readonly target: RequestTarget;
  readonly repairs: Repair[];
}

/** Paths of well-configured clients, which skip the analysis. */
const CLEAN_PATHS: ReadonlySet<string> = new Set([
  '/v1/models',
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/files',
  '/v1/videos',
]);

/**
 * Repairs the path of a request to the endpoint that the client meant. `base` is the local base URL without `/v1`, for the advice.
 *
 * The rules, in the order in which they decide:
 *
 * 1. Doubled and trailing slashes are removed.                                                  path-slashes
 *    Encoded spaces and invisible characters around a segment are removed.                      path-spaces
 * 2. A `v1` followed by a known route starts anew, and the last such place wins: that is what the client appended to
 *    whatever base URL somebody typed. Everything before it is dropped.                         path-doubled, path-prefix
 *        /v1/messages/v1/messages        → /v1/messages
 *        /api/v1/v1/messages             → /v1/messages
 *        /any/thing/v1/chat/completions  → /v1/chat/completions
 * 3. Without such a place, `v1` may follow well-known prefixes and may be repeated; what comes after it is left
 *    unchanged.                                                                                 path-doubled, path-prefix
 *        /openai/v1/embeddings           → /v1/embeddings
 *        /v1/v1/embeddings               → /v1/embeddings
 *        /v1/files/v1/content            unchanged: the file is called v1
 * 4. Without any such `v1`, it is added before a known route at the start or after well-known prefixes. path-missing-v1
 *        /messages                       → /v1/messages
 *        /openai/chat/completions        → /v1/chat/completions
 *    Anything else is an unknown path (404, with a suggestion).
 * 5. Routes that follow each other without `v1` are concatenations, unless by the grammar of sub-resources and the method
 *    the later word is an id. The last route that fits wins.                                    path-doubled
 *        POST /v1/responses/chat/completions     → /v1/chat/completions
 *        POST /v1/files/messages                 → /v1/messages: nothing can be posted to a file
 *        GET  /v1/files/messages                 unchanged: the file is called messages
 *        POST /v1/responses/messages/cancel      unchanged: `cancel` continues a response, and not messages
 *        GET  /v1/models/chat/completions        unchanged: model ids have slashes
 *        GET  /v1/models/models                  → /v1/models: no model has this id
 *        POST /v1/chat/responses                 → /v1/responses: `chat` alone is no route
 *        GET  /v1/chat/completions/models        → /v1/models: after a route that takes text, a route word is never an id
 * 6. `v1`, route words and the fixed words of sub-resources are written in lower case, without percent-escapes (RFC 3986
 *    section 6.2.2.2) and without parameters after a semicolon; ids are not changed.            path-case, path-encoding
 *
 * The query and everything that these rules do not name stay byte for byte. There is one repair, however many
 * mistakes a path has; its before and after are without the query, which may contain a key. The result is stable: repairing it again changes nothing.
 *
 * @throws Problem invalid_path, unknown_path
 */
export function repairPath(method: string, target: RequestTarget, base: string): RepairedPath {
  const { path, query } = target;
  checkTarget(target);
  if (CLEAN_PATHS.has(path)) return { target, repairs: [] };
  const segments = parseSegments(path);
  const change = findRelevantPart(segments, method) ?? throwUnknownPath(segments, path, base);
  const repaired = `/v1${change.words.map((word) => `/${word}`).join('')}`;
  if (repaired === path) return { target, repairs: [] };
  checkTarget({ path: repaired, query: '' });
  return {
    target: { path: repaired, query },
    repairs: pathRepairs(segments, change, { path, repaired, base }),
  };
}

/** Finds the relevant part of the path; `null` when no rule fits. */
function findRelevantPart(segments: Segments, method: string): PathChange | null {
  for (let index = segments.raw.length - 2; index >= 0; index -= 1) {
    const root = segments.lower[index] === 'v1' ? routeAt(segments, index + 1) : null;
    if (root !== null) return toPathChange(segments, lastRoute(segments, root, method), method);
  }
  let start = 0;
  while (isForeignPrefix(segments.lower[start])) start += 1;
  if (segments.lower[start] === 'v1') return toUnknownChange(segments, start);
  const root = routeAt(segments, start);
  return root && toPathChange(segments, lastRoute(segments, root, method), method);
}

/** Returns the route at segment `at`, or directly after a `chat` there that belongs to no route; `null` when there is none. */
function routeAt(segments: Segments, at: number): Root | null {
  return (
    matchApiRoot(segments, at) ??
    (segments.lower[at] === 'chat' ? matchApiRoot(segments, at + 1) : null)
  );
}

/** Applies rule 3: keeps the last of several `v1`, and everything after it. */
function toUnknownChange(segments: Segments, firstVersion: number): PathChange {
  let version = firstVersion;
  while (segments.lower[version + 1] === 'v1') version += 1;
  return { root: null, start: version + 1, words: segments.raw.slice(version + 1) };
}

function toPathChange(segments: Segments, root: Root, method: string): PathChange {
  const tail = segments.raw.slice(root.tail);
  const shape = matchEndpoint(segments, root, method);
  const proper = tail.map((segment, index) => toProperCase(segment, shape?.[index]));
  return { root, start: root.start, words: [...rootWords(root.family), ...proper] };
}

function toProperCase(segment: string, word: string | undefined): string {
  return word === undefined || word.startsWith('{') ? segment : word;
}

/** Applies rule 5: among the routes that follow each other from `first` on, picks the last one that is not an id of its predecessor. */
function lastRoute(segments: Segments, first: Root, method: string): Root {
  const routes: Root[] = [];
  for (let root: Root | null = first; root !== null; root = nextRoute(segments, root, method)) {
    routes.push(root);
  }
  return routes.reduceRight((later, root) =>
    matchEndpoint(segments, later, method) !== null && givesWay(segments, root, method)
      ? later
      : root,
  );
}

/** Returns the route that begins directly after another one, or after an endpoint of it without an id; `null` when there is none. */
function nextRoute(segments: Segments, root: Root, method: string): Root | null {
  const next = segments.lower[root.tail];
  if (root.family === 'chat' && next === 'completions' && method === 'POST') {
    return { family: 'chat', start: root.tail, tail: root.tail + 1 };
  }
  const end = isEndpointWord(root.family, next) ? root.tail + 1 : root.tail;
  return matchApiRoot(segments, end);
}

/** Whether the route after this one wins: no known shape continues this one so, or only an id that looks like a route. */
function givesWay(segments: Segments, root: Root, method: string): boolean {
  const shape = matchEndpoint(segments, root, method);
  if (shape === null || (isText(root.family) && shape.at(-1) === '{id}')) return true;
  // No model has the id `models`; one that begins with `models/` is possible.
  return (
    root.family === 'models' &&
    segments.lower[root.tail] === 'models' &&
    segments.lower.length === root.tail + 1
  );
}
