import type { Model } from '../../shared/model.ts';

/** Deeper than any wrapper; bounds the search. */
const MAX_DEPTH = 4;

/**
 * Matches `has_more`, `hasNextPage`: true when the list continues beyond this page. Compared in lower case, without
 * separators.
 */
const MORE_FIELD = /^has(?:more|next|prev|previous)(?:page|s)?$/;
/** Matches `after`, `next_page`, `nextCursor`: points to another page, whatever its value. */
const CURSOR_FIELD =
  /^(?:(?:next|after|before|prev|previous)(?:page|cursor|token|id|url|uri|link|href|key|offset)*|cursor)$/;
const EDGE_FIELD = /^(?:first|last)id$/;

function isGiven(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return typeof value === 'string' ? value !== '' : typeof value === 'number';
}

function isPageField(name: string, value: unknown, ids: ReadonlySet<unknown> | null): boolean {
  const plain = name.replaceAll(/[^a-z]/gi, '').toLowerCase();
  if (MORE_FIELD.test(plain)) return value === true;
  if (CURSOR_FIELD.test(plain)) return isGiven(value);
  if (ids === null || !EDGE_FIELD.test(plain)) return false;
  return typeof value === 'string' && value !== '' && !ids.has(value);
}

/**
 * Returns whether the fields beside a list of models, at any level, show that it is a page of a longer one. The spec (section
 * 4.1) defines no pages, so all common conventions count: that there is more, a cursor to another page, a first or last id
 * that is not in the list. `models` is `null` when only a part of the list is known; then such ids say nothing.
 */
export function isPaginated(json: unknown, models: readonly Model[] | null): boolean {
  const ids = models === null ? null : new Set<unknown>(models.map(({ id }) => id));
  const search = (value: unknown, depth: number): boolean => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return Object.entries(value).some(
      ([name, inner]) =>
        isPageField(name, inner, ids) || (depth < MAX_DEPTH && search(inner, depth + 1)),
    );
  };
  return search(json, 0);
}
