import { formatCount, formatDay, formatDuration, pluralize } from '../../../shared/format.ts';
import { mayLackRuns, type PriceableUse } from '../../../shared/history/usage.ts';
import { formatCostSums } from '../../../shared/money/describe-cost.ts';
import { truncate } from '../../output/format.ts';
import type { TableData } from '../../output/table.ts';
import type { UsageKey, UsageRow } from './read-usage.ts';

type Key = UsageKey | 'session';

const KEY_NAMES: Readonly<Record<Key, string>> = {
  session: 'Session',
  day: 'Day',
  hour: 'Hour',
  model: 'Model',
  client: 'Client',
  run: 'Run',
  project: 'Project',
  route: 'Route',
  tag: 'Tag',
};

/** Columns of the terminal in the longest bar. */
const BAR_WIDTH = 12;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const TASK_LENGTH = 60;

/** Formats usage as a table. Bars compare costs, or tokens where nothing has a cost. */
export function usageTable(by: Key, rows: readonly UsageRow[], currency: string): TableData {
  const sizes = rows.map(rows.some(({ cost }) => (cost ?? 0) > 0) ? costOf : tokensOf);
  const most = Math.max(...sizes);
  const isCut = by === 'run' && mayLackRuns(rows);
  return {
    head: [
      KEY_NAMES[by],
      '',
      'Money',
      'Requests',
      'Errors',
      'In',
      'Out',
      'Cached',
      'Reasoning',
      'Tokens known',
      'First byte',
      'Tokens/s',
    ],
    rows: rows.map((row, place) => [
      formatKey(by, row, isCut),
      formatBar(most > 0 ? (sizes[place] ?? 0) / most : 0),
      formatCostSums(row, currency),
      formatCount(row.exchanges),
      formatCount(row.errors),
      formatCount(row.input),
      formatCount(row.output),
      formatCount(row.cacheRead),
      formatCount(row.reasoning),
      // Sums lack the answers without reported usage, so their number is shown.
      formatKnown(row),
      formatDuration(row.firstByte?.median ?? null),
      row.rate === null ? '–' : row.rate.median.toFixed(1),
    ]),
    numbers: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    // The column that groups the rows is never cut, except a task.
    narrowing: [
      { below: [8] },
      { below: [7] },
      { below: [11] },
      { below: [10] },
      { below: [9] },
      { below: [4] },
      { below: [1] },
    ],
  };
}

/** Says how many errors are refusals, and which requests the money lacks, of which costs can be computed, and which are estimated. */
export function describeSums(
  rows: readonly UsageRow[],
  command: string,
  priceable: PriceableUse | null,
): readonly string[] {
  const all = rows.reduce((sum, row) => sum + row.unpriced, 0);
  const late = Math.min(all, priceable?.exchanges ?? 0);
  const unpriced = all - late;
  const estimated = rows.reduce((sum, row) => sum + row.costEstimated, 0);
  const lines: string[] = [];
  const refused = rows.reduce((sum, row) => sum + row.refused, 0);
  if (refused > 0) {
    lines.push(`The errors include ${pluralize(refused, 'request')} that a limit refused.`);
  }
  if (late > 0) {
    const since = formatDay(priceable?.since ?? 0);
    const verb = late === 1 ? 'was' : 'were';
    lines.push(
      `${pluralize(late, 'request')} ${verb} made before there was a price and ${late === 1 ? 'is' : 'are'} not in the money. To compute the cost: ${command} prices apply --since ${since}`,
    );
  }
  if (unpriced > 0) {
    const verb = unpriced === 1 ? 'has' : 'have';
    lines.push(
      `${pluralize(unpriced, 'request')} ${verb} no known cost and ${unpriced === 1 ? 'is' : 'are'} not in the money. Prices: ${command} prices`,
    );
  }
  if (estimated > 0) {
    lines.push(`The cost of ${pluralize(estimated, 'request')} is estimated (~).`);
  }
  return lines;
}

function costOf({ cost }: UsageRow): number {
  return cost ?? 0;
}

function tokensOf({ input, output }: UsageRow): number {
  return (input ?? 0) + (output ?? 0);
}

/** `isCut`: whether there may be earlier runs, which are not listed. */
function formatKey(by: Key, { key, run }: UsageRow, isCut: boolean): string {
  if (by === 'run' && run == null) return isCut ? 'no run, or an earlier one' : 'no run';
  if (by === 'run') return `${run ?? ''} ${truncate(key ?? '', TASK_LENGTH)}`;
  return key ?? (by === 'client' ? 'unknown' : '–');
}

function formatBar(share: number): string {
  const eighths = Math.round(share * BAR_WIDTH * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

/** Formats of how many answers the tokens are known; a dash where none has tokens. */
function formatKnown({ reported, estimated, unknown }: UsageRow): string {
  const answers = reported + estimated + unknown;
  return answers === 0 ? '–' : `${formatCount(answers - unknown)} of ${formatCount(answers)}`;
}
