import { Problem } from '../../../../shared/problem.ts';
import { matchApiRoot, type Segments } from './path-grammar.ts';

/** Words that other services put before `/v1`, and that people leave in when they change the host. */
const FOREIGN_PREFIXES: ReadonlySet<string> = new Set([
  'api',
  'openai',
  'anthropic',
  'claude',
  'codex',
  'backend-api',
  'compatible-mode',
  'openrouter',
  'proxy',
  'gateway',
]);

/** Whether a segment, in small letters, is a prefix that may be dropped before any address. */
export function isForeignPrefix(segment: string | undefined): boolean {
  return segment !== undefined && FOREIGN_PREFIXES.has(segment);
}

/** First words of addresses that other services know, and the address that does the same here. */
const COUNTERPARTS: ReadonlyMap<string, string> = new Map([
  ['chat', '/v1/chat/completions'],
  ['completions', '/v1/chat/completions'],
  ['completion', '/v1/chat/completions'],
  ['generate', '/v1/chat/completions'],
  ['tags', '/v1/models'],
  ['model', '/v1/models'],
  ['file', '/v1/files'],
  ['video', '/v1/videos'],
  ['message', '/v1/messages'],
  ['response', '/v1/responses'],
]);

/** First words of addresses that a service may offer under `/v1` although the spec does not show them. */
const USUAL_WORDS: ReadonlySet<string> = new Set([
  'embeddings',
  'images',
  'audio',
  'moderations',
  'batches',
  'uploads',
  'rerank',
  'alpha',
]);

/** A version that is none of ours: `v4`, `v1beta`. */
const OTHER_VERSION = /^v\d+[a-z0-9]*$/u;

/** Throws Problem unknown_path, saying which address was probably meant. */
export function throwUnknownPath(segments: Segments, path: string, base: string): never {
  const meant = probablyMeant(segments);
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  const question = meant === null ? '' : ` Did you mean ${meant}?`;
  throw new Problem(
    'unknown_path',
    `There is nothing at ${shown}.${question} Every address begins with /v1: set the client's base address to ${base}/v1, or to ${base} for a client that adds /v1 by itself.`,
  );
}

function probablyMeant(segments: Segments): string | null {
  const { lower } = segments;
  for (let index = lower.length - 1; index >= 0; index -= 1) {
    if (matchApiRoot(segments, index) !== null) return below(segments, index);
  }
  const version = lower.findLastIndex((segment) => OTHER_VERSION.test(segment));
  let start = version + 1;
  while (isForeignPrefix(lower[start])) start += 1;
  const word = lower[start];
  if (word === undefined) return null;
  const counterpart = COUNTERPARTS.get(word);
  if (counterpart !== undefined) return counterpart;
  return version >= 0 || USUAL_WORDS.has(word) ? below(segments, start) : null;
}

function below({ raw }: Segments, start: number): string {
  return `/v1/${raw.slice(start).join('/').slice(0, 200)}`;
}
