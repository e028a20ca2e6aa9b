import { isUtf8 } from 'node:buffer';

/** What a route of the service belongs to. Sub-resources belong to the family they hang from. */
export type Family = 'chat' | 'responses' | 'messages' | 'files' | 'videos' | 'models';

/** A path cut at its slashes: as it came, and for comparing in small letters, without needless escapes and without parameters. */
export interface Segments {
  readonly raw: readonly string[];
  readonly lower: readonly string[];
}

/** The words of a route found in a path: `start` is its first word that counts, `tail` the segment after its last one. */
export interface Root {
  readonly family: Family;
  readonly start: number;
  readonly tail: number;
}

/** One way a route goes on. `{id}` stands for one segment, `{id+}` for one or more. */
interface Shape {
  readonly words: readonly string[];
  readonly methods: readonly string[];
}

interface Rules {
  readonly root: readonly string[];
  /** A route that takes text. People paste its full address as a base address; its ids are never route words. */
  readonly text: boolean;
  readonly shapes: readonly Shape[];
}

function shape(words: string, methods: string): Shape {
  return { words: words === '' ? [] : words.split('/'), methods: methods.split(' ') };
}

/**
 * Every address below `/v1` whose form is known: the routes of the spec (section 4) and the sub-resources that the clients of
 * the three protocols use. Fixed words stand before ids, so the first shape that fits is the most exact one.
 */
const GRAMMAR: Readonly<Record<Family, Rules>> = {
  chat: {
    root: ['chat', 'completions'],
    text: true,
    shapes: [
      shape('', 'GET POST'),
      shape('{id}', 'GET POST DELETE'),
      shape('{id}/messages', 'GET'),
    ],
  },
  responses: {
    root: ['responses'],
    text: true,
    shapes: [
      // GET asks for a WebSocket here.
      shape('', 'GET POST'),
      shape('compact', 'POST'),
      shape('input_tokens', 'POST'),
      shape('{id}', 'GET DELETE'),
      shape('{id}/cancel', 'POST'),
      shape('{id}/input_items', 'GET'),
    ],
  },
  messages: {
    root: ['messages'],
    text: true,
    shapes: [
      shape('', 'POST'),
      shape('count_tokens', 'POST'),
      shape('batches', 'GET POST'),
      shape('batches/{id}', 'GET DELETE'),
      shape('batches/{id}/cancel', 'POST'),
      shape('batches/{id}/results', 'GET'),
    ],
  },
  files: {
    root: ['files'],
    text: false,
    shapes: [shape('', 'GET POST'), shape('{id}', 'GET DELETE'), shape('{id}/content', 'GET')],
  },
  videos: {
    root: ['videos'],
    text: false,
    shapes: [
      shape('', 'GET POST'),
      shape('{id}', 'GET DELETE'),
      shape('{id}/content', 'GET'),
      shape('{id}/remix', 'POST'),
    ],
  },
  models: {
    root: ['models'],
    text: false,
    shapes: [shape('', 'GET'), shape('{id+}', 'GET DELETE')],
  },
};

const FAMILY_BY_WORD: ReadonlyMap<string, Family> = new Map([
  ['responses', 'responses'],
  ['messages', 'messages'],
  ['files', 'files'],
  ['videos', 'videos'],
  ['models', 'models'],
]);

/** The words that name a family's route, in their proper case. */
export function rootWords(family: Family): readonly string[] {
  return GRAMMAR[family].root;
}

/** Whether the family takes text: chat, responses or messages. */
export function isText(family: Family): boolean {
  return GRAMMAR[family].text;
}

/** The escapes of one space or one sign that nobody sees, such as a no-break space or a zero-width space, in UTF-8. */
const SPACE = String.raw`%20|%c2%a[0d]|%e1%9a%80|%e1%a0%8e|%e2%80%(?:8[\da-f]|a[89a-f])|%e2%81%(?:9f|a[\da-f])|%e3%80%80|%ef%bb%bf`;
const LEADING_SPACES = new RegExp(`^(?:${SPACE})+`, 'iu');
const LAST_SPACE = new RegExp(`(?:${SPACE})$`, 'iu');
const MAX_SPACE_LENGTH = '%e2%80%8b'.length;

