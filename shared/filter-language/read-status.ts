import type { NumberRange } from '../history/history.ts';
import { STATUS_FIELD } from './fields.ts';
import { MAX_NAMES } from './limits.ts';
import { describeOpposite, toComparison } from './read-values.ts';
import type { ScannedTerm } from './scan.ts';
import type { ReadTerm } from './terms.ts';

const FIRST = 100;
const LAST = 999;

/** Reads statuses (`404`), classes (`4xx`) and ranges (`500-503`), or one status that is compared. */
export function readStatus({ operator, values, negated }: ScannedTerm): ReadTerm {
  const comparison = toComparison(operator);
  const ranges: StatusRange[] = [];
  for (const value of values) {
    const range = parseRange(value.text);
    if (range === null) return { wrong: describeStatus(value.text), at: value };
    ranges.push(range);
  }
  if (comparison === '=') {
    if (values.length > MAX_NAMES) return { wrong: `"status" takes at most ${MAX_NAMES} values.` };
    return { term: { kind: 'status', ranges, negated } };
  }
  const [range, second] = ranges;
  if (range === undefined || second !== undefined || range.from !== range.to) {
    return { wrong: `A status is compared with one number: ${STATUS_FIELD.example}.` };
  }
  if (negated) return { wrong: describeOpposite('status', comparison, String(range.from)) };
  return { term: { kind: 'status-bound', comparison, value: range.from } };
}

interface StatusRange extends NumberRange {
  readonly from: number;
  readonly to: number;
}

function parseRange(text: string): StatusRange | null {
  const [, digit] = /^([1-9])xx$/iu.exec(text) ?? [];
  if (digit !== undefined) return { from: 100 * Number(digit), to: 100 * Number(digit) + 99 };
  const [, first, last = first] = /^(\d{3})(?:-(\d{3}))?$/u.exec(text) ?? [];
  const from = Number(first);
  const to = Number(last);
  return first !== undefined && from >= FIRST && to <= LAST && from <= to ? { from, to } : null;
}

function describeStatus(typed: string): string {
  return `"${typed}" is no status. Write for example status:429, status:4xx, status:500-503 or ${STATUS_FIELD.example}.`;
}
