import type { Model } from '../../../../shared/model.ts';

/** A word that the service says about a model, and the names of the members it stood in, from the outside in, each in single words. */
export interface ModelWord {
  readonly under: readonly string[];
  readonly said: string | boolean;
}

/** Members that hold names or prose: words in them say nothing of what a model can do. */
const NAMES = new Set(
  'id object name title label description about root parent slug family owner owned by created'.split(
    ' ',
  ),
);
/** Metadata is wide, not deep; what lies deeper is no word about the model. */
const DEEPEST = 6;

/** What a model's metadata says in single words, wherever it stands: the spec (section 2.1) shows none of the names. */
export function modelWords(model: Model): readonly ModelWord[] {
  return Object.entries(model).flatMap(([name, value]) =>
    tokens(name).some((token) => NAMES.has(token)) ? [] : wordsIn(value, tokens(name)),
  );
}

function wordsIn(value: unknown, under: readonly string[], depth = 1): readonly ModelWord[] {
  if (depth > DEEPEST) return [];
  if (typeof value === 'boolean') return [{ under, said: value }];
  if (typeof value === 'string') return splitOf(value).map((said) => ({ under, said }));
  if (Array.isArray(value)) return value.flatMap((one) => wordsIn(one, under, depth + 1));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    wordsIn(inner, [...under, ...tokens(name)], depth + 1),
  );
}

/** `text+image->text` takes text and images: what comes out of it is left out. */
function splitOf(text: string): readonly string[] {
  const taken = text.split(/->|→/u)[0] ?? '';
  return taken.split(/[\s,;|+/]+/u).filter((word) => word !== '');
}

/** `inputModalities`, `input_modalities` and `Input modalities` are the same two words. */
export function tokens(text: string): readonly string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== '');
}

/** Whether a model makes videos, as far as the service says so, and no text. */
export function makesVideos(model: Model): boolean {
  const words = modelWords(model)
    .filter(({ under }) => !under.some((token) => token.startsWith('input')))
    .flatMap(({ said }) => (typeof said === 'string' ? tokens(said).slice(-1) : []));
  return words.includes('video') && !words.includes('text') && !words.includes('chat');
}
