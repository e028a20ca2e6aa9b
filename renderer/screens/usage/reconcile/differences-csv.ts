import { listMeasures } from '../../../../shared/reconcile/describe-reconciliation.ts';
import type {
  ReconciledSums,
  UsageDifference,
  UsageReconciliation,
} from '../../../../shared/reconcile/reconcile-contract.ts';
import type { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';

const KINDS = [
  ['onlyInExport', 'only in the export'],
  ['onlyInHistory', 'only in the history'],
  ['different', 'different'],
] as const;

/** Writes the listed differences as CSV. A number that one side does not have is an empty field. */
export function toCsv(
  found: Pick<UsageReconciliation, (typeof KINDS)[number][0]>,
  columns: UsageColumns,
  currency: string,
): string {
  const measures = listMeasures(columns).map(([, measure]) => measure);
  const unit = `cost_${currency.toLowerCase()}`;
  const names = measures.map((measure) => (measure === 'cost' ? unit : measure));
  const head = [
    'difference,time,model,exchange,row',
    ...names.map((name) => `export_${name}`),
    ...names.map((name) => `history_${name}`),
  ].join(',');
  const toNumbers = (sums: ReconciledSums | null) =>
    measures.map((measure) => {
      if (sums === null) return '';
      return String(measure === 'cost' ? sums.cost / 1e6 : sums[measure]);
    });
  const toLine = (kind: string, one: UsageDifference) =>
    [
      kind,
      new Date(one.at).toISOString(),
      toField(one.model),
      one.exchange ?? '',
      String(one.place ?? ''),
      ...toNumbers(one.export),
      ...toNumbers(one.history),
    ].join(',');
  const lines = KINDS.flatMap(([list, kind]) => found[list].first.map((one) => toLine(kind, one)));
  return [head, ...lines].map((line) => `${line}\r\n`).join('');
}

/** Quotes a name. A spreadsheet would run one that begins like a formula. */
function toField(name: string): string {
  const safe = /^[=+\-@\t\r]/u.test(name) ? `'${name}` : name;
  return `"${safe.replaceAll('"', '""')}"`;
}
