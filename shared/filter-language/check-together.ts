import { MAX_BODY_TEXTS, MAX_NAMES, MAX_TEXT_LENGTH } from './limits.ts';
import type { FilterError, PlacedTerm, Term } from './terms.ts';

/** Exact texts in one filter. */
const MAX_EXACT = 20;

/** Sorts out the terms that cannot stand beside those before them. */
export function checkTogether(placed: readonly PlacedTerm[]): {
  readonly terms: readonly PlacedTerm[];
  readonly conflicts: readonly FilterError[];
} {
  const terms: PlacedTerm[] = [];
  const conflicts: FilterError[] = [];
  const seen = new Set<string>();
  const sizes = new Map<string, number>();
  for (const one of placed) {
    const key = singleKey(one.term);
    const message = seen.has(key ?? '') ? describeTwice(one.term) : findExcess(one.term, sizes);
    if (key !== null) seen.add(key);
    if (message === null) terms.push(one);
    else conflicts.push({ from: one.from, to: one.to, message });
  }
  return { terms, conflicts };
}

/** Returns what only one term of a filter may be about; `null` for terms of which there may be several. */
function singleKey(term: Term): string | null {
  switch (term.kind) {
    case 'names':
      return term.negated ? null : term.field;
    case 'status':
      return term.negated ? null : 'status';
    case 'time':
      return term.field;
    case 'id':
      return term.field;
    case 'flag':
      return term.flag;
    case 'word':
    case 'exact':
    case 'body':
    case 'number':
    case 'status-bound':
      return null;
  }
}

function describeTwice(term: Term): string {
  if (term.kind === 'names' || term.kind === 'status') {
    const name = term.kind === 'names' ? term.field : 'status';
    return `"${name}" is there twice. For any of several values write ${name}:one,other.`;
  }
  const name = term.kind === 'flag' ? term.flag : 'field' in term ? term.field : 'id';
  return `"${name}" is there twice. Leave out one of them.`;
}

/** Adds the size of a term to those before it. Returns what to do when they are too much together. */
function findExcess(term: Term, sizes: Map<string, number>): string | null {
  const grow = (key: string, by: number, limit: number): boolean => {
    const size = (sizes.get(key) ?? 0) + by;
    sizes.set(key, size);
    return size > limit;
  };
  if (term.kind === 'word' && grow(`word ${term.negated}`, term.text.length + 1, MAX_TEXT_LENGTH)) {
    return `The words have at most ${MAX_TEXT_LENGTH} characters together. Leave out some.`;
  }
  if (term.kind === 'exact' && grow(`exact ${term.negated}`, 1, MAX_EXACT)) {
    return `A filter has at most ${MAX_EXACT} texts in quotes. Leave out some.`;
  }
  if (term.kind === 'body' && grow('body', 1, MAX_BODY_TEXTS)) {
    return `A filter has at most ${MAX_BODY_TEXTS} texts of requests and responses. Leave out some.`;
  }
  if (
    term.kind === 'names' &&
    grow(`${term.field} ${term.negated}`, term.patterns.length, MAX_NAMES)
  ) {
    return `"${term.field}" takes at most ${MAX_NAMES} names. Leave out some.`;
  }
  return null;
}
