import type { Command } from 'commander';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import type { History } from '../../../gateway/history/history.ts';
import {
  describeExchange,
  describeHeaders,
  formatRepairCodes,
  formatStatus,
} from '../../output/format-exchange.ts';
import { formatTimestamp } from '../../output/format.ts';
import { describeMark } from '../../output/format-mark.ts';
import { formatCount, formatDuration } from '../../../shared/format.ts';
import { formatShortCost } from '../../../shared/money/describe-cost.ts';
import { parseInteger } from '../../arguments/parse-numbers.ts';
import { UsageError } from '../../errors.ts';
import {
  type CommandRepositories,
  withHistory,
  withRepositories,
} from '../../with-repositories.ts';
import { routeLabel } from '../../../shared/exchange/route-label.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type { CommandContext } from '../../command-context.ts';
import type { TableData } from '../../output/table.ts';
import { findExchange } from './find-exchange.ts';
import {
  addFilterOptions,
  checkFilter,
  type FilterFlags,
  joinFilters,
  parseFilterArgument,
  toHistoryFilter,
} from './filters.ts';
import { followHistory, type HistoryQuery } from './follow.ts';

interface HistoryFlags extends FilterFlags {
  readonly data?: string;
  readonly json?: boolean;
  readonly limit?: string;
  readonly run?: string;
  readonly follow?: boolean;
  readonly answers?: boolean;
}

const DEFAULT_LIMIT = 20;
const DEFAULT_FOLLOW_LIMIT = 10;
const MAX_LIMIT = 10_000;

const help = (command: string) => `
--follow shows the latest exchanges, then each new one when it ends, until
Ctrl-C. It needs no running Gatehouse and continues after its restart. Equal
refused requests are shown once. --answers also prints the answers of a running
Gatehouse line by line as they arrive, each line after the id of its exchange.

Examples:
  ${command} history --status failed --since 2h
  ${command} history 'model:gpt* status>=400 -route:models duration>2s'
  ${command} history --follow --answers --client "my editor"
  ${command} history --search "aurora timeout" --json`;

/** Defines `gatehouse history`: past exchanges, and those that end from now on. */
export function addHistoryCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('history')
    .description('list exchanges, newest first; with an id, show everything of one exchange')
    .argument(
      '[filter-or-id]',
      'which exchanges: "status>=400 model:gpt*"; or the id of one, or a unique beginning of it',
    )
    .option('--follow', 'show new exchanges as they end, until Ctrl-C')
    .option('--answers', 'with --follow: print the answers, too, as they arrive')
    .option('--limit <number>', 'number of exchanges, at most 10,000 (default: 20)');
  addFilterOptions(command)
    .option('--run <id>', 'only this run of an agent, by its id or a beginning of it')
    .option('--json', 'print JSON with all stored fields; with --follow one object a line')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(async (filterOrId: string | undefined, flags: HistoryFlags) => {
      const isId = filterOrId !== undefined && ID.test(filterOrId);
      if (isId && flags.follow === true) {
        throw new UsageError('--follow shows many exchanges; omit the id.');
      }
      if (flags.answers === true && (flags.follow !== true || flags.json === true)) {
        throw new UsageError('--answers needs --follow, and no --json.');
      }
      await (isId
        ? showExchange(context, filterOrId, flags)
        : listExchanges(context, filterOrId ?? '', flags));
    });
}

/** An argument that can be the beginning of an id is one. */
const ID = /^(?:ex-\S*|[\da-f]{1,16})$/iu;

async function listExchanges(
  context: CommandContext,
  filterText: string,
  flags: HistoryFlags,
): Promise<void> {
  const { follow = false } = flags;
  const limit = parseLimit(flags.limit, follow);
  checkFilter(filterText, flags, context.now());
  const ofRun = flags.run === undefined ? {} : { run: parseRun(flags.run) };
  await withRepositories(context, flags.data, async (repositories) => {
    await withHistory(repositories, async (history) => {
      const { now, terminal } = context;
      const source = { repositories, history, now, terminal };
      const filter = joinFilters(
        { ...(await toHistoryFilter(flags, source)), ...ofRun },
        await parseFilterArgument(filterText, source),
      );
      if (follow && filter.ids !== undefined) {
        throw new UsageError('--follow cannot search in requests and responses; leave out body:.');
      }
      if (follow && filter.not?.tools !== undefined) {
        throw new UsageError(
          '--follow cannot leave out tools, which are known a moment later; leave out -tool:.',
        );
      }
      const query = { filter, limit };
      await (follow
        ? followHistory(context, history, {
            ...query,
            currency: repositories.settings.current().currency,
            json: flags.json === true,
            answers: flags.answers === true ? { dataFlag: flags.data } : null,
          })
        : printList(context, { repositories, history }, { ...query, json: flags.json === true }));
    });
  });
}