/** Cuts a path at its slashes. Encoded spaces and invisible signs around a segment are taken off, and empty segments are left out. */
export function parseSegments(path: string): Segments {
  const cut = path.split('/');
  const plain = path.includes('%') ? cut.map(withoutSpaces) : cut;
  const raw = plain.filter((segment) => segment !== '');
  return { raw, lower: raw.map(comparable) };
}

/** Escapes of letters, digits and `-._~` mean the same as these themselves (RFC 3986 section 6.2.2.2); what follows a semicolon is no name. */
function comparable(segment: string): string {
  if (!/[%;]/u.test(segment)) return segment.toLowerCase();
  return decodeUnreserved(segment).replace(/;.*$/su, '').toLowerCase();
}

/** Whether an encoded space or invisible sign stands at the beginning or end of a segment. */
export function hasOuterSpace(path: string): boolean {
  return path.includes('%') && path.split('/').some((one) => one !== withoutSpaces(one));
}

/** Looks at the end piece by piece: one expression for all of it would take quadratic time. */
function withoutSpaces(segment: string): string {
  const text = segment.replace(LEADING_SPACES, '');
  let end = text.length;
  for (;;) {
    const last = LAST_SPACE.exec(text.slice(Math.max(0, end - MAX_SPACE_LENGTH), end));
    if (last === null) return text.slice(0, end);
    end -= last[0].length;
  }
}

/** The route whose words stand at `at`, in any case; `null` when there is none. A doubled `chat` counts as one. */
export function matchApiRoot(segments: Segments, at: number): Root | null {
  const { lower } = segments;
  const word = lower[at];
  if (word === undefined) return null;
  if (word !== 'chat') {
    const family = FAMILY_BY_WORD.get(word);
    return family === undefined ? null : { family, start: at, tail: at + 1 };
  }
  const end = lower[at + 1] === 'chat' ? at + 2 : at + 1;
  return lower[end] === 'completions' ? { family: 'chat', start: end - 1, tail: end + 1 } : null;
}

/** How the segments after a route's words continue it for this method; `null` when no known shape fits. */
export function matchEndpoint(
  segments: Segments,
  root: Root,
  method: string,
): readonly string[] | null {
  const fitting = GRAMMAR[root.family].shapes.find(
    ({ words, methods }) => allows(methods, method) && fits(words, segments, root.tail),
  );
  return fitting === undefined ? null : fitting.words;
}

/** Whether `word` continues the family by itself: `count_tokens`, `batches`, `compact`, `input_tokens`. */
export function isEndpointWord(family: Family, word: string | undefined): boolean {
  if (word === undefined) return false;
  return GRAMMAR[family].shapes.some(({ words }) => words.length === 1 && words[0] === word);
}

function allows(methods: readonly string[], method: string): boolean {
  if (method === 'HEAD') return methods.includes('GET');
  return methods.includes(method) || !['GET', 'POST', 'DELETE'].includes(method);
}

function fits(words: readonly string[], { lower }: Segments, from: number): boolean {
  const count = lower.length - from;
  if (words[0] === '{id+}') return count > 0;
  if (words.length !== count) return false;
  return words.every((word, index) => word === '{id}' || word === lower[from + index]);
}

const ESCAPE = /%[0-9a-f]{2}/giu;

const ESCAPES = /(?:%[0-9a-f]{2})+/giu;

const UNRESERVED = /^[a-z0-9._~-]$/iu;

/** A path whose needless escapes are decoded: letters, digits and `-._~` mean the same without them (RFC 3986 section 6.2.2.2). */
function decodeUnreserved(path: string): string {
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
