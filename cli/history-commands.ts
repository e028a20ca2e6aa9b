import { Option } from 'commander';
import type { Command } from 'commander';
import type { ExchangeRecord } from '../shared/exchange.ts';
import { FIXED_CLIENT_NAME } from '../gateway/clients/clients.ts';
import type {
  ListFilter,
  StatusClass,
  StatusFilter,
  UsageKey,
  UsageRow,
} from '../gateway/history/history.ts';
import { describeExchange, describeHeaders, statusOf } from './exchange-words.ts';
import { count, duration, moment } from './figures.ts';
import { readWhole } from './numbers.ts';
import { CommandFailed, UsageProblem } from './problem.ts';
import { lookIntoHistory, withRooms } from './rooms.ts';
import type { Rooms } from './rooms.ts';
import type { Shell } from './shell.ts';
import type { TableOf } from './table.ts';

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
    .description('list exchanges, newest first; with an id, show everything of one exchange')
    .argument('[exchange-id]', 'the id of an exchange, or as much of it as is unique')
    .option('--limit <number>', 'how many, at most 10,000', '20')
    .option('--status <status>', 'only this status (404) or class (4xx), or "failed"')
    .option('--client <name>', 'only this client, in any letter case')
    .option('--model <id>', 'only this model')
    .option('--json', 'print JSON, with everything that is kept')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', `\nExample:\n  ${shell.command} history --status failed --limit 5`)
    .action(async (id: string | undefined, flags: HistoryFlags) =>
      id === undefined ? await history(shell, flags) : await showExchange(shell, id, flags),
    );
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
    .addHelpText('after', `\nExample:\n  ${shell.command} usage --by client`)
    .action(async (flags: UsageFlags) => await usage(shell, flags));
}

async function history(shell: Shell, flags: HistoryFlags): Promise<void> {
  const filter = readFilter(flags);
  await withRooms(shell, flags.data, async (rooms) => {
    const clients = flags.client === undefined ? {} : await findClient(rooms, flags.client);
    const { exchanges, isEmpty } = await lookIntoHistory(rooms, async (kept) => {
      const found = await kept.list({ ...filter, ...clients });
      // Told apart only where it is said.
      const none = found.length === 0 && (await kept.list({ limit: 1 })).length === 0;
      return { exchanges: found, isEmpty: none };
    });
    if (flags.json === true) {
      shell.terminal.printJson({ exchanges });
    } else if (isEmpty) {
      shell.terminal.print('There is no exchange yet: nothing has passed through.');
    } else if (exchanges.length === 0) {
      shell.terminal.print('No exchange matches.');
    } else {
      shell.terminal.printTable(exchangeTable(exchanges));
    }
  });
}

/** Clients that were revoked may have used the same name in other letter case. @throws CommandFailed when there is none. */
async function findClient({ clients }: Rooms, name: string) {
  const wanted = name.trim().toLowerCase();
  const known = [...(await clients.list()).map((client) => client.name), FIXED_CLIENT_NAME];
  const names = known.filter((one) => one.toLowerCase() === wanted);
  if (names.length === 0) {
    throw new CommandFailed(`There is no client named "${name.trim()}".`);
  }
  return { client: names };
}

async function showExchange(shell: Shell, id: string, flags: HistoryFlags): Promise<void> {
  const idPrefix = readIdPrefix(id);
  await withRooms(shell, flags.data, async (rooms) => {
    const found = await lookIntoHistory(
      rooms,
      async (kept) => await kept.list({ idPrefix, limit: 2 }),
    );
    const [exchange] = found;
    if (exchange === undefined) {
      throw new CommandFailed(`There is no exchange whose id begins with ${idPrefix}.`);
    }
    if (found.length > 1) {
      throw new CommandFailed(`Several ids begin with ${idPrefix}. Give more of it.`);
    }
    const detail = await lookIntoHistory(rooms, async (kept) => await kept.get(exchange.id));
    const headers = detail?.headers ?? null;
    if (flags.json === true) {
      shell.terminal.printJson({ exchange, headers });
      return;
    }
    for (const { name, text } of [...describeExchange(exchange), ...describeHeaders(headers)]) {
      shell.terminal.say(text, { first: name.padEnd(NAME_WIDTH), width: NAME_WIDTH });
    }
  });
}

const NAME_WIDTH = 14;

function readIdPrefix(text: string): string {
  const digits = /^(?:ex-)?([\da-f]{1,16})$/iu.exec(text)?.[1];
  if (digits === undefined) {
    throw new UsageProblem(
      'The id of an exchange is ex- and hexadecimal digits; its beginning is enough.',
    );
  }
  return `ex-${digits.toLowerCase()}`;
}

function readFilter(flags: HistoryFlags): ListFilter {
  return {
    limit: readWhole(flags.limit, { name: '--limit', from: 1, to: 10_000 }),
    ...(flags.status === undefined ? {} : { status: readStatus(flags.status) }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
  };
}

const WORDS: readonly (StatusClass | 'failed')[] = ['1xx', '2xx', '3xx', '4xx', '5xx', 'failed'];

function readStatus(text: string): StatusFilter {
  const found = WORDS.find((name) => name === text.toLowerCase());
  if (found !== undefined) {
    return found;
  }
  if (!/^[1-5]\d\d$/u.test(text)) {
    throw new UsageProblem(
      '--status takes a status such as 404, a class such as 4xx, or "failed".',
    );
  }
  return Number(text);
}

function exchangeTable(exchanges: readonly ExchangeRecord[]): TableOf {
  return {
    head: ['Time', 'Client', 'Route', 'Model', 'Status', 'In', 'Out', 'Took', 'Fixed', 'Id'],
    rows: exchanges.map((exchange) => [
      moment(exchange.lastAt),
      exchange.clientName ?? '–',
      exchange.route,
      exchange.modelSent ?? exchange.modelAsked ?? '–',
      exchange.times === 1 ? statusOf(exchange) : `${statusOf(exchange)} ×${count(exchange.times)}`,
      count(exchange.usage.input),
      count(exchange.usage.output),
      duration(exchange.durationMs),
      repairCodes(exchange),
      exchange.id,
    ]),
    numbers: [5, 6, 7],
    narrowing: [
      { below: [8, 9] },
      // Without year and seconds.
      { say: 0, as: (time) => time.slice(5, 16) },
      { cut: 2, least: 8 },
      { cut: 1, least: 8 },
      { cut: 3, least: 8 },
    ],
  };
}

/** The first code, and how many more there are. */
function repairCodes({ repairs }: ExchangeRecord): string {
  const [first, ...others] = repairs;
  return [first?.code ?? '', others.length === 0 ? '' : `+${others.length}`].join(' ').trim();
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

function usageTable(by: UsageKey, rows: readonly UsageRow[]): TableOf {
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
    // What it is summed up by is never cut.
    narrowing: [{ below: [6] }, { below: [5] }, { below: [7] }],
  };
}
