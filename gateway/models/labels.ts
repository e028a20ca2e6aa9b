import type { Model } from '../../shared/model.ts';

const MAX_NAME = 200;
/** Fields of the spec (section 2.1) that are no names. */
const NO_NAMES: ReadonlySet<string> = new Set(['id', 'object', 'created', 'owned_by']);

export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * Only letters and digits, without case: `Claude Sonnet 4.5` and `claude-sonnet-4-5` are the same. Two numbers stay two:
 * `1.0` is not `10`.
 */
export function squash(text: string): string {
  return foldCase(text)
    .replaceAll(/(?<=\p{N})[^\p{L}\p{N}]+(?=\p{N})/gu, '.')
    .replaceAll(/[^\p{L}\p{N}.]+/gu, '')
    .replaceAll(/(?<!\p{N})\.|\.(?!\p{N})/gu, '');
}

/** The id itself and what is left of it without its provider, one slash after the other. */
export function idLabels(id: string): readonly string[] {
  const labels = [id];
  for (let at = id.indexOf('/'); at !== -1; at = id.indexOf('/', at + 1)) {
    if (at + 1 < id.length) labels.push(id.slice(at + 1));
  }
  return labels;
}

/**
 * The fields that hold display names. The spec does not name any, so a field counts when it holds short texts and no two
 * models have the same one in it.
 */
export function nameFields(models: readonly Model[]): readonly string[] {
  const seen = new Map<string, Set<string> | null>();
  for (const model of models) {
    for (const [field, value] of Object.entries(model)) {
      if (NO_NAMES.has(field) || typeof value !== 'string') continue;
      const values = seen.get(field) === undefined ? new Set<string>() : seen.get(field);
      const folded = foldCase(value);
      const isName = value.length <= MAX_NAME && values?.has(folded) === false;
      if (isName) values.add(folded);
      seen.set(field, isName && values !== undefined ? values : null);
    }
  }
  return [...seen].filter(([, values]) => values !== null).map(([field]) => field);
}
