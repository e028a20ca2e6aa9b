import { pluralize } from '../../../../shared/format.ts';
import {
  formatMeasure,
  listMeasures,
  type Measure,
} from '../../../../shared/reconcile/describe-reconciliation.ts';
import type { ReconciledSums } from '../../../../shared/reconcile/reconcile-contract.ts';
import type { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';

/** Says how the export differs from the history: `The export has 1 request and $0.25 more than the history.` */
export function describeDifference(
  difference: ReconciledSums,
  columns: UsageColumns,
  currency: string,
): string {
  const measures = listMeasures(columns).map(([, measure]) => measure);
  const list = (is: (value: number) => boolean) =>
    measures
      .filter((measure) => is(difference[measure]))
      .map((measure) => name(measure, Math.abs(difference[measure]), currency));
  const more = list((value) => value > 0);
  const less = list((value) => value < 0);
  if (more.length + less.length === 0) return 'Both sides have the same totals.';
  const parts = [
    ...(more.length > 0 ? [`${join(more)} more`] : []),
    ...(less.length > 0 ? [`${join(less)} less`] : []),
  ];
  return `The export has ${parts.join(', and ')} than the history.`;
}

function name(measure: Measure, size: number, currency: string): string {
  switch (measure) {
    case 'requests':
      return pluralize(size, 'request');
    case 'input':
      return pluralize(size, 'input token');
    case 'output':
      return pluralize(size, 'output token');
    case 'cost':
      return formatMeasure(measure, size, currency);
  }
}

function join(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`;
}
