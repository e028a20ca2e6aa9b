import { ROUTE_NAMES, isRoute, routeLabel } from '../exchange/route-label.ts';
import { RepairCode } from '../exchange/repair.ts';
import { toPattern } from '../name-pattern.ts';
import { FIELDS, FLAGS } from './fields.ts';
import { printPattern } from './print.ts';
import { scanTerms, type ScannedTerm } from './scan.ts';
import type { Span } from './terms.ts';

/** Names that are offered as values. */
export interface FilterNames {
  readonly clients: readonly string[];
  readonly models: readonly string[];
  readonly services: readonly string[];
  readonly tools: readonly string[];
  readonly tags: readonly string[];
}

/** A text that can be put at the place of what was typed. `about`: what it means, in a few words. */
export interface Completion {
  readonly text: string;
  readonly about: string;
}

/** What can be put at a place; `completions` may be empty. */
export interface Completions extends Span {
  readonly completions: readonly Completion[];
}

const MAX_COMPLETIONS = 12;
/** The name of a field with its operator. */
const FIELD_START = /^[a-z]+[:<>=]+/u;

/** Finds what can continue a filter at the caret: the names of fields, then their values. */
export function completeFilter(text: string, caret: number, names: FilterNames): Completions {
  const term = scanTerms(text).find(({ from, to }) => from < caret && caret <= to);
  if (term === undefined) return { from: caret, to: caret, completions: listNames('', false) };
  if (term.name === null) return completeName(text, caret, term);
  const value = term.values.find(({ from, to }) => from <= caret && caret <= to);
  if (value === undefined) return { from: caret, to: caret, completions: [] };
  const typed = text.slice(value.from, caret).replaceAll('"', '').toLowerCase();
  const offered = listValues(term.name.toLowerCase(), names).filter(({ value: one }) => {
    const lower = one.toLowerCase();
    return lower.includes(typed) && lower !== value.text.toLowerCase();
  });
  const completions = offered
    .map(({ value: one, about }) => ({ text: printPattern(toPattern(one)), about }))
    .slice(0, MAX_COMPLETIONS);
  return { from: value.from, to: value.to, completions };
}

function completeName(text: string, caret: number, { from, to, negated, values }: ScannedTerm) {
  const start = negated ? from + 1 : from;
  const typed = text.slice(start, caret);
  const isText = values[0]?.quoted === true || typed === '';
  return { from: start, to, completions: isText ? [] : listNames(typed, negated) };
}

function listNames(typed: string, negated: boolean): Completion[] {
  const lower = typed.toLowerCase();
  const fields = Object.values(FIELDS).map(({ about, example }) => {
    const [start = ''] = FIELD_START.exec(example) ?? [];
    return { text: start, about };
  });
  const flags = Object.entries(FLAGS).map(([text, about]) => ({ text, about }));
  return [...fields, ...(negated ? flags.filter(({ text }) => text !== 'each') : flags)].filter(
    ({ text }) => text.startsWith(lower) && text !== lower,
  );
}

function plain(values: readonly string[]) {
  return values.map((value) => ({ value, about: '' }));
}

function listValues(field: string, { clients, models, services, tools, tags }: FilterNames) {
  switch (field) {
    case 'client':
      return plain(clients);
    case 'model':
      return plain(models);
    case 'service':
      return plain(services);
    case 'tool':
      return plain(tools);
    case 'tag':
      return plain(tags);
    case 'route':
      return ROUTE_NAMES.filter(isRoute).map((value) => ({ value, about: routeLabel(value) }));
    case 'repair':
      return plain(RepairCode.options);
    case 'status':
      return STATUS_VALUES;
    case 'since':
    case 'until':
      return TIME_VALUES;
    default:
      return [];
  }
}

const STATUS_VALUES = [
  { value: '2xx', about: 'Accepted, answered whole or not' },
  { value: '4xx', about: 'Refused' },
  { value: '429', about: 'Too many requests' },
  { value: '5xx', about: 'Error of the service or of Gatehouse' },
];

const TIME_VALUES = [
  { value: '1h', about: 'An hour ago' },
  { value: 'today', about: '' },
  { value: 'yesterday', about: '' },
  { value: '7d', about: 'Seven days ago' },
  { value: '30d', about: '30 days ago' },
];