/** Parses the beginning of the id of a run. @throws UsageError */
function parseRun(text: string): string {
  const digits = text.trim().toLowerCase().replace(/^run-/u, '');
  if (!/^[\da-f]{1,16}$/u.test(digits)) {
    throw new UsageError('--run takes the id of a run, or its beginning, such as run-19b2.');
  }
  return `run-${digits}`;
}

function parseLimit(text: string | undefined, follow: boolean): number {
  if (text === undefined) return follow ? DEFAULT_FOLLOW_LIMIT : DEFAULT_LIMIT;
  return parseInteger(text, { name: '--limit', from: follow ? 0 : 1, to: MAX_LIMIT });
}

async function printList(
  { terminal }: CommandContext,
  {
    repositories,
    history,
  }: { readonly repositories: CommandRepositories; readonly history: History },
  { json, ...query }: HistoryQuery,
): Promise<void> {
  const exchanges = await history.list(query);
  if (json) {
    terminal.printJson({ exchanges });
  } else if (exchanges.length > 0) {
    await terminal.printTable(
      exchangeTable(exchanges, {
        findName: await findServiceNames(repositories, history),
        currency: repositories.settings.current().currency,
      }),
    );
  } else {
    const isEmpty = (await history.list({ limit: 1 })).length === 0;
    terminal.print(isEmpty ? 'There are no exchanges yet.' : 'No exchange matches.');
  }
}

async function showExchange(
  context: CommandContext,
  id: string,
  flags: HistoryFlags,
): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const exchange = await findExchange(repositories, id);
    const detail = await withHistory(
      repositories,
      async (history) => await history.get(exchange.id),
    );
    const { headers = null, mark = null } = detail ?? {};
    if (flags.json === true) {
      context.terminal.printJson({ exchange, headers, mark });
      return;
    }
    const rows = [
      ...describeExchange(exchange, repositories.settings.current().currency),
      ...describeMark(mark),
      ...describeHeaders(headers),
    ];
    for (const { name, text } of rows) {
      context.terminal.printText(text, { first: name.padEnd(NAME_WIDTH), width: NAME_WIDTH });
    }
  });
}

const NAME_WIDTH = 14;

const HEAD = [
  'Time',
  'Client',
  'Route',
  'Model',
  'Status',
  'In',
  'Out',
  'Cost',
  'Duration',
  'Repairs',
  'Id',
];

interface TableOptions {
  /** Returns the name of the service of an exchange; `null` when the history has only one. */
  readonly findName: ((exchange: ExchangeRecord) => string) | null;
  readonly currency: string;
}

function exchangeTable(
  exchanges: readonly ExchangeRecord[],
  { findName, currency }: TableOptions,
): TableData {
  const service = findName === null ? [] : ['Service'];
  const after = HEAD.length - 1 + service.length;
  return {
    // The service follows the duration, so that the columns before it have fixed places.
    head: HEAD.toSpliced(9, 0, ...service),
    rows: exchanges.map((exchange) => [
      formatTimestamp(exchange.lastAt),
      exchange.clientName ?? 'unknown',
      routeLabel(exchange.route),
      exchange.modelSent ?? exchange.modelAsked ?? '–',
      exchange.times === 1
        ? formatStatus(exchange)
        : `${formatStatus(exchange)} ×${formatCount(exchange.times)}`,
      formatCount(exchange.usage.input),
      formatCount(exchange.usage.output),
      formatShortCost(exchange.cost, { currency, service: exchange.service }),
      formatDuration(exchange.durationMs),
      ...(findName === null ? [] : [findName(exchange)]),
      formatRepairCodes(exchange),
      exchange.id,
    ]),
    numbers: [5, 6, 7, 8],
    narrowing: [
      { below: [after - 1, after] },
      // The year and the seconds are left out.
      { abbreviate: 0, format: (time) => time.slice(5, 16) },
      ...(findName === null ? [] : [{ truncate: 9, minWidth: 8 }]),
      { truncate: 2, minWidth: 8 },
      { truncate: 1, minWidth: 8 },
      { truncate: 3, minWidth: 8 },
      { truncate: 4, minWidth: 8 },
    ],
  };
}

/** Returns how to name the services of exchanges; `null` when the history has only one. */
async function findServiceNames(
  { upstreams }: Pick<CommandRepositories, 'upstreams'>,
  history: History,
): Promise<((exchange: ExchangeRecord) => string) | null> {
  const { services } = await history.names();
  if (services.length < 2) return null;
  const names = new Map((await upstreams.list()).map(({ baseUrl, name }) => [baseUrl, name]));
  return ({ service }) => {
    if (service === SANDBOX_ID) return 'Sandbox';
    return service === null ? 'unknown' : (names.get(service) ?? service);
  };
}
