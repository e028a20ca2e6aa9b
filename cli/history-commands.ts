import { Option } from 'commander';
import type { Command } from 'commander';
import type { ExchangeRecord } from '../shared/exchange.ts';
import type { HistoryFilter, StatusClass, UsageKey, UsageRow } from '../gateway/history/history.ts';
import { count, duration, moment } from './figures.ts';
import { readWhole } from './numbers.ts';
import { UsageProblem } from './problem.ts';
import { lookIntoHistory, withRooms } from './rooms.ts';
import type { Shell } from './shell.ts';

interface HistoryFlags {
  readonly data?: string;
  readonly json?: boolean;
  readonly limit: string;
  readonly status?: string;
  readonly client?: string;
  readonly model?: string;
}

interface UsageFlags {
  readonly data?: string;
  readonly json?: boolean;
  readonly by: UsageKey;
}

/** `gatehouse history` and `gatehouse usage`: what passed through and what it cost in tokens. */
export function addHistoryCommands(program: Command, shell: Shell): void {
  program
    .command('history')
    .description('list exchanges, newest first')
    .option('--limit <number>', 'how many, at most 10,000', '20')
    .option('--status <status>', 'only this status (404) or class of statuses (4xx)')
    .option('--client <name>', 'only this client')
    .option('--model <id>', 'only this model')
    .option('--json', 'print JSON, with everything that is kept')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', '\nExample:\n  gatehouse history --status 4xx --limit 5')
    .action(async (flags: HistoryFlags) => await history(shell, flags));
  program
    .command('usage')
    .description('sum up exchanges and tokens')
    .addOption(
      new Option('--by <key>', 'what to sum up by')
        .choices(['day', 'model', 'client'])
        .default('day'),
    )
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', '\nExample:\n  gatehouse usage --by client')
    .action(async (flags: UsageFlags) => await usage(shell, flags));
}

async function history(shell: Shell, flags: HistoryFlags): Promise<void> {
  const filter = readFilter(flags);
  await withRooms(shell, flags.data, async (rooms) => {
    const exchanges = await lookIntoHistory(rooms, async (kept) => await kept.list(filter));
    if (flags.json === true) {
      shell.terminal.printJson({ exchanges });
    } else if (exchanges.length === 0) {
      shell.terminal.print('No exchange matches.');
    } else {
      shell.terminal.printTable(exchangeTable(exchanges));
    }
  });
}

function readFilter(flags: HistoryFlags): HistoryFilter {
  return {
    limit: readWhole(flags.limit, { name: '--limit', from: 1, to: 10_000 }),
    ...(flags.status === undefined ? {} : { status: readStatus(flags.status) }),
    ...(flags.client === undefined ? {} : { client: flags.client }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
  };
}

const CLASSES: readonly StatusClass[] = ['1xx', '2xx', '3xx', '4xx', '5xx'];

function readStatus(text: string): number | StatusClass {
  const found = CLASSES.find((name) => name === text.toLowerCase());
  if (found !== undefined) {
    return found;
  }
  if (!/^[1-5]\d\d$/u.test(text)) {
    throw new UsageProblem('--status takes a status such as 404, or a class such as 4xx.');
  }
  return Number(text);
}

function exchangeTable(exchanges: readonly ExchangeRecord[]) {
  return {
    head: ['Time', 'Client', 'Route', 'Model', 'Status', 'In', 'Out', 'Took', 'Fixed'],
    rows: exchanges.map((exchange) => [
      moment(exchange.startedAt),
      exchange.clientName ?? '–',
      exchange.route,
      exchange.modelSent ?? exchange.modelAsked ?? '–',
      exchange.status === null ? 'left' : String(exchange.status),
      count(exchange.usage.input),
      count(exchange.usage.output),
      duration(exchange.durationMs),
      exchange.repairs.length === 0 ? '' : String(exchange.repairs.length),
    ]),
    numbers: [4, 5, 6, 7, 8],
    flexible: [1, 3],
  };
}

async function usage(shell: Shell, flags: UsageFlags): Promise<void> {
  await withRooms(shell, flags.data, async (rooms) => {
    const rows = await lookIntoHistory(rooms, async (kept) => await kept.usage(flags.by));
    if (flags.json === true) {
      shell.terminal.printJson({ by: flags.by, usage: rows });
    } else if (rows.length === 0) {
      shell.terminal.print('Nothing has passed through yet.');
    } else {
      shell.terminal.printTable(usageTable(flags.by, rows));
    }
  });
}

const KEY_NAMES = { day: 'Day', model: 'Model', client: 'Client' } as const;

function usageTable(by: UsageKey, rows: readonly UsageRow[]) {
  return {
    head: [KEY_NAMES[by], 'Exchanges', 'Errors', 'In', 'Out', 'Cached', 'Reasoning', 'Known'],
    rows: rows.map((row) => [
      row.key ?? '–',
      count(row.exchanges),
      count(row.errors),
      count(row.input),
      count(row.output),
      count(row.cacheRead),
      count(row.reasoning),
      // Sums miss the exchanges whose usage nobody told, so it is said how many are in them.
      `${count(row.exchanges - row.unknown)} of ${count(row.exchanges)}`,
    ]),
    numbers: [1, 2, 3, 4, 5, 6, 7],
    flexible: [0],
  };
}
