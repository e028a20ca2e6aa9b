import type {
  Difference,
  DifferenceList,
  Reconciliation,
  Sums,
} from '../../../../gateway/reconcile/reconcile.ts';
import { formatCount } from '../../../../shared/format.ts';
import {
  describeCounts,
  describeGaps,
  formatMeasure,
  formatSigned,
  listMeasures,
} from '../../../../shared/reconcile/describe-reconciliation.ts';
import { SANDBOX_ID } from '../../../../shared/sandbox-id.ts';
import type { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';
import type { CommandContext } from '../../../command-context.ts';
import { formatTimestamp } from '../../../output/format.ts';

interface Printed {
  readonly service: string;
  readonly currency: string;
  readonly columns: UsageColumns;
  readonly found: Reconciliation;
}

/** Differences of each kind that are shown. */
const SHOWN = 20;

/** Prints the totals of both sides and the first differences. */
export async function printReconciliation(
  context: CommandContext,
  { service, currency, columns, found }: Printed,
): Promise<void> {
  const { terminal, command } = context;
  const { since, until } = found;
  const partner = service === SANDBOX_ID ? 'the sandbox' : service;
  const isUtc = columns.timeZone === 'utc';
  const zone = isUtc ? 'UTC' : 'local time';
  const formatTime = isUtc ? formatUtc : formatTimestamp;
  terminal.printText(
    `Usage of ${partner} from ${formatTime(since)} to ${formatTime(until)} ${zone}.`,
  );
  await terminal.printTable({
    head: ['', 'Export', 'History', 'Difference'],
    rows: listMeasures(columns).map(([name, measure]) => {
      const format = (sums: Sums) => formatMeasure(measure, sums[measure], currency);
      return [
        name,
        format(found.export),
        format(found.history),
        formatSigned(measure, found.difference[measure], currency),
      ];
    }),
    numbers: [1, 2, 3],
  });
  terminal.printText(describeCounts(found, columns));
  for (const note of describeGaps(found)) terminal.printText(note);
  const show = async (title: string, list: DifferenceList) => {
    if (list.count === 0) return;
    const more = list.count > SHOWN ? `, the first ${SHOWN} of ${formatCount(list.count)}` : '';
    terminal.print('');
    terminal.printText(`${title}${more}:`);
    await terminal.printTable(toTable(list.first.slice(0, SHOWN), { columns, currency }));
  };
  await show('Only in the export', found.onlyInExport);
  await show('Only in the history', found.onlyInHistory);
  await show('Different, as export / history', found.different);
  const isListed = found.different.count + found.onlyInHistory.count > 0;
  if (isListed && columns.rows === 'request') {
    terminal.printText(`To show a request: ${command} show ID`);
  }
}

/** Formats a time like `formatTimestamp`, in UTC. */
function formatUtc(at: number): string {
  return new Date(at).toISOString().slice(0, 'yyyy-mm-dd hh:mm:ss'.length).replace('T', ' ');
}

function toTable(
  list: readonly Difference[],
  { columns, currency }: Pick<Printed, 'columns' | 'currency'>,
) {
  const formatTime = columns.timeZone === 'utc' ? formatUtc : formatTimestamp;
  const measures = listMeasures(columns).filter(
    ([, measure]) => measure !== 'requests' || columns.rows !== 'request',
  );
  const isRequest = columns.rows === 'request';
  return {
    head: ['Time', ...(isRequest ? ['Row', 'ID'] : []), 'Model', ...measures.map(([name]) => name)],
    rows: list.map((one) => [
      formatTime(one.at),
      ...(isRequest ? [one.place === null ? '–' : String(one.place), one.exchange ?? '–'] : []),
      one.model || '–',
      ...measures.map(([, measure]) =>
        [one.export, one.history]
          .flatMap((sums) =>
            sums === null ? [] : [formatMeasure(measure, sums[measure], currency)],
          )
          .join(' / '),
      ),
    ]),
    numbers: measures.map((_measure, place) => place + (isRequest ? 4 : 2)),
  };
}
