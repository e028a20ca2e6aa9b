import type { Model } from '../../shared/model.ts';

const MAX_NAME = 200;
/** Fields of the spec (section 2.1) that are no names. */
const NON_NAME_FIELDS: ReadonlySet<string> = new Set(['id', 'object', 'created', 'owned_by']);

export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * Only letters and digits, without case: `Claude Sonnet 4.5` and `claude-sonnet-4-5` are the same. Two numbers stay two:
 * `1.0` is not `10`.
 */
export function normalizeName(text: string): string {
  return foldCase(text)
    .replaceAll(/(?<=\p{N})[^\p{L}\p{N}]+(?=\p{N})/gu, '.')
    .replaceAll(/[^\p{L}\p{N}.]+/gu, '')
    .replaceAll(/(?<!\p{N})\.|\.(?!\p{N})/gu, '');
}

/** Providers of providers that are looked past. */
export const MAX_PROVIDERS = 4;

/** The id itself and what is left of it without its provider, one slash after the other, four of them at most. */
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

/** Whether a field says by its name that it holds what people call a model: `displayName`, `model_name`, `title`. */
function isLabelField(field: string): boolean {
  const words = field
    .split(/[\s_\-./]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter((word) => word !== '')
    .map(foldCase);
  return LABEL_WORDS.has(words.at(-1) ?? '') || foldCase(field).includes('display');
}

/** Fields by which one model can be told from the others. */
export interface DistinctFields {
  /** They hold display names: what is asked for by one means this model. */
  readonly names: readonly string[];
  /** They hold something else, such as a successor's id: good for a suggestion, never for more. */
  readonly hints: readonly string[];
}

/**
 * The fields that hold short texts of which no two models have the same. The spec (section 2.1) names no field for display
 * names, so a field counts as one when it also says so itself.
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
