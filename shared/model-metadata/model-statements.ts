import type { Model } from '../model.ts';

/** A value of a model's metadata, with the member names that lead to it from the outside in, split into words. */
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

/** Members whose plain text value describes the model; elsewhere a plain text may be a name. */
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

/** Maximum depth that is searched: metadata is wide, and deeper values do not describe the model. */
const MAX_DEPTH = 6;

/** Collects the texts of a model's metadata, wherever they are: the spec (section 2.1) defines no member names. */
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

/** Keeps the input side of `text+image->text`. */
function readText(text: string, path: readonly string[]): readonly ModelStatement[] {
  const [taken = ''] = text.split(/->|→/u);
  return taken
    .split(/[\s,;|+/]+/u)
    .filter((word) => word !== '')
    .map((value) => ({ path, value }));
}

/** Splits a member name into words: `inputModalities`, `input_modalities` and `Input modalities` give the same two. */
export function splitWords(text: string): readonly string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== '');
}

/** Whether a model generates videos and no text, according to the service's metadata. */
export function makesVideos(model: Model): boolean {
  const words = readModelStatements(model)
    .filter(({ path }) => !path.includes('input'))
    .flatMap(({ value }) => (typeof value === 'string' ? splitWords(value).slice(-1) : []));
  return words.includes('video') && !words.includes('text') && !words.includes('chat');
}
