import { Option, type Command } from 'commander';
import type { ExchangeRecord } from '../../shared/exchange.ts';
import { FIXED_CLIENT_NAME } from '../../gateway/clients/clients.ts';
import type {
  ListFilter,
  StatusClass,
  StatusFilter,
  UsageKey,
  UsageRow,
} from '../../gateway/history/history.ts';
import { describeExchange, describeHeaders, formatStatus } from '../output/format-exchange.ts';
import { formatTimestamp } from '../output/format.ts';
import { formatCount, formatDuration } from '../../shared/format.ts';
import { parseInteger } from '../parse-numbers.ts';
import { CommandError, UsageError } from '../errors.ts';
import { withHistory, withRepositories, type CommandRepositories } from '../with-repositories.ts';
import type { CommandContext } from '../command-context.ts';
import type { TableData } from '../output/table.ts';

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

/** Defines `gatehouse history` and `gatehouse usage`: past exchanges and their tokens. */
export function addHistoryCommands(program: Command, context: CommandContext): void {
  program
    .command('history')
    .description('list exchanges, newest first; with an id, show everything of one exchange')
    .argument('[exchange-id]', 'id of an exchange, or a unique beginning of it')
    .option('--limit <number>', 'number of exchanges, at most 10,000', '20')
    .option('--status <status>', 'only this status (404) or class (4xx), or "failed"')
    .option('--client <name>', 'only this client, in any letter case')
    .option('--model <id>', 'only this model')
    .option('--json', 'print JSON with all stored fields')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', `\nExample:\n  ${context.command} history --status failed --limit 5`)
    .action(async (id: string | undefined, flags: HistoryFlags) =>
      id === undefined
        ? await listExchanges(context, flags)
        : await showExchange(context, id, flags),
    );
  program
    .command('usage')
    .description('show totals of exchanges and tokens')
    .addOption(
      new Option('--by <key>', 'group by').choices(['day', 'model', 'client']).default('day'),
    )
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', `\nExample:\n  ${context.command} usage --by client`)
    .action(async (flags: UsageFlags) => await showUsage(context, flags));
}

async function listExchanges(context: CommandContext, flags: HistoryFlags): Promise<void> {
  const filter = toFilter(flags);
  await withRepositories(context, flags.data, async (repositories) => {
    const clients = flags.client === undefined ? {} : await findClient(repositories, flags.client);
    const { exchanges, isEmpty } = await withHistory(repositories, async (history) => {
      const found = await history.list({ ...filter, ...clients });
      // It is distinguished only in the explanation.
      const none = found.length === 0 && (await history.list({ limit: 1 })).length === 0;
      return { exchanges: found, isEmpty: none };
    });
    if (flags.json === true) {
      context.terminal.printJson({ exchanges });
    } else if (isEmpty) {
      context.terminal.print('There are no exchanges yet.');
    } else if (exchanges.length === 0) {
      context.terminal.print('No exchange matches.');
    } else {
      context.terminal.printTable(exchangeTable(exchanges));
    }
  });
}

/** Finds clients by name. Revoked ones may have used the same name in other letter case. @throws CommandError when there is none. */
async function findClient({ clients }: CommandRepositories, name: string) {
  const normalizedName = name.trim().toLowerCase();
  const known = [...(await clients.list()).map((client) => client.name), FIXED_CLIENT_NAME];
  const names = known.filter((one) => one.toLowerCase() === normalizedName);
  if (names.length === 0) {
    throw new CommandError(`There is no client named "${name.trim()}".`);
  }
  return { client: names };
}

async function showExchange(
  context: CommandContext,
  id: string,
  flags: HistoryFlags,
): Promise<void> {
  const idPrefix = parseIdPrefix(id);
  await withRepositories(context, flags.data, async (repositories) => {
    const found = await withHistory(
      repositories,
      async (history) => await history.list({ idPrefix, limit: 2 }),
    );
    const [exchange] = found;
    if (exchange === undefined) {
      throw new CommandError(`There is no exchange whose id begins with ${idPrefix}.`);
    }
    if (found.length > 1) {
      throw new CommandError(`Several ids begin with ${idPrefix}. Give more characters.`);
    }
    const detail = await withHistory(
      repositories,
      async (history) => await history.get(exchange.id),
    );
    const headers = detail?.headers ?? null;
    if (flags.json === true) {
      context.terminal.printJson({ exchange, headers });
      return;
    }
    for (const { name, text } of [...describeExchange(exchange), ...describeHeaders(headers)]) {
      context.terminal.printText(text, { first: name.padEnd(NAME_WIDTH), width: NAME_WIDTH });
    }
  });
}

