import { TARGET_NAMES, type TargetName } from './target.ts';
import type { Machine, Quietness } from './machine.ts';
import { isMet, type Row } from './measure.ts';

/** The results of a run. */
export interface Report {
  readonly machine: Machine;
  readonly quietness: { readonly before: Quietness; readonly after: Quietness };
  readonly quick: boolean;
  readonly rows: readonly Row[];
}

/** Formats the rows as a Markdown table with aligned columns, one for each target that has a figure. */
export function formatTable(rows: readonly Row[]): string {
  const targets = TARGET_NAMES.filter((name) =>
    rows.some(({ values }) => values[name] !== undefined),
  );
  const headings = ['', 'unit', ...targets, 'goal', ''];
  const lines = [headings, ...rows.map((row) => toCells(row, targets))];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((cells) => columnWidth(cells, column))),
  );
  const [head = '', ...rest] = lines.map((cells) => formatLine(cells, widths));
  const rule = `|${widths.map((size, column) => (column < 2 ? '-'.repeat(size + 2) : `${'-'.repeat(size + 1)}:`)).join('|')}|`;
  return [head, rule, ...rest].join('\n');
}

/** Formats one line about the machine. */
export function formatMachine({ cpu, cores, memoryGb, system, node, nginx, wrk }: Machine): string {
  const tools = [nginx === null ? 'no nginx' : `nginx ${nginx}`, wrk ? 'wrk' : 'no wrk'];
  return `${cpu}, ${cores} cores, ${memoryGb} GB; ${system}; Node ${node}; ${tools.join(', ')}`;
}

export function formatQuietness({ busy, spread }: Quietness): string {
  return `others use ${Math.round(busy * 100)} % of the machine, the same work takes up to ${spread.toFixed(2)} times as long`;
}

function toCells(row: Row, targets: readonly TargetName[]): string[] {
  const values = targets.map((name) => formatFigure(row.values[name]));
  const met = isMet(row);
  return [
    row.label,
    row.unit,
    ...values,
    formatGoal(row),
    met === null ? '' : met ? 'met' : 'missed',
  ];
}

function formatFigure(value: number | undefined): string {
  if (value === undefined) return '';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return Number.isInteger(value) ? String(value) : value.toFixed(digits);
}

function formatGoal({ goal }: Row): string {
  if (goal === undefined) return '';
  return 'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
}

function columnWidth(cells: readonly string[], column: number): number {
  return cells[column]?.length ?? 0;
}

function formatLine(cells: readonly string[], widths: readonly number[]): string {
  const padded = widths.map((size, column) => {
    const cell = cells[column] ?? '';
    return column < 2 ? cell.padEnd(size) : cell.padStart(size);
  });
  return `| ${padded.join(' | ')} |`;
}
