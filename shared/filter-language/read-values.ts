import { isRoute, ROUTE_NAMES } from '../exchange/route-label.ts';
import { matchesPattern } from '../name-pattern.ts';
import { FIELDS, ID_FIELDS, NAMES_FIELDS, NUMBER_FIELDS, TIME_FIELDS } from './fields.ts';
import { MAX_NAME_LENGTH, MAX_NAMES, MAX_TEXT_LENGTH } from './limits.ts';
import { findNearest } from './find-nearest.ts';
import { parseMoment, parseQuantity } from './quantities.ts';
import type { ScannedTerm, ScannedValue } from './scan.ts';
import type { Comparison, IdField, NamesField, NumberField, ReadTerm, TimeField } from './terms.ts';

const OPPOSITES: Readonly<Record<Comparison, Comparison | null>> = {
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
  '=': null,
};

export function readWord({ text }: ScannedValue, negated: boolean): ReadTerm {
  return text.length > MAX_TEXT_LENGTH ? TOO_LONG : { term: { kind: 'word', text, negated } };
}

export function readExact({ text }: ScannedValue, negated: boolean): ReadTerm {
  if (text.trim() === '') return { wrong: 'Write a text between the quotes.' };
  return text.length > MAX_TEXT_LENGTH ? TOO_LONG : { term: { kind: 'exact', text, negated } };
}

export function readBody({ operator, values, negated }: ScannedTerm): ReadTerm {
  const example = FIELDS['body']?.example ?? '';
  const [value, second] = values;
  if (negated) return { wrong: `"body" takes no "-". Write for example ${example}.` };
  if (value === undefined || second !== undefined || (operator !== ':' && operator !== '=')) {
    return { wrong: `"body" takes one text: ${example}.` };
  }
  const { text } = value;
  if (!/[\p{L}\p{N}]/u.test(text)) return { wrong: `"body" takes words: ${example}.`, at: value };
  return text.length > MAX_TEXT_LENGTH ? TOO_LONG : { term: { kind: 'body', text } };
}

const TOO_LONG = { wrong: `A text has at most ${MAX_TEXT_LENGTH} characters. Shorten it.` };

export function readNames(field: NamesField, scanned: ScannedTerm): ReadTerm {
  const { operator, values, negated } = scanned;
  if (operator !== ':' && operator !== '=') {
    return {
      wrong: `"${field}" cannot be compared. Write for example ${NAMES_FIELDS[field].example}.`,
    };
  }
  if (values.length > MAX_NAMES) return { wrong: `"${field}" takes at most ${MAX_NAMES} names.` };
  const long = values.find(({ text }) => text.length > MAX_NAME_LENGTH);
  if (long !== undefined) {
    return {
      wrong: `A name has at most ${MAX_NAME_LENGTH} characters. Shorten it with *.`,
      at: long,
    };
  }
  const unknown = field === 'route' ? values.find((value) => !isAnyRoute(value)) : undefined;
  if (unknown !== undefined) return { wrong: describeRoutes(unknown.text), at: unknown };
  return {
    term: { kind: 'names', field, patterns: values.map(({ pattern }) => pattern), negated },
  };
}

function isAnyRoute({ pattern }: ScannedValue): boolean {
  return ROUTE_NAMES.some((route) => matchesPattern(pattern, route));
}

function describeRoutes(typed: string): string {
  const nearest = isRoute(typed) ? null : findNearest(typed.toLowerCase(), ROUTE_NAMES);
  const meant = nearest === null ? '' : ` Did you mean ${nearest}?`;
  return `There is no route "${typed}".${meant} Routes are ${ROUTE_NAMES.join(', ')}.`;
}

export function readNumber(field: NumberField, scanned: ScannedTerm): ReadTerm {
  const { operator, values, negated } = scanned;
  const { example } = NUMBER_FIELDS[field];
  const [value, second] = values;
  if (second !== undefined)
    return { wrong: `"${field}" takes one number: ${example}.`, at: second };
  const number = parseQuantity(field, value?.text ?? '');
  if (value === undefined || number === null) {
    return {
      wrong: `"${field}" takes ${describeForms(field)}: ${example}.`,
      ...(value && { at: value }),
    };
  }
  const comparison = toComparison(operator);
  if (negated) return { wrong: describeOpposite(field, comparison, value.text) };
  return { term: { kind: 'number', field, comparison, value: number } };
}

function describeForms(field: NumberField): string {
  switch (field) {
    case 'duration':
      return 'a time such as 800ms, 2s or 1m';
    case 'cost':
      return 'an amount such as 0.05 or 20, up to 999999999.999999';
    case 'tokens':
    case 'input':
    case 'output':
      return 'a number such as 500, 10k or 1m';
  }
}

/** Returns the comparison that an operator stands for: `:` is `=`. */
export function toComparison(operator: string | null): Comparison {
  return operator === '>' || operator === '>=' || operator === '<' || operator === '<='
    ? operator
    : '=';
}

/** Says what to write instead of a comparison with a `-` before it. */
export function describeOpposite(field: string, comparison: Comparison, value: string): string {
  const opposite = OPPOSITES[comparison];
  const instead =
    opposite === null ? `${field}>${value} or ${field}<${value}` : field + opposite + value;
  return `A comparison takes no "-". Write ${instead}.`;
}

export function readTime(field: TimeField, { operator, values, negated }: ScannedTerm): ReadTerm {
  const { example } = TIME_FIELDS[field];
  const [value, second] = values;
  const other = field === 'since' ? 'until' : 'since';
  if (negated) return { wrong: `"${field}" takes no "-". Write ${TIME_FIELDS[other].example}.` };
  if (operator !== ':' && operator !== '=') {
    return { wrong: `"${field}" cannot be compared. Write for example ${example}.` };
  }
  if (second !== undefined) return { wrong: `"${field}" takes one time: ${example}.`, at: second };
  if (value === undefined || parseMoment(value.text, 0) === null) {
    const forms =
      'an age such as 30m, 2h, 3d or 1w, today, yesterday, 2026-11-21 or 2026-11-21T09:30';
    return { wrong: `"${field}" takes ${forms}.`, ...(value && { at: value }) };
  }
  return { term: { kind: 'time', field, text: value.text } };
}

const ID_PREFIXES: Readonly<Record<IdField, string>> = { id: 'ex-', run: 'run-' };

export function readId(field: IdField, { operator, values, negated }: ScannedTerm): ReadTerm {
  const prefix = ID_PREFIXES[field];
  const [value, second] = values;
  const text = value?.text.toLowerCase() ?? '';
  const digits = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  const isWrong = negated || second !== undefined || (operator !== ':' && operator !== '=');
  if (isWrong || !/^[\da-f]{1,16}$/u.test(digits)) {
    return { wrong: `"${field}" takes the beginning of one id: ${ID_FIELDS[field].example}.` };
  }
  return { term: { kind: 'id', field, prefix: prefix + digits } };
}
