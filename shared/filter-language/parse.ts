import {
  FIELDS,
  FLAGS,
  isFlag,
  isIdField,
  isNamesField,
  isNumberField,
  isTimeField,
} from './fields.ts';
import { MAX_FILTER_LENGTH, MAX_TERMS } from './limits.ts';
import { findNearest } from './find-nearest.ts';
import { quote } from './print.ts';
import {
  readBody,
  readExact,
  readId,
  readNames,
  readNumber,
  readTime,
  readWord,
} from './read-values.ts';
import { readStatus } from './read-status.ts';
import { checkTogether } from './check-together.ts';
import { scanTerms, type ScannedTerm } from './scan.ts';
import type { FilterError, ParsedFilter, PlacedTerm, ReadTerm } from './terms.ts';

/**
 * Parses a filter of the history: terms that must all hold. Never throws. Takes time in proportion to the length of the text; one
 * that is too long, or has too many terms, is read up to the limit.
 */
export function parseFilter(text: string): ParsedFilter {
  const errors: FilterError[] = [];
  const placed: PlacedTerm[] = [];
  const scanned = scanTerms(text.slice(0, MAX_FILTER_LENGTH));
  for (const one of scanned.slice(0, MAX_TERMS)) {
    const { from, to } = one;
    const read = readTerm(one);
    if ('term' in read) placed.push({ from, to, term: read.term });
    else errors.push({ from: read.at?.from ?? from, to: read.at?.to ?? to, message: read.wrong });
  }
  const beyond = scanned[MAX_TERMS];
  if (beyond !== undefined) {
    const message = `A filter has at most ${MAX_TERMS} terms. Leave out some.`;
    errors.push({ from: beyond.from, to: text.length, message });
  } else if (text.length > MAX_FILTER_LENGTH) {
    const message = `A filter has at most ${MAX_FILTER_LENGTH} characters. Leave out some.`;
    errors.push({ from: MAX_FILTER_LENGTH, to: text.length, message });
  }
  const { terms, conflicts } = checkTogether(placed);
  return { terms, errors: [...errors, ...conflicts].toSorted((a, b) => a.from - b.from) };
}

function readTerm(scanned: ScannedTerm): ReadTerm {
  const { name, values, negated } = scanned;
  const open = values.find(({ closed }) => !closed);
  if (open !== undefined)
    return { wrong: 'The quotes are not closed. Write " at the end.', at: open };
  const [value] = values;
  if (name === null && value !== undefined) {
    const flag = value.text.toLowerCase();
    if (value.quoted) return readExact(value, negated);
    if (!isFlag(flag)) return readWord(value, negated);
    if (flag === 'each' && negated) return { wrong: '"each" takes no "-". Leave it out.' };
    return { term: { kind: 'flag', flag, negated } };
  }
  const field = (name ?? '').toLowerCase();
  if (isFlag(field)) return { wrong: `"${field}" has no value: write ${field} or -${field}.` };
  const example = Object.hasOwn(FIELDS, field) ? FIELDS[field]?.example : undefined;
  if (example === undefined) return { wrong: describeUnknown(scanned, field) };
  const empty = values.find(({ from, to }) => from === to);
  if (empty !== undefined) {
    return { wrong: `A value is missing after "${field}". Write for example ${example}.` };
  }
  if (isNamesField(field)) return readNames(field, scanned);
  if (isNumberField(field)) return readNumber(field, scanned);
  if (isTimeField(field)) return readTime(field, scanned);
  if (field === 'body') return readBody(scanned);
  return isIdField(field) ? readId(field, scanned) : readStatus(scanned);
}

function describeUnknown({ operator, values }: ScannedTerm, field: string): string {
  const nearest = findNearest(field, [...Object.keys(FIELDS), ...Object.keys(FLAGS)]);
  const meant = nearest === null ? '' : ` Did you mean ${nearest}?`;
  const text = quote(`${field}${operator ?? ''}${values.map((value) => value.text).join(',')}`);
  return `There is no field "${field}".${meant} To search for the text itself, write ${text}.`;
}
