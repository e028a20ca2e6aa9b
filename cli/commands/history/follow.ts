import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { formatCount, formatDuration } from '../../../shared/format.ts';
import { formatShortCost } from '../../../shared/money/describe-cost.ts';
import { matchesFilter } from '../../../shared/filter-language/matches-filter.ts';
import type { RunningExchange } from '../../../shared/history/history.ts';
import type { History, ListFilter } from '../../../gateway/history/history.ts';
import { routeLabel } from '../../../shared/exchange/route-label.ts';
import type { CommandContext } from '../../command-context.ts';
import { escapeControls, formatTimestamp } from '../../output/format.ts';
import { formatRepairCodes, formatStatus } from '../../output/format-exchange.ts';
import { listenForSignals } from '../../process/signals.ts';
import { watchAnswers } from './watch-answers.ts';

/** The exchanges to show, and their form. */
export interface HistoryQuery extends ListFilter {
  readonly json: boolean;
}

/** What is followed. `answers`: the answers are printed, too, of the Gatehouse that runs on this data folder. */
export interface FollowQuery extends HistoryQuery {
  /** That of the costs. */
  readonly currency: string;
  readonly answers: { readonly dataFlag: string | undefined } | null;
}

/**
 * Prints the latest exchanges that match, then each new one, until Ctrl-C or until nobody reads any more.
 * @throws CommandError when answers are to be printed, and no Gatehouse runs
 */
export async function followHistory(
  context: CommandContext,
  history: History,
  { answers, ...query }: FollowQuery,
): Promise<void> {
  const { terminal } = context;
  const { signal: stopped } = listenForSignals(terminal, () => undefined);
  const ended = new AbortController();
  const signal = AbortSignal.any([stopped, terminal.outputClosed, ended.signal]);
  const rows = printRows(context, history, { ...query, signal });
  if (answers === null) return await rows;
  const isShown = (exchange: RunningExchange) => matchesFilter(exchange, query.filter ?? {});
  try {
    await Promise.race([rows, watchAnswers(context, { ...answers, isShown, signal })]);
  } finally {
    ended.abort();
    await rows;
  }
}

async function printRows(
  { terminal }: CommandContext,
  history: History,
  {
    limit,
    json,
    currency,
    signal,
    ...query
  }: HistoryQuery & Pick<FollowQuery, 'currency'> & { readonly signal: AbortSignal },
): Promise<void> {
  if (!json) terminal.print(terminal.dim(fitToTerminal(HEAD, terminal.columns)));
  // The database does not keep the process alive.
  const alive = setInterval(() => undefined, KEEP_ALIVE_MS);
  try {
    for await (const exchange of history.follow({ ...query, last: limit, signal })) {
      if (json) terminal.printJsonLine(exchange);
      else terminal.print(fitToTerminal(formatLine(exchange, currency), terminal.columns));
    }
  } finally {
    clearInterval(alive);
  }
}

const KEEP_ALIVE_MS = 3_600_000;

/** Wide enough for every reason that Gatehouse names; a longer code of the service is shortened. */
const STATUS_WIDTH = 25;

/** The width of each column. A longer text moves the rest of its line, because later lines are unknown. */
const WIDTHS = [8, STATUS_WIDTH, 14, 16, 24, 8, 8, 12, 9] as const;

function toLine(cells: readonly string[]): string {
  const padded = cells.map((cell, column) => {
    const width = WIDTHS[column] ?? 0;
    return cell + ' '.repeat(Math.max(0, width - stringWidth(cell)));
  });
  return padded.join('  ').trimEnd();
}

const HEAD = toLine([
  'Time',
  'Status',
  'Client',
  'Route',
  'Model',
  'In',
  'Out',
  'Cost',
  'Duration',
  'Repairs, id',
]);

function formatLine(exchange: ExchangeRecord, currency: string): string {
  const { lastAt, clientName, route, modelSent, modelAsked, usage, durationMs, id } = exchange;
  const cells = [
    formatTimestamp(lastAt).slice(11),
    cliTruncate(formatStatus(exchange), STATUS_WIDTH),
    clientName ?? 'unknown',
    routeLabel(route),
    modelSent ?? modelAsked ?? '–',
    formatCount(usage.input),
    formatCount(usage.output),
    formatShortCost(exchange.cost, { currency, service: exchange.service }),
    formatDuration(durationMs),
    [formatRepairCodes(exchange), id].filter(Boolean).join('  '),
  ];
  return toLine(cells.map(escapeControls));
}

function fitToTerminal(line: string, columns: number | null): string {
  return columns === null ? line : cliTruncate(line, columns);
}
