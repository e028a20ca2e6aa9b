import { Option, type Command } from 'commander';
import { MAX_PERIOD_DAYS, type UsageOf, type UsagePeriod } from '../../../shared/history/usage.ts';
import { startOfDay } from '../../../shared/parse-time.ts';
import { formatDay } from '../../../shared/format.ts';
import { parseSince } from '../../arguments/parse-time.ts';
import type { CommandContext } from '../../command-context.ts';
import { UsageError } from '../../errors.ts';
import { findUsageScope, SCOPE_NOTES } from '../../usage-scope.ts';
import {
  type CommandRepositories,
  withHistory,
  withRepositories,
} from '../../with-repositories.ts';
import { readSession, type SessionReport } from '../../../gateway/history/usage/read-session.ts';
import { addReconcileCommand } from './reconcile/reconcile.ts';
import { describeSums, usageTable } from './usage-table.ts';
import type { History } from '../../../gateway/history/history.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { createSeveralError } from '../services.ts';
import { findServices } from './filters.ts';
import { readUsage, USAGE_KEYS, type UsageKey } from './read-usage.ts';

interface UsageFlags {
  readonly data?: string;
  readonly json?: boolean;
  readonly by: UsageKey;
  readonly of?: string;
  readonly since?: string;
  readonly until?: string;
  readonly session?: string;
}

const help = (command: string) => `
Periods are whole local days. A time such as 7d or 2026-11-01 is the day that
it is in; without --since, everything is summed, by hour only today.
Runs are the latest hundred of the period. “Tokens known” says of how many
answers the tokens are known, from the service or by an estimate: the sums of
tokens lack the others. Requests without an answer of a model, such as lists
of models and refused ones, are not among these answers.

Examples:
  ${command} usage --by client
  ${command} usage --by model --since 7d
  ${command} usage --by hour
  ${command} usage --session ID --json     for the status line of an agent`;

/** Defines `gatehouse usage`, which sums money, exchanges and tokens. */
export function addUsageCommand(program: Command, context: CommandContext): void {
  const usage = program
    .command('usage')
    .helpCommand(false)
    .description('show totals of money, requests and tokens')
    .addOption(new Option('--by <key>', 'group by').choices(USAGE_KEYS).default('day'))
    .option(
      '--of <which>',
      'only of "services", all of them, of "sandbox", or of one service, by its name or address; by default of the sandbox while it is in use, otherwise of all services',
    )
    .option('--since <time>', 'from the day of this time on: today, 7d, 2026-11-01')
    .option('--until <time>', 'up to the day of this time: 1d, 2026-11-30')
    .addOption(
      new Option(
        '--session <id>',
        'sum one session of a client with its sub-agents, all of it',
      ).conflicts(['by', 'since', 'until', 'of']),
    )
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(async (flags: UsageFlags) => await showUsage(context, flags));
  addReconcileCommand(usage, context);
}

async function showUsage(context: CommandContext, flags: UsageFlags): Promise<void> {
  const { by, json, session } = flags;
  await withRepositories(context, flags.data, async (repositories) => {
    if (session !== undefined) {
      await printSession(context, readSession(repositories.host.dataDir, session), json === true);
      return;
    }
    const period = readPeriod(flags, repositories.host.now());
    const { scope, rows, others, priceable } = await withHistory(repositories, async (history) => {
      const of = await findOf(context, { flags, repositories, history });
      const source = { history, dataDir: repositories.host.dataDir };
      const read = async (one: UsageOf) => await readUsage(source, { by, period, scope: one });
      const found = await read(of);
      const other = OTHER[of];
      const elsewhere = found.length === 0 && other !== undefined ? await read(other) : [];
      // Groups by tag do not have every request.
      const isWhole = json !== true && of !== SANDBOX_ID && by !== 'tag';
      const isPriced = isWhole && found.some(({ unpriced }) => unpriced > 0);
      const query = { scope: of, period };
      return {
        scope: of,
        rows: found,
        others: elsewhere.length > 0,
        priceable: isPriced ? await history.priceable(query, repositories.prices) : null,
      };
    });
    const { currency } = repositories.settings.current();
    if (json === true) {
      const charged = scope !== SANDBOX_ID;
      context.terminal.printJson({ by, of: scope, currency, charged, ...period, usage: rows });
    } else if (rows.length === 0) {
      context.terminal.print(describeNone({ scope, others, flags }, context));
    } else {
      await context.terminal.printTable(usageTable(by, rows, currency));
      // A request counts for each of its tags, so that numbers of requests cannot be added.
      const lines = by === 'tag' ? [] : describeSums(rows, context.command, priceable);
      for (const line of lines) context.terminal.printText(line);
      context.terminal.printText(describeScope(scope));
    }
  });
}

