import type { Model } from '../../shared/model.ts';
import { showsPage } from './page.ts';
import { parseJson } from '../parse-json.ts';

/** A list of models and where it was found: the keys from the top, none for a bare array. */
export interface ModelList {
  readonly models: readonly Model[];
  readonly path: readonly string[];
}

/** The models of a list that are taken. */
export interface BoundedModels {
  readonly models: readonly Model[];
  /** In words, how many are left out and why; `null` when none is. */
  readonly omitted: string | null;
}

/** No model has a longer id, in characters. */
const LONGEST_ID = 256;
const MOST_MODELS = 10_000;
/** Of a whole list, in characters. */
const LONGEST_LIST = 8 * 1024 * 1024;

interface FoundArray {
  readonly items: readonly unknown[];
  readonly path: readonly string[];
}

/** Deeper than any wrapper, and a bound for what is walked through. */
const MAX_DEPTH = 4;

/** A model is no wrapper: what is inside of one, such as its permissions or tags, is no list of models. */
function isWrapper(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return !('object' in value && value.object === 'model');
}

/** All arrays that objects hold, the outermost first. What is inside of arrays is left alone. */
function arraysIn(json: unknown): readonly FoundArray[] {
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

function modelsOf({ items, path }: FoundArray): ModelList | null {
  const models: Model[] = [];
  for (const item of items) {
    if (!isModel(item)) return null;
    models.push(item);
  }
  return { models, path };
}

/** Looked at by hand, for a schema would copy thousands of objects. */
function isModel(item: unknown): item is Model {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
  return 'id' in item && typeof item.id === 'string' && item.id !== '';
}

/**
 * Finds the list by its shape, whatever the service calls its wrapper (spec section 4.1): an array of objects that each have
 * an id. Where several qualify, one whose objects call themselves models (section 2.1), then the outermost.
 * An empty array is the list when it is the only array there is.
 */
export function readModelList(json: unknown): ModelList | null {
  const arrays = arraysIn(json);
  const [only] = arrays;
  if (arrays.length === 1 && only?.items.length === 0) return { models: [], path: only.path };
  const lists = arrays
    .filter(({ items }) => items.length > 0)
    .map(modelsOf)
    .filter((list) => list !== null);
  const named = lists.find(({ models }) => models.every((model) => model['object'] === 'model'));
  return named ?? lists[0] ?? null;
}

/** Takes ids of at most 256 characters, and at most 10,000 models: looking one up and keeping the list stay cheap, whatever a service says. */
export function boundModels(models: readonly Model[]): BoundedModels {
  const named = models.filter(({ id }) => id.length <= LONGEST_ID);
  const kept = named.slice(0, MOST_MODELS);
  const long = models.length - named.length;
  const many = named.length - kept.length;
  const why = [
    long === 0 ? [] : [`${long} with an id of more than ${LONGEST_ID} characters`],
    many === 0 ? [] : [`${many} beyond the first ${MOST_MODELS}`],
  ].flat();
  const omitted =
    why.length === 0
      ? null
      : `Not all models of the service are taken: left out are ${why.join(' and ')}.`;
  return { models: kept, omitted };
}

/** The model list in a body; `null` when it holds none, only a page of one, or more than 8 million characters. */
export function parseModelList(body: string): ModelList | null {
  if (body.length > LONGEST_LIST) return null;
  try {
    const json: unknown = parseJson(body);
    const list = readModelList(json);
    return list === null || showsPage(json, list.models) ? null : list;
  } catch {
    // Not JSON, so no list: that is what `null` says.
    return null;
  }
}

/** How many models the list in a body has; `null` when it holds none. */
export function countModels(body: Buffer): number | null {
  try {
    return readModelList(parseJson(body.toString()))?.models.length ?? null;
  } catch {
    // Not JSON: a page, perhaps.
    return null;
  }
}
