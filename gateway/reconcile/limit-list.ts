import type { Difference, DifferenceList } from './types.ts';

/** Differences that a list has. */
const MAX_LISTED = 1_000;

/** Returns the first differences by time, with the number of all. Only some of them are in memory together. */
export function limitList<Item>(
  items: readonly Item[],
  toDifference: (item: Item) => Difference,
): DifferenceList {
  let first: Difference[] = [];
  for (const item of items) {
    first.push(toDifference(item));
    if (first.length === 2 * MAX_LISTED) first = takeFirst(first);
  }
  return { count: items.length, first: takeFirst(first) };
}

function takeFirst(differences: readonly Difference[]): Difference[] {
  return differences.toSorted(compareDifferences).slice(0, MAX_LISTED);
}

function compareDifferences(one: Difference, other: Difference): number {
  return (
    one.at - other.at ||
    compareTexts(one.model, other.model) ||
    compareTexts(one.exchange ?? '', other.exchange ?? '') ||
    (one.place ?? 0) - (other.place ?? 0)
  );
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