interface OfSource {
  readonly flags: UsageFlags;
  readonly repositories: CommandRepositories;
  readonly history: History;
}

/** Finds whose usage is shown. @throws CommandError when there is no such service, and when there are several */
async function findOf(
  context: CommandContext,
  { flags: { of }, repositories, history }: OfSource,
): Promise<UsageOf> {
  if (of === undefined) return await findUsageScope(context, repositories);
  if (of === 'services' || of === SANDBOX_ID) return of;
  const found = await findServices(of, repositories, history);
  const [first = of, ...others] = found;
  if (others.length === 0) return first;
  const typed = of.trim().toLowerCase();
  const addressed = found.find((id) => id.toLowerCase() === typed);
  if (addressed !== undefined) return addressed;
  throw createSeveralError(of.trim(), found);
}

function describeScope(scope: UsageOf): string {
  return scope === 'services' || scope === SANDBOX_ID
    ? SCOPE_NOTES[scope]
    : `Requests to ${scope} only.`;
}

async function printSession(
  { terminal, command }: CommandContext,
  report: SessionReport,
  asJson: boolean,
): Promise<void> {
  const { session, of, currency, usage } = report;
  if (asJson) {
    terminal.printJson(report);
  } else if (usage.exchanges === 0) {
    terminal.printText(`There are no requests of the session ${session}.`);
  } else {
    const row = { ...usage, key: session, firstByte: null, rate: null };
    await terminal.printTable(usageTable('session', [row], currency));
    for (const line of describeSums([row], command, null)) terminal.printText(line);
    terminal.printText(SCOPE_NOTES[of]);
  }
}

/** Reads the days of a period; all that may be kept, or today by hour, where they are not given. */
function readPeriod({ by, since, until }: UsageFlags, now: number): UsagePeriod {
  const last = until === undefined ? now : parseSince(until, now, '--until');
  const days = by === 'hour' ? 0 : MAX_PERIOD_DAYS - 1;
  const first = since === undefined ? startOfDay(last, -days) : parseSince(since, now);
  if (formatDay(first) > formatDay(last)) {
    throw new UsageError('The period ends before it begins: --since is after --until.');
  }
  return { since: formatDay(first), until: formatDay(last) };
}

/** Whose usage is looked for where there is none. */
const OTHER: Readonly<Record<string, UsageOf>> = { services: 'sandbox', sandbox: 'services' };

interface Nothing {
  readonly scope: UsageOf;
  /** Whether the other scope has requests. */
  readonly others: boolean;
  readonly flags: UsageFlags;
}

/** Says that there are no requests in a period, and how to show those of the other scope. */
function describeNone({ scope, others, flags }: Nothing, { command }: CommandContext): string {
  const isWhole = flags.since === undefined && flags.until === undefined && flags.by !== 'hour';
  const when = isWhole ? 'yet' : 'in this period';
  const such = flags.by === 'tag' ? ' with a tag' : flags.by === 'run' ? ' of a run' : '';
  if (!others) return `There are no requests${such} ${when}.`;
  const partner = scope === 'sandbox' ? 'the sandbox' : 'a service';
  const those = scope === 'sandbox' ? 'those to services' : 'those to the sandbox';
  return `There are no requests to ${partner} ${when}. To show ${those}, run: ${command} usage --of ${OTHER[scope]}`;
}
