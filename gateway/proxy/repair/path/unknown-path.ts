import { Problem } from '../../../../shared/problem.ts';
import { matchApiRoot, type Segments } from './path-grammar.ts';

/** Words that other services put before `/v1`, and that people forget to remove when they change the host. */
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

/** Whether a segment, in lower case, is a prefix that may be dropped before any path. */
export function isForeignPrefix(segment: string | undefined): boolean {
  return segment !== undefined && FOREIGN_PREFIXES.has(segment);
}

/** Maps first words of other services' paths to the endpoint that does the same here. */
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

/** First words of endpoints that a service may offer under `/v1` although the spec does not show them. */
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

/** Matches a version other than `v1`, such as `v4` or `v1beta`. */
const OTHER_VERSION = /^v\d+[a-z0-9]*$/u;

/** @throws Problem unknown_path, always. Its message suggests the endpoint that was probably meant. */
export function throwUnknownPath(segments: Segments, path: string, base: string): never {
  const guess = guessEndpoint(segments);
  const shortPath = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  const question = guess === null ? '' : ` Did you mean ${guess}?`;
  throw new Problem(
    'unknown_path',
    `There is nothing at ${shortPath}.${question} Every path begins with /v1: set the client's base address to ${base}/v1, or to ${base} for a client that adds /v1 itself.`,
  );
}

function guessEndpoint(segments: Segments): string | null {
  const { lower } = segments;
  for (let index = lower.length - 1; index >= 0; index -= 1) {
    if (matchApiRoot(segments, index) !== null) return toEndpoint(segments, index);
  }
  const version = lower.findLastIndex((segment) => OTHER_VERSION.test(segment));
  let start = version + 1;
  while (isForeignPrefix(lower[start])) start += 1;
  const word = lower[start];
  if (word === undefined) return null;
  const counterpart = COUNTERPARTS.get(word);
  if (counterpart !== undefined) return counterpart;
  return version >= 0 || USUAL_WORDS.has(word) ? toEndpoint(segments, start) : null;
}

function toEndpoint({ raw }: Segments, start: number): string {
  return `/v1/${raw.slice(start).join('/').slice(0, 200)}`;
}
