import type { Model } from '../../../../shared/model.ts';

/** Something that the service says of a model, and the names of the members it stood in, from the outside in, each in single words. */
export interface ModelWord {
  readonly under: readonly string[];
  readonly said: string | boolean;
}

const NAMES = new Set([
  'base',
  'created',
  'description',
  'family',
  'id',
  'label',
  'name',
  'object',
  'owned',
  'owner',
  'parent',
  'root',
  'slug',
  'title',
]);

/** Members that hold a word about the model even when it stands alone; elsewhere a lone text may be a name. */
const KINDS = new Set([
  'abilities',
  'accepts',
  'capabilities',
  'capability',
  'category',
  'features',
  'input',
  'inputs',
  'kind',
  'mode',
  'modalities',
  'modality',
  'pipeline',
  'supports',
  'tags',
  'task',
  'type',
]);

/** Metadata is wide, not deep; what lies deeper is no word about the model. */
const DEEPEST = 6;

/** What a model's metadata says of it in words, wherever it stands: the spec (section 2.1) shows none of the names. */
export function modelWords(model: Model): readonly ModelWord[] {
  return membersOf(model, [], 1);
}

function membersOf(value: object, under: readonly string[], depth: number): readonly ModelWord[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const named = tokensOf(name);
    return named.some((token) => NAMES.has(token))
      ? []
      : wordsIn(inner, [...under, ...named], depth);
  });
}

function wordsIn(value: unknown, under: readonly string[], depth: number): readonly ModelWord[] {
  if (depth > DEEPEST) return [];
  if (typeof value === 'boolean') return [{ under, said: value }];
  if (typeof value === 'string') {
    return under.some((token) => KINDS.has(token)) ? saidIn(value, under) : [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((one) =>
      typeof one === 'string' ? saidIn(one, under) : wordsIn(one, under, depth + 1),
    );
  }
  return typeof value === 'object' && value !== null ? membersOf(value, under, depth + 1) : [];
}

/** `text+image->text` takes text and images: what comes out of it is left out. */
function saidIn(text: string, under: readonly string[]): readonly ModelWord[] {
  const [taken = ''] = text.split(/->|→/u);
  return taken
    .split(/[\s,;|+/]+/u)
    .filter((word) => word !== '')
    .map((said) => ({ under, said }));
}

/** `inputModalities`, `input_modalities` and `Input modalities` are the same two words. */
export function tokensOf(text: string): readonly string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== '');
}

/** Whether a model makes videos and no text, as far as the service says so. */
export function makesVideos(model: Model): boolean {
  const words = modelWords(model)
    .filter(({ under }) => !under.includes('input'))
    .flatMap(({ said }) => (typeof said === 'string' ? tokensOf(said).slice(-1) : []));
  return words.includes('video') && !words.includes('text') && !words.includes('chat');
}
