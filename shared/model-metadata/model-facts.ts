import type { Model } from '../model.ts';
import { acceptsImages } from './accepts-images.ts';
import { readModelStatements, splitWords } from './model-statements.ts';

/** Abilities that models have, as they are shown, with the words that services use for them. */
const ABILITIES: readonly (readonly [label: string, words: ReadonlySet<string>])[] = [
  ['text', new Set(['text', 'chat', 'completion', 'completions'])],
  ['tools', new Set(['tool', 'tools', 'function', 'functions'])],
  ['reasoning', new Set(['reasoning', 'thinking'])],
  ['audio', new Set(['audio', 'speech', 'voice'])],
  ['video', new Set(['video', 'videos'])],
  ['embeddings', new Set(['embedding', 'embeddings'])],
];
const DENIALS = new Set(['no', 'non', 'not', 'unsupported', 'without']);
const PRICES = new Set(['cost', 'costs', 'price', 'prices', 'pricing']);

/** Returns what the service says that a model can do: badges of one word, each once. */
export function findAbilities(model: Model): readonly string[] {
  const words = new Set(
    readModelStatements(model)
      .filter(({ path, value }) => value !== false && !path.some((word) => DENIALS.has(word)))
      .filter(({ path }) => !path.some((word) => PRICES.has(word)))
      .flatMap(({ path, value }) => toWords(path, value)),
  );
  const found = ABILITIES.filter(([, names]) => [...names].some((name) => words.has(name))).map(
    ([label]) => label,
  );
  return acceptsImages(model) ? [...found, 'vision'] : found;
}

/** A text says itself what it is about; of `true` its name says it. */
function toWords(path: readonly string[], value: string | boolean): readonly string[] {
  const words = value === true ? path : splitWords(String(value));
  return words.some((word) => DENIALS.has(word)) ? [] : words;
}

/** No model of today has less, and none has a thousand times more than the largest. */
const MIN_CONTEXT = 256;
const MAX_CONTEXT = 1_000_000_000;
/** The context window is a member of the model, or of an object in it. */
const CONTEXT_DEPTH = 3;

/** Finds the size of the context window in tokens: a plausible number whose name says so; `null` when there is none. */
export function findContextWindow(model: Model): number | null {
  return findCount(model, CONTEXT_DEPTH, namesContext);
}

/** Finds the most tokens that an answer can have, as above. */
export function findMaxOutput(model: Model): number | null {
  return findCount(model, CONTEXT_DEPTH, namesMaxOutput);
}

function findCount(
  value: object,
  depth: number,
  isMeant: (name: string) => boolean,
): number | null {
  const members = Object.entries(value);
  for (const [name, inner] of members) {
    const count = isMeant(name) ? parseCount(inner) : null;
    if (count !== null) return count;
  }
  if (depth <= 1) return null;
  for (const [name, inner] of members) {
    if (splitWords(name).some((word) => PRICES.has(word))) continue;
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    const count = isObject ? findCount(inner, depth - 1, isMeant) : null;
    if (count !== null) return count;
  }
  return null;
}

/** Returns whether the name of a member says that it is the size of the context window. */
export function namesContext(name: string): boolean {
  const words = splitWords(name);
  if (words.some((word) => PRICES.has(word) || word === 'output')) return false;
  return words.includes('context') || words.includes('ctx') || words.join(' ') === 'window';
}

/** For example `max_output_tokens`, `max_completion_tokens`, and `output` among limits; `max_tokens` may be both. */
function namesMaxOutput(name: string): boolean {
  const words = splitWords(name);
  if (words.some((word) => PRICES.has(word) || word === 'context')) return false;
  const isOutput = words.includes('output') || words.includes('completion');
  return (
    isOutput &&
    (words.length === 1 || ['max', 'token', 'tokens'].some((word) => words.includes(word)))
  );
}

/** Parses `200000`, `"200000"`, `"200k"` and `"1M"` as a number of tokens. */
function parseCount(value: unknown): number | null {
  const count = typeof value === 'string' ? parseShortCount(value) : value;
  return typeof count === 'number' &&
    Number.isInteger(count) &&
    count >= MIN_CONTEXT &&
    count <= MAX_CONTEXT
    ? count
    : null;
}

function parseShortCount(text: string): number | null {
  const [, digits, unit = ''] = /^(\d{1,10})\s*([km]?)$/iu.exec(text.trim()) ?? [];
  if (digits === undefined) return null;
  const factor = { '': 1, k: 1_000, m: 1_000_000 }[unit.toLowerCase()] ?? 1;
  return Number(digits) * factor;
}
