import type { Model } from '../../shared/model.ts';
import { isPaginated } from './is-paginated.ts';
import { parseJson } from '../lib/parse-json.ts';
import { shortenList } from './shorten-list.ts';

/** A list of models and where it was found: the keys from the root, none for a bare array. */
export interface ModelArray {
  readonly models: readonly Model[];
  readonly path: readonly string[];
  /** Number of entries that are not models, because they have no id string. */
  readonly odd: number;
}

/** The accepted models of a list. */
export interface BoundedModels {
  readonly models: readonly Model[];
  /** Describes how many entries are left out and why; `null` when none is. */
  readonly omitted: string | null;
}

/** Maximum length of an id, in characters. */
const MAX_ID_LENGTH = 256;
const MAX_MODELS = 10_000;
/** Longer texts are not parsed, in characters. */
const MAX_TEXT_LENGTH = 16 * 1024 * 1024;

interface FoundArray {
  readonly items: readonly unknown[];
  readonly path: readonly string[];
}

/** Deeper than any wrapper; bounds the search. */
const MAX_DEPTH = 4;

/** A model is not a wrapper: arrays inside it, such as its permissions or tags, are not lists of models. */
function isWrapper(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return !('object' in value && value.object === 'model');
}

/** Returns all arrays that objects hold, outermost first. Does not search inside arrays. */
function findArrays(json: unknown): readonly FoundArray[] {
  const found: FoundArray[] = [];
  let level: { readonly value: unknown; readonly path: readonly string[] }[] = [
    { value: json, path: [] },
  ];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const { value, path } of level) {
      if (Array.isArray(value)) found.push({ items: value, path });
      else if (isWrapper(value)) {
        for (const [key, inner] of Object.entries(value)) {
          next.push({ value: inner, path: [...path, key] });
        }
      }
    }
    level = next;
  }
  return found;
}

function filterModels({ items, path }: FoundArray): ModelArray | null {
  const models = items.filter(isModel);
  return models.length === 0 ? null : { models, path, odd: items.length - models.length };
}

/** Checks by hand, because a schema would copy thousands of objects. */
function isModel(item: unknown): item is Model {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
  return 'id' in item && typeof item.id === 'string' && item.id !== '';
}

/**
 * Finds the list by its shape, whatever the service calls its wrapper (spec section 4.1): an array of objects that have an id;
 * other entries of it are counted. Among several, prefers one whose objects call themselves models (section 2.1), then one
 * without other entries, then the outermost. An empty array is the list when it is the only array.
 */
export function readModelList(json: unknown): ModelArray | null {
  const arrays = findArrays(json);
  const [only] = arrays;
  if (arrays.length === 1 && only?.items.length === 0)
    return { models: [], path: only.path, odd: 0 };
  const lists = arrays
    .filter(({ items }) => items.length > 0)
    .map(filterModels)
    .filter((list) => list !== null);
  const named = lists.find(({ models }) => models.every((model) => model['object'] === 'model'));
  return named ?? lists.find(({ odd }) => odd === 0) ?? lists[0] ?? null;
}

/**
 * Parses the models in a body: ids of at most 256 characters, and at most 10,000 models, so that lookups and storage stay
 * cheap for any answer. Other entries are left out. Returns `null` when the body holds no list, only a page of one, or more
 * than 16 Mi characters.
 */
export function parseModelList(body: string): BoundedModels | null {
  const found = findList(body);
  if (found === null) return null;
  const { json, list, large, many } = found;
  if (isPaginated(json, large + many === 0 ? list.models : null)) return null;
  const models = list.models.filter(({ id }) => id.length <= MAX_ID_LENGTH);
  const long = list.models.length - models.length;
  return { models, omitted: describeOmitted({ odd: list.odd, long, large, many }) };
}

/** Counts the models in a body; `null` when it holds no list. */
export function countModels(body: Buffer): number | null {
  const found = findList(body.toString());
  return found === null ? null : found.list.models.length + found.many;
}

function findList(body: string) {
  if (body.length > MAX_TEXT_LENGTH) return null;
  const bounds = { maxEntries: MAX_MODELS, maxLevels: MAX_DEPTH };
  const { text, large, many } = shortenList(body, bounds);
  try {
    const json: unknown = parseJson(text);
    const list = readModelList(json);
    return list === null ? null : { json, list, large, many };
  } catch {
    // Not JSON, perhaps a page: `null` says that there is no list.
    return null;
  }
}

interface Omitted {
  readonly odd: number;
  readonly long: number;
  readonly large: number;
  readonly many: number;
}

function describeOmitted({ odd, long, large, many }: Omitted): string | null {
  const total = odd + long + large + many;
  if (total === 0) return null;
  const reasons = [
    [odd, 'without an id in text'],
    [long, `with an id of more than ${MAX_ID_LENGTH} characters`],
    [large, 'larger than any model'],
    [many, `beyond the first ${MAX_MODELS}, or beyond the size limit`],
  ] as const;
  const given = reasons.filter(([count]) => count > 0).map(([count, why]) => `${count} ${why}`);
  const subject = total === 1 ? 'One entry was' : `${total} entries were`;
  return `${subject} omitted from the service’s model list: ${given.join('; ')}.`;
}
