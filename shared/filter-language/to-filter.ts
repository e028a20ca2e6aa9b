import type {
  HistoryCriteria,
  HistoryFilter,
  NumberRange,
  ServiceName,
} from '../history/history.ts';
import { matchesPattern, toPattern } from '../name-pattern.ts';
import { isRoute, ROUTE_NAMES } from '../exchange/route-label.ts';
import { parseMoment } from './quantities.ts';
import type { Comparison, NamesField, Term } from './terms.ts';

/** What the meaning of some terms depends on. */
export interface FilterContext {
  /** Unix time in milliseconds. */
  readonly now: number;
  /** The services by their names; a name that is not among them is taken for an id. */
  readonly services: readonly ServiceName[];
}

type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** Returns the texts that terms ask for in requests and responses. They are not in the filter, which has what they are found in. */
export function listBodyTexts(terms: readonly Term[]): string[] {
  return terms.flatMap((term) => (term.kind === 'body' ? [term.text] : []));
}

/** Returns the filter that terms stand for. */
export function toFilter(terms: readonly Term[], context: FilterContext): HistoryFilter {
  const filter: Writable<HistoryFilter> = {};
  const not: Writable<HistoryCriteria> = {};
  for (const term of terms) {
    const isNegated = 'negated' in term && term.negated;
    addTerm(term, filter, { criteria: isNegated ? not : filter, ...context });
  }
  const bound = terms.reduce(
    (range, term) => (term.kind === 'status-bound' ? narrow(range, term) : range),
    STATUSES,
  );
  if (bound !== STATUSES) filter.statuses = intersect(filter.statuses ?? [STATUSES], bound);
  return Object.keys(not).length === 0 ? filter : { ...filter, not };
}

interface Target extends FilterContext {
  /** The criteria that the term belongs to. */
  readonly criteria: Writable<HistoryCriteria>;
}

function addTerm(term: Term, filter: Writable<HistoryFilter>, target: Target): void {
  const { criteria } = target;
  switch (term.kind) {
    case 'word':
      criteria.text = criteria.text === undefined ? term.text : `${criteria.text} ${term.text}`;
      return;
    case 'exact':
      criteria.exact = [...(criteria.exact ?? []), term.text];
      return;
    case 'names':
      addNames(term.field, term.patterns, target);
      return;
    case 'status':
      criteria.statuses = [...(criteria.statuses ?? []), ...term.ranges];
      return;
    case 'status-bound':
    case 'body':
      return;
    case 'number':
      filter[term.field] = narrow(filter[term.field] ?? {}, term);
      return;
    case 'time': {
      const moment = parseMoment(term.text, target.now);
      if (moment !== null) filter[term.field] = term.field === 'since' ? moment.from : moment.to;
      return;
    }
    case 'id':
      filter[term.field] = term.prefix;
      return;
    case 'flag':
      filter[FLAG_FIELDS[term.flag]] = !term.negated;
  }
}

const FLAG_FIELDS = {
  answered: 'answered',
  failed: 'failed',
  left: 'left',
  repaired: 'repaired',
  stream: 'streamed',
  known: 'known',
  pinned: 'pinned',
  each: 'each',
} as const;

const LIST_FIELDS = {
  client: 'clients',
  model: 'models',
  error: 'errors',
  repair: 'repairs',
  program: 'agents',
  tool: 'tools',
  tag: 'tags',
  note: 'notes',
  project: 'projects',
} as const;

function addNames(
  field: NamesField,
  patterns: readonly string[],
  { criteria, services }: Target,
): void {
  if (field === 'route') {
    const named = ROUTE_NAMES.filter((route) => patterns.some((one) => matchesPattern(one, route)));
    criteria.routes = [...(criteria.routes ?? []), ...named.filter(isRoute)];
  } else if (field === 'service') {
    const ids = patterns.flatMap((pattern) => findServices(pattern, services));
    criteria.services = [...(criteria.services ?? []), ...ids];
  } else {
    const list = LIST_FIELDS[field];
    criteria[list] = [...(criteria[list] ?? []), ...patterns];
  }
}

function findServices(pattern: string, services: readonly ServiceName[]): string[] {
  const named = services.filter(({ name }) => matchesPattern(pattern, name));
  return named.length === 0 ? [pattern] : named.map(({ id }) => toPattern(id));
}

const STATUSES: NumberRange = { from: 100, to: 999 };

/** Narrows a range by a comparison. */
function narrow(
  range: NumberRange,
  { comparison, value }: { readonly comparison: Comparison; readonly value: number },
): NumberRange {
  const from =
    comparison === '>' ? value + 1 : comparison === '<' || comparison === '<=' ? null : value;
  const to =
    comparison === '<' ? value - 1 : comparison === '>' || comparison === '>=' ? null : value;
  return {
    ...range,
    ...(from !== null && { from: Math.max(from, range.from ?? from) }),
    ...(to !== null && { to: Math.min(to, range.to ?? to) }),
  };
}

/** Narrows each range to what it shares with another one. Ranges that share nothing with it stay as one that nothing is in. */
function intersect(ranges: readonly NumberRange[], bound: NumberRange): NumberRange[] {
  return ranges.map(({ from = 0, to = 999 }) => ({
    from: Math.max(from, bound.from ?? from),
    to: Math.min(to, bound.to ?? to),
  }));
}
