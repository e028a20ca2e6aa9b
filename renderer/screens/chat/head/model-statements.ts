import type { Model } from '../../../../shared/model.ts';

/** Something that the service says of a model, and the names of the members it stood in, from the outside in, each in single words. */
export interface ModelStatement {
  readonly path: readonly string[];
  readonly value: string | boolean;
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
const MAX_DEPTH = 6;

/** What a model's metadata says of it in words, wherever it stands: the spec (section 2.1) shows none of the names. */
export function readModelStatements(model: Model): readonly ModelStatement[] {
  return readMembers(model, [], 1);
}

function readMembers(
  value: object,
  path: readonly string[],
  depth: number,
): readonly ModelStatement[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const named = splitWords(name);
    return named.some((token) => NAMES.has(token))
      ? []
      : readValue(inner, [...path, ...named], depth);
  });
}

function readValue(
  value: unknown,
  path: readonly string[],
  depth: number,
): readonly ModelStatement[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'boolean') return [{ path, value }];
  if (typeof value === 'string') {
    return path.some((token) => KINDS.has(token)) ? readText(value, path) : [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((one) =>
      typeof one === 'string' ? readText(one, path) : readValue(one, path, depth + 1),
    );
  }
  return typeof value === 'object' && value !== null ? readMembers(value, path, depth + 1) : [];
}

/** `text+image->text` takes text and images: what comes out of it is left out. */
function readText(text: string, path: readonly string[]): readonly ModelStatement[] {
  const [taken = ''] = text.split(/->|→/u);
  return taken
    .split(/[\s,;|+/]+/u)
    .filter((word) => word !== '')
    .map((value) => ({ path, value }));
}

/** `inputModalities`, `input_modalities` and `Input modalities` are the same two words. */
export function splitWords(text: string): readonly string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== '');
}

/** Whether a model makes videos and no text, as far as the service says so. */
export function makesVideos(model: Model): boolean {
  const words = readModelStatements(model)
    .filter(({ path }) => !path.includes('input'))
    .flatMap(({ value }) => (typeof value === 'string' ? splitWords(value).slice(-1) : []));
  return words.includes('video') && !words.includes('text') && !words.includes('chat');
}
