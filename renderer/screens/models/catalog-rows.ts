import type { ModelSummary } from '../../../shared/model.ts';

/** One line of the list: a provider with the number of its models, or a model. `row` counts the models only. */
export type CatalogRow =
  | { readonly kind: 'group'; readonly name: string; readonly count: number }
  | { readonly kind: 'model'; readonly summary: ModelSummary; readonly row: number };

const REST = 'Other';

/** Returns the group of a model: the part before the first `/` of its id, else its owner. */
export function findProvider({ id, owned_by: owner }: ModelSummary['model']): string {
  const slash = id.indexOf('/');
  if (slash > 0) return id.slice(0, slash);
  return typeof owner === 'string' && owner.trim() !== '' ? owner : REST;
}

/** Groups models by provider and sorts them by id; those without a provider come last. */
export function toCatalogRows(summaries: readonly ModelSummary[]): readonly CatalogRow[] {
  const groups = Map.groupBy(summaries, ({ model }) => findProvider(model));
  const names = [...groups.keys()].toSorted(
    (a, b) => Number(a === REST) - Number(b === REST) || compare(a, b),
  );
  let row = 0;
  return names.flatMap((name): CatalogRow[] => {
    const members = (groups.get(name) ?? []).toSorted((a, b) => compare(a.model.id, b.model.id));
    const models = members.map((summary): CatalogRow => ({ kind: 'model', summary, row: row++ }));
    return [{ kind: 'group', name, count: members.length }, ...models];
  });
}

/** Filters the models whose id or metadata texts contain every word, ignoring case. */
export function filterModels(
  summaries: readonly ModelSummary[],
  find: string,
): readonly ModelSummary[] {
  const terms = find
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (terms.length === 0) return summaries;
  return summaries.filter(({ model }) => {
    const text = searchText(model);
    return terms.every((word) => text.includes(word));
  });
}

function searchText(model: ModelSummary['model']): string {
  return Object.values(model)
    .filter((value) => typeof value === 'string')
    .join('\n')
    .toLowerCase();
}

const collator = new Intl.Collator('en', { numeric: true });

function compare(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : 1);
}
