import type { ModelSummary } from '../../../shared/model.ts';
import { findContextWindow } from '../../../shared/model-metadata/model-facts.ts';

/** Orders of the list. Those by name have a group for each provider. */
export const CATALOG_SORTS = ['name', 'used', 'context'] as const;
export type CatalogSort = (typeof CATALOG_SORTS)[number];

/** One line of the list: a group with the number of its models, or a model. `row` counts the models only. */
export type CatalogRow =
  | { readonly kind: 'group'; readonly name: string; readonly count: number }
  | { readonly kind: 'model'; readonly summary: ModelSummary; readonly row: number };

const REST = 'Other';
const FAVOURITES = 'Favourites';

interface CatalogOrder {
  readonly sort: CatalogSort;
  /** Ids of models that come first. */
  readonly favourites: readonly string[];
}

/** Returns the group of a model: the part before the first `/` of its id, else its owner. */
export function findProvider({ id, owned_by: owner }: ModelSummary['model']): string {
  const slash = id.indexOf('/');
  if (slash > 0) return id.slice(0, slash);
  return typeof owner === 'string' && owner.trim() !== '' ? owner : REST;
}

/** Sorts the models into groups: favourites first, then one for each provider, or one for all in another order than by name. */
export function toCatalogRows(
  summaries: readonly ModelSummary[],
  { sort, favourites }: CatalogOrder,
): readonly CatalogRow[] {
  const marked = new Set(favourites);
  const [first, rest] = partition(summaries, ({ model }) => marked.has(model.id));
  const groups: (readonly [name: string, members: readonly ModelSummary[]])[] = [
    [FAVOURITES, first],
    ...(sort === 'name' ? byProvider(rest) : [[ORDERS[sort], rest] as const]),
  ];
  let row = 0;
  return groups.flatMap(([name, members]): CatalogRow[] => {
    if (members.length === 0) return [];
    const models = sortModels(members, sort).map((summary): CatalogRow => ({
      kind: 'model',
      summary,
      row: row++,
    }));
    return [{ kind: 'group', name, count: members.length }, ...models];
  });
}

const ORDERS = { used: 'Last used first', context: 'Largest context first' } as const;

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean) {
  const { yes = [], no = [] } = Object.groupBy(items, (item) => (test(item) ? 'yes' : 'no'));
  return [yes, no] as const;
}

/** The group of models without a provider comes last. */
function byProvider(summaries: readonly ModelSummary[]) {
  const groups = Map.groupBy(summaries, ({ model }) => findProvider(model));
  return [...groups].toSorted(
    ([a], [b]) => Number(a === REST) - Number(b === REST) || compare(a, b),
  );
}

/** Models that were never used, or whose context is unknown, come last. */
function sortModels(
  summaries: readonly ModelSummary[],
  sort: CatalogSort,
): readonly ModelSummary[] {
  const keyed = summaries.map((summary) => ({ summary, size: findSize(summary, sort) }));
  return keyed
    .toSorted((a, b) => b.size - a.size || compare(a.summary.model.id, b.summary.model.id))
    .map(({ summary }) => summary);
}

function findSize({ model, lastUsedAt }: ModelSummary, sort: CatalogSort): number {
  if (sort === 'name') return 0;
  return (sort === 'used' ? lastUsedAt : findContextWindow(model)) ?? -1;
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
