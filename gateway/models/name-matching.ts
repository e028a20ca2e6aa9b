import type { Model } from '../../shared/model.ts';

const MAX_NAME = 200;
/** Fields of the spec (section 2.1) that are not names. */
const NON_NAME_FIELDS: ReadonlySet<string> = new Set(['id', 'object', 'created', 'owned_by']);

export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * Keeps only letters and digits, in lower case: `Claude Sonnet 4.5` and `claude-sonnet-4-5` become equal. Two numbers stay
 * separate: `1.0` is not `10`.
 */
export function normalizeName(text: string): string {
  return foldCase(text)
    .replaceAll(/(?<=\p{N})[^\p{L}\p{N}]+(?=\p{N})/gu, '.')
    .replaceAll(/[^\p{L}\p{N}.]+/gu, '')
    .replaceAll(/(?<!\p{N})\.|\.(?!\p{N})/gu, '');
}

/** Maximum number of nested providers in an id, as in `a/b/model`. */
export const MAX_PROVIDERS = 4;

/** Returns the id and its suffixes without providers, one slash after the other, at most four. */
export function listIdLabels(id: string): readonly string[] {
  const labels = [id];
  for (
    let at = id.indexOf('/');
    at !== -1 && labels.length <= MAX_PROVIDERS;
    at = id.indexOf('/', at + 1)
  ) {
    if (at + 1 < id.length) labels.push(id.slice(at + 1));
  }
  return labels;
}

const LABEL_WORDS: ReadonlySet<string> = new Set(['name', 'title', 'label']);

/** Returns whether the name of a field says that it holds the name of a model: `displayName`, `model_name`, `title`. */
function isLabelField(field: string): boolean {
  const parts = field
    .split(/[\s_\-./]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter((word) => word !== '')
    .map(foldCase);
  return LABEL_WORDS.has(parts.at(-1) ?? '') || foldCase(field).includes('display');
}

/** Fields that distinguish one model from the others. */
export interface DistinctFields {
  /** Fields with display names: a request by one identifies the model. */
  readonly names: readonly string[];
  /** Fields with other texts, such as a successor's id: used for suggestions only. */
  readonly hints: readonly string[];
}

/**
 * Finds the fields that hold short texts, different for every model. The spec (section 2.1) names no field for display names,
 * so a field counts as one only when its name says so.
 */
export function findDistinctFields(models: readonly Model[]): DistinctFields {
  const seen = new Map<string, Set<string> | null>();
  for (const model of models) {
    for (const [field, value] of Object.entries(model)) {
      if (NON_NAME_FIELDS.has(field) || typeof value !== 'string') continue;
      const values = seen.get(field) === undefined ? new Set<string>() : seen.get(field);
      const folded = foldCase(value);
      const isDistinct = value.length <= MAX_NAME && values?.has(folded) === false;
      if (isDistinct) values.add(folded);
      seen.set(field, isDistinct && values !== undefined ? values : null);
    }
  }
  const distinct = [...seen].filter(([, values]) => values !== null).map(([field]) => field);
  return {
    names: distinct.filter(isLabelField),
    hints: distinct.filter((field) => !isLabelField(field)),
  };
}
