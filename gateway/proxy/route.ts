import type { RequestTarget } from './repair/target.ts';
import type { RouteName } from '../../shared/exchange.ts';
import type { TextProtocol } from '../../shared/chat.ts';
import { decodeFully } from './repair/escapes.ts';
import { type Family, matchApiRoot, type Segments, parseSegments } from './repair/path-grammar.ts';

/** What a repaired path asks for. */
export interface Route {
  readonly name: RouteName;
  /** The protocol whose form errors and headers have, also for sub-resources; `null` outside the text routes. */
  readonly protocol: TextProtocol | null;
  /** Whether the request may cost money as soon as it arrives, so that nobody may send it twice when it may have arrived. */
  readonly charges: boolean;
  /**
   * Where below `/v1/videos` something is posted, beginning with a slash unless it is empty; `null` for any other request. Everything that
   * is posted there counts as an order of a video, however its address is spelled.
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

/** Methods that may be repeated without a second effect (RFC 9110 section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PUT',
  'DELETE',
]);

/** Whether a request orders something to be made and paid for, a video above all: nobody may ever repeat it on their own. */
export function isOrder({ charges, protocol }: Route): boolean {
  return charges && protocol === null;
}

/** Finds the route of a repaired path, without its query. HEAD counts as GET. Never throws. */
export function findRoute(method: string, path: string): Route {
  const segments = parseSegments(path);
  const root = segments.lower[0] === 'v1' ? matchApiRoot(segments, 1) : null;
  const orderPath = method === 'POST' ? findVideoPath(path) : null;
  const mayCharge = !IDEMPOTENT.has(method);
  if (root === null) {
    return { name: 'other', protocol: null, charges: mayCharge, orderPath, taskId: null };
  }
  const tail = segments.lower.slice(root.tail);
  const name = toRouteName(root.family, method === 'HEAD' ? 'GET' : method, tail);
  const isTask = name === 'video-status' || name === 'video-content';
  return {
    name,
    taskId: isTask ? decodeTaskId(segments.raw[root.tail] ?? '') : null,
    protocol: toProtocol(root.family),
    charges: mayCharge && (orderPath !== null || !isFree(root.family, tail)),
    orderPath,
  };
}

/** The word itself, also with an ending or signs that a service may take off: `videos.json`. */
const VIDEOS = /^videos(?![a-z\d_-])/iu;

/** What a service may take out of an address because nobody sees it. */
const INVISIBLE = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Escapes of bytes that are no text, which a service may leave out. */
const NO_TEXT = /%[89a-f][\da-f]/giu;
const BEYOND_ASCII = /[\u0080-\u00ff]/gu;

/**
 * Where below `/v1/videos` a path leads by the most generous reading: all escapes decoded, an escaped query or fragment, parameters,
 * spaces, invisible signs and empty segments left out.
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
  if (version.replace(NO_TEXT, '').toLowerCase() !== 'v1') return null;
  if (!VIDEOS.test(word.replace(NO_TEXT, ''))) return null;
  return rest.map((segment) => `/${segment}`).join('');
}

/** Bytes beyond ASCII, which Node hands over as latin1, as the escapes that stand for them. */
function escapeBytes(path: string): string {
  return path.replace(BEYOND_ASCII, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
}

function decodeTaskId(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Nobody gave out such an identifier.
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

/** Posts that are known to cost nothing: uploads, counting, and calling off. */
function isFree(family: Family, tail: readonly string[]): boolean {
  if (family === 'files' || COUNTING.has([family, ...tail].join('/'))) return true;
  return tail.length > 1 && tail.at(-1) === 'cancel';
}
