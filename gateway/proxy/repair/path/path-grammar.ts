import { isUtf8 } from 'node:buffer';

/** The families of routes. A sub-resource belongs to the family of its parent. */
export type Family = 'chat' | 'responses' | 'messages' | 'files' | 'videos' | 'models';

/** A path split at its slashes. `lower` is for comparison: in lower case, without needless escapes and without parameters. */
export interface Segments {
  readonly raw: readonly string[];
  readonly lower: readonly string[];
}

/** The words of a route found in a path: `start` is the index of its first word, `tail` the index after its last one. */
export interface Root {
  readonly family: Family;
  readonly start: number;
  readonly tail: number;
}

/** One way in which a route continues. `{id}` stands for one segment, `{id+}` for one or more. */
interface Shape {
  readonly words: readonly string[];
  readonly methods: readonly string[];
}

interface Rules {
  readonly root: readonly string[];
  /** Whether the route takes text. People paste its full URL as a base URL; its ids are never route words. */
  readonly text: boolean;
  readonly shapes: readonly Shape[];
}

function shape(words: string, methods: string): Shape {
  return { words: words === '' ? [] : words.split('/'), methods: methods.split(' ') };
}

/**
 * All known endpoints below `/v1`: the routes of the spec (section 4) and the sub-resources that the clients of the three protocols use.
 * Fixed words are listed before ids, so that the first shape that fits is the most exact one.
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
      // GET opens a WebSocket here.
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

/** Returns the words of a family's route, in their proper case. */
export function rootWords(family: Family): readonly string[] {
  return GRAMMAR[family].root;
}

/** Whether the family takes text: chat, responses or messages. */
export function isText(family: Family): boolean {
  return GRAMMAR[family].text;
}

/** Matches the escapes of one space or invisible character in UTF-8, such as a no-break space or a zero-width space. */
const SPACE = String.raw`%20|%c2%a[0d]|%e1%9a%80|%e1%a0%8e|%e2%80%(?:8[\da-f]|a[89a-f])|%e2%81%(?:9f|a[\da-f])|%e3%80%80|%ef%bb%bf`;
const LEADING_SPACES = new RegExp(`^(?:${SPACE})+`, 'iu');
const LAST_SPACE = new RegExp(`(?:${SPACE})$`, 'iu');
const MAX_SPACE_LENGTH = '%e2%80%8b'.length;

/** Splits a path at its slashes. Encoded spaces and invisible characters around a segment are removed, and empty segments are dropped. */
export function parseSegments(path: string): Segments {
  const cut = path.split('/');
  const plain = path.includes('%') ? cut.map(trimEncodedSpaces) : cut;
  const raw = plain.filter((segment) => segment !== '');
  return { raw, lower: raw.map(normalize) };
}

/**
 * Normalizes a segment for comparison. Escapes of letters, digits and `-._~` mean the same as the characters (RFC 3986 section 6.2.2.2);
 * what follows a semicolon is a parameter.
 */
function normalize(segment: string): string {
  if (!/[%;]/u.test(segment)) return segment.toLowerCase();
  return decodeUnreserved(segment).replace(/;.*$/su, '').toLowerCase();
}

/** Whether a segment begins or ends with an encoded space or invisible character. */
export function hasOuterSpace(path: string): boolean {
  return (
    path.includes('%') && path.split('/').some((segment) => segment !== trimEncodedSpaces(segment))
  );
}

/**
 * Removes spaces at both ends. The end is taken off one space at a time, because one expression for all of it would need quadratic time.
 */
function trimEncodedSpaces(segment: string): string {
  const text = segment.replace(LEADING_SPACES, '');
  let end = text.length;
  for (;;) {
    const last = LAST_SPACE.exec(text.slice(Math.max(0, end - MAX_SPACE_LENGTH), end));
    if (last === null) return text.slice(0, end);
    end -= last[0].length;
  }
}

/** Returns the route whose words begin at segment `at`, in any case; `null` when there is none. A doubled `chat` counts as one. */
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

/** Returns the shape that the segments after a route's words have for this method; `null` when no known shape fits. */
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

/** Whether `word` alone is an endpoint of the family: `count_tokens`, `batches`, `compact`, `input_tokens`. */
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

/** Decodes needless escapes in a path: letters, digits and `-._~` mean the same without them (RFC 3986 section 6.2.2.2). */
function decodeUnreserved(path: string): string {
  return path.replace(ESCAPE, (escape) => {
    const character = String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
    return UNRESERVED.test(character) ? character : escape;
  });
}

/** Maximum number of times that a path is decoded. No honest client encodes as often. */
const MAX_ROUNDS = 8;

/** Decodes a path as services do that decode everything, also what was encoded several times over. Invalid escapes stay. */
export function decodeFully(path: string): string {
  let text = path;
  for (let round = 0; round < MAX_ROUNDS && text.includes('%'); round += 1) {
    const plain = text.replace(ESCAPES, decodeRun);
    if (plain === text) break;
    text = plain;
  }
  return text;
}

/**
 * Decodes one run of escapes. Avoids the exceptions of `decodeURIComponent`: a path of 60 KB can have thousands of invalid escapes, and
 * each exception costs microseconds.
 */
function decodeRun(escapes: string): string {
  const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
  if (isUtf8(bytes)) return bytes.toString();
  // Not UTF-8 as a whole: only ASCII characters are decoded.
  return escapes.replace(ESCAPE, (escape) => {
    const code = Number.parseInt(escape.slice(1), 16);
    return code < 0x80 ? String.fromCodePoint(code) : escape;
  });
}
