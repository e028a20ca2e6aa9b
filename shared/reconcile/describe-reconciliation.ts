import { formatCount, pluralize } from '../format.ts';
import { formatMoney } from '../money/format-money.ts';
import type { ReconciledSums } from './reconcile-contract.ts';
import type { UsageColumns } from './usage-columns.ts';

/** A measure that both sides of a comparison have. */
export type Measure = keyof ReconciledSums;

/** Lists the measures that an export has, with their names. */
export function listMeasures({
  rows,
  requests,
  input,
  output,
  cost,
}: UsageColumns): (readonly [name: string, measure: Measure])[] {
  const all: readonly (readonly [string, Measure, boolean])[] = [
    ['Requests', 'requests', rows === 'request' || requests !== null],
    ['Input tokens', 'input', input.length > 0],
    ['Output tokens', 'output', output.length > 0],
    ['Cost', 'cost', cost !== null],
  ];
  return all.flatMap(([name, measure, isThere]) => (isThere ? [[name, measure] as const] : []));
}

/** Formats a value of a measure; one below zero has a minus sign. */
export function formatMeasure(measure: Measure, value: number, currency: string): string {
  const size = Math.abs(value);
  const text = measure === 'cost' ? formatMoney(size, currency) : formatCount(size);
  return value < 0 ? `-${text}` : text;
}

/** Formats a difference with its sign: `+5`, `-$0.25`, `0`. */
export function formatSigned(measure: Measure, value: number, currency: string): string {
  const text = formatMeasure(measure, value, currency);
  return value > 0 ? `+${text}` : text;
}

interface Counted {
  readonly count: number;
}

/** The numbers of a comparison, as the command and the window have it. */
interface Counts {
  readonly equal: number;
  readonly different: Counted;
  readonly onlyInExport: Counted;
  readonly onlyInHistory: Counted;
}

/** Says how many requests or sums are equal, different, and on one side only. */
export function describeCounts(
  { equal, different, onlyInExport, onlyInHistory }: Counts,
  { rows }: Pick<UsageColumns, 'rows'>,
): string {
  const noun = rows === 'request' ? 'request' : 'sum';
  const verb = equal === 1 ? 'is' : 'are';
  return `${pluralize(equal, noun)} ${verb} equal, ${formatCount(different.count)} different, ${formatCount(onlyInExport.count)} only in the export, ${formatCount(onlyInHistory.count)} only in the history.`;
}

/** The parts of a comparison that limit what it says. */
interface Gaps {
  readonly unreadable: Counted & {
    readonly first: readonly { readonly place: number; readonly reason: string }[];
  };
  readonly outside: number;
  readonly inexact: number;
  readonly withoutCost: number;
}

/** Yields sentences about rows that were not counted, and numbers that are not exact. */
export function* describeGaps({
  unreadable,
  outside,
  inexact,
  withoutCost,
}: Gaps): Generator<string, void, void> {
  const [fault] = unreadable.first;
  if (fault !== undefined) {
    const verb = unreadable.count === 1 ? 'counts' : 'count';
    yield `${pluralize(unreadable.count, 'row')} of the file could not be read and ${verb} nowhere; the first is ${fault.place}: ${fault.reason}.`;
  }
  if (outside > 0)
    yield `${pluralize(outside, 'row')} of the file ${outside === 1 ? 'is' : 'are'} of other times.`;
  if (inexact > 0) {
    yield `The tokens of ${pluralize(inexact, 'exchange')} are estimated or unknown.`;
  }
  if (withoutCost > 0) {
    yield `The cost of ${pluralize(withoutCost, 'exchange')} is not known here.`;
  }
}