const NAME_WIDTH = 14;

function parseIdPrefix(text: string): string {
  const digits = /^(?:ex-)?([\da-f]{1,16})$/iu.exec(text)?.[1];
  if (digits === undefined) {
    throw new UsageError(
      'The id of an exchange is ex- and hexadecimal digits; its beginning is enough.',
    );
  }
  return `ex-${digits.toLowerCase()}`;
}

function toFilter(flags: HistoryFlags): ListFilter {
  return {
    limit: parseInteger(flags.limit, { name: '--limit', from: 1, to: 10_000 }),
    ...(flags.status === undefined ? {} : { status: parseStatus(flags.status) }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
  };
}

const STATUS_WORDS: readonly (StatusClass | 'failed')[] = [
  '1xx',
  '2xx',
  '3xx',
  '4xx',
  '5xx',
  'failed',
];

function parseStatus(text: string): StatusFilter {
  const found = STATUS_WORDS.find((name) => name === text.toLowerCase());
  if (found !== undefined) {
    return found;
  }
  if (!/^[1-5]\d\d$/u.test(text)) {
    throw new UsageError('--status takes a status such as 404, a class such as 4xx, or "failed".');
  }
  return Number(text);
}

function exchangeTable(exchanges: readonly ExchangeRecord[]): TableData {
  return {
    head: ['Time', 'Client', 'Route', 'Model', 'Status', 'In', 'Out', 'Duration', 'Repairs', 'Id'],
    rows: exchanges.map((exchange) => [
      formatTimestamp(exchange.lastAt),
      exchange.clientName ?? '–',
      exchange.route,
      exchange.modelSent ?? exchange.modelAsked ?? '–',
      exchange.times === 1
        ? formatStatus(exchange)
        : `${formatStatus(exchange)} ×${formatCount(exchange.times)}`,
      formatCount(exchange.usage.input),
      formatCount(exchange.usage.output),
      formatDuration(exchange.durationMs),
      formatRepairCodes(exchange),
      exchange.id,
    ]),
    numbers: [5, 6, 7],
    narrowing: [
      { below: [8, 9] },
      // The year and the seconds are left out.
      { abbreviate: 0, format: (time) => time.slice(5, 16) },
      { truncate: 2, minWidth: 8 },
      { truncate: 1, minWidth: 8 },
      { truncate: 3, minWidth: 8 },
    ],
  };
}

/** Returns the first code, and how many more there are. */
function formatRepairCodes({ repairs }: ExchangeRecord): string {
  const [first, ...others] = repairs;
  return [first?.code ?? '', others.length === 0 ? '' : `+${others.length}`].join(' ').trim();
}

async function showUsage(context: CommandContext, flags: UsageFlags): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const rows = await withHistory(repositories, async (history) => await history.usage(flags.by));
    if (flags.json === true) {
      context.terminal.printJson({ by: flags.by, usage: rows });
    } else if (rows.length === 0) {
      context.terminal.print('There are no exchanges yet.');
    } else {
      context.terminal.printTable(usageTable(flags.by, rows));
    }
  });
}

const KEY_NAMES = { day: 'Day', model: 'Model', client: 'Client' } as const;

function usageTable(by: UsageKey, rows: readonly UsageRow[]): TableData {
  return {
    head: [KEY_NAMES[by], 'Exchanges', 'Errors', 'In', 'Out', 'Cached', 'Reasoning', 'Known'],
    rows: rows.map((row) => [
      row.key ?? '–',
      formatCount(row.exchanges),
      formatCount(row.errors),
      formatCount(row.input),
      formatCount(row.output),
      formatCount(row.cacheRead),
      formatCount(row.reasoning),
      // Sums lack the exchanges without reported usage, so their number is shown.
      `${formatCount(row.exchanges - row.unknown)} of ${formatCount(row.exchanges)}`,
    ]),
    numbers: [1, 2, 3, 4, 5, 6, 7],
    // The column that groups the rows is never cut.
    narrowing: [{ below: [6] }, { below: [5] }, { below: [7] }],
  };
}
