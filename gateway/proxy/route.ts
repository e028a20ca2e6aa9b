import type { RequestTarget } from './repair/path/target.ts';
import type { RouteName } from '../../shared/exchange/exchange.ts';
import type { TextProtocol } from '../../shared/chat/chat.ts';
import {
  decodeFully,
  type Family,
  matchApiRoot,
  type Segments,
  parseSegments,
} from './repair/path/path-grammar.ts';

/** The meaning of a repaired path. */
export interface Route {
  readonly name: RouteName;
  /** The protocol of its errors and headers, also for sub-resources; `null` outside the text routes. */
  readonly protocol: TextProtocol | null;
  /** Whether the request may be charged when it arrives, so that it must not be sent twice when it may have arrived. */
  readonly charges: boolean;
  /**
   * The path below `/v1/videos` of a POST, empty or beginning with a slash; `null` for any other request. Every POST there counts as an
   * order of a video, however its path is spelled.
   */
  readonly orderPath: string | null;
  /** The task that a `video-status` or `video-content` path names; `null` for any other, and when its escapes cannot be decoded. */
  readonly taskId: string | null;
}

/** The repaired target of a request and the route that it stands for, parsed once for the whole exchange. */
export interface ResolvedRoute {
  readonly target: RequestTarget;
  readonly route: Route;
}

/** Methods without a second effect when they are repeated (RFC 9110 section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PUT',
  'DELETE',
]);

/**
 * Whether a request orders something that is made and paid for, above all a video. The general retry never sends it again;
 * `videos/place-order.ts` retries video orders under stricter rules.
 */
export function isOrder({ charges, protocol }: Route): boolean {
  return charges && protocol === null;
}

/** Whether a request reads the status or the file of a video, which may be known here. */
export function readsVideo({ name }: Pick<Route, 'name'>): boolean {
  return name === 'video-status' || name === 'video-content';
}

/** Finds the route of a repaired path, without its query. HEAD counts as GET. Never throws. */
export function findRoute(method: string, path: string): Route {
  return (method === 'POST' ? TEXT_ROUTES.get(path) : undefined) ?? parseRoute(method, path);
}

function parseRoute(method: string, path: string): Route {
  const orderPath = method === 'POST' ? findVideoPath(path) : null;
  const segments = parseSegments(path);
  const root = segments.lower[0] === 'v1' ? matchApiRoot(segments, 1) : null;
  const mayCharge = !IDEMPOTENT.has(method);
  if (root === null) {
    return { name: 'other', protocol: null, charges: mayCharge, orderPath, taskId: null };
  }
  const tail = segments.lower.slice(root.tail);
  const name = toRouteName(root.family, method === 'HEAD' ? 'GET' : method, tail);
  return {
    name,
    taskId: readsVideo({ name }) ? decodeTaskId(segments.raw[root.tail] ?? '') : null,
    protocol: toProtocol(root.family),
    charges: mayCharge && (orderPath !== null || !isFree(root.family, tail)),
    orderPath,
  };
}

/** Matches `videos`, also with an extension or characters that a service may strip: `videos.json`. */
const VIDEOS = /^videos(?![a-z\d_-])/iu;

/** Invisible characters, which a service may strip from a path. */
const INVISIBLE = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Escapes of bytes that are no UTF-8, which a service may strip. */
const INVALID_ESCAPES = /%[89a-f][\da-f]/giu;
const BEYOND_ASCII = /[\u0080-\u00ff]/gu;

/**
 * Finds the path below `/v1/videos` by the most tolerant reading: escapes are decoded, and an escaped query or fragment, parameters,
 * spaces, invisible characters and empty segments are left out. Returns `null` for any other path.
 */
function findVideoPath(path: string): string | null {
  const [version, word, ...rest] = decodeFully(escapeBytes(path))
    .replace(INVISIBLE, '')
    .replace(/[?#].*$/su, '')
    .replaceAll('\\', '/')
    .split('/')
    .map((segment) => segment.split(';', 1)[0] ?? '')
    .filter((segment) => segment !== '');
  if (version === undefined || word === undefined) return null;
  if (version.replace(INVALID_ESCAPES, '').toLowerCase() !== 'v1') return null;
  if (!VIDEOS.test(word.replace(INVALID_ESCAPES, ''))) return null;
  return rest.map((segment) => `/${segment}`).join('');
}

/** Escapes bytes beyond ASCII, which Node passes as latin1. */
function escapeBytes(path: string): string {
  return path.replace(BEYOND_ASCII, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
}

function decodeTaskId(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    // No service gives out such an identifier.
    return null;
  }
}

function toRouteName(family: Family, method: string, tail: Segments['lower']): RouteName {
  if (tail.length === 0) return collectionName(family, method);
  if (family !== 'videos' || method !== 'GET') return 'other';
  if (tail.length === 1) return 'video-status';
  return tail.length === 2 && tail[1] === 'content' ? 'video-content' : 'other';
}

function collectionName(family: Family, method: string): RouteName {
  if (method === 'GET') return family === 'models' ? 'models' : 'other';
  if (method !== 'POST' || family === 'models') return 'other';
  return family === 'videos' ? 'video-submit' : family;
}

function toProtocol(family: Family): TextProtocol | null {
  return family === 'chat' || family === 'responses' || family === 'messages' ? family : null;
}

const COUNTING: ReadonlySet<string> = new Set(['messages/count_tokens', 'responses/input_tokens']);

/** Whether a POST is known to be free: uploads, counting and cancelling. */
function isFree(family: Family, tail: readonly string[]): boolean {
  if (family === 'files' || COUNTING.has([family, ...tail].join('/'))) return true;
  return tail.length > 1 && tail.at(-1) === 'cancel';
}

/**
 * Guesses the protocol of an exchange for errors before its route is known. Takes the exchange rather than its path: an async caller
 * would keep a long path in memory as long as it runs.
 */
export function guessProtocol({
  pathReceived,
}: {
  readonly pathReceived: string;
}): TextProtocol | null {
  return /\/messages(?:[/?]|$)/i.test(pathReceived) ? 'messages' : null;
}

/** The routes of nearly all requests. Below everything that parsing needs. */
const TEXT_ROUTES: ReadonlyMap<string, Route> = new Map(
  ['/v1/chat/completions', '/v1/responses', '/v1/messages'].map((path) => [
    path,
    parseRoute('POST', path),
  ]),
);
