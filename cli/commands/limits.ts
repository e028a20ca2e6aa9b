import { Option, type Command } from 'commander';
import type { ClientSummary } from '../../shared/client.ts';
import { formatCount } from '../../shared/format.ts';
import type { UsageScope } from '../../shared/history/history.ts';
import { describeLimitPeriod, formatLimitAmount } from '../../shared/money/describe-limit.ts';
import { isAtOnce, type LimitState, type NewLimit, TimePeriod } from '../../shared/money/limit.ts';
import { UsageError } from '../errors.ts';
import { findClient } from '../find-client.ts';
import type { CommandContext } from '../command-context.ts';
import { formatTimestamp } from '../output/format.ts';
import { listUnpriced, listUnpricedVideos } from './prices/suggest.ts';
import { findUsageScope } from '../usage-scope.ts';
import { type CommandRepositories, withRepositories } from '../with-repositories.ts';

interface CommonFlags {
  readonly data?: string;
  readonly json?: boolean;
}

interface LimitFlags extends CommonFlags {
  readonly client?: string;
  readonly money?: string;
  readonly tokens?: string;
  readonly requests?: string;
  readonly concurrent?: string;
  readonly agents?: string;
  readonly run?: boolean;
  readonly per?: TimePeriod;
  readonly rolling?: boolean;
}

interface AllowFlags extends CommonFlags {
  readonly once?: boolean;
  readonly hour?: boolean;
  readonly none?: boolean;
}

/** Defines `gatehouse limits`: what clients may use. */
export function addLimitCommands(program: Command, context: CommandContext): void {
  const limits = program
    .command('limits')
    .helpCommand(false)
    .description('list, set or remove limits of what clients may use');
  withCommonFlags(
    limits
      .command('list')
      .description('list the limits and what is used of them, of services or of the sandbox'),
  ).action(async (flags: CommonFlags) => await listLimits(context, flags));
  withCommonFlags(
    limits.command('set').description('set a limit; it replaces one of the same kind'),
  )
    .option('--client <name>', 'for this client; by default for all clients together')
    .option('--money <amount>', 'in the currency of the prices')
    .option('--tokens <number>', 'input and output together')
    .option('--requests <number>', 'requests for answers and videos')
    .option('--concurrent <number>', 'requests at once')
    .option('--agents <number>', 'sub-agents at once in each run')
    .option('--run', 'for each run of an agent by itself, with what it has used already')
    .addOption(
      new Option('--per <period>', 'calendar period (default: day)').choices(TimePeriod.options),
    )
    .option('--rolling', 'count the time up to now instead of the calendar period')
    .allowExcessArguments()
    .addHelpText(
      'after',
      `\nExamples:\n  ${context.command} limits set --client "Claude Code" --money 5 --per day\n  ${context.command} limits set --run --money 2\n  ${context.command} limits set --requests 30 --per minute`,
    )
    .action(async (flags: LimitFlags, command: Command) => {
      if (command.args.length > 0) {
        throw new UsageError(
          `Name the client with --client, and the amount, such as: ${context.command} limits set --client NAME --money 5`,
        );
      }
      await setLimit(context, flags);
    });
  withCommonFlags(
    limits
      .command('allow <id>')
      .description('make an exception from a limit; what passes still counts'),
  )
    .option('--once', 'let the next request pass that it would refuse')
    .option('--hour', 'let all requests pass for an hour')
    .option('--none', 'end the exception')
    .addHelpText('after', `\nExample:\n  ${context.command} limits allow ID --hour`)
    .action(async (id: string, flags: AllowFlags) => await allow(context, id, flags));
  withCommonFlags(limits.command('remove <id>').description('remove a limit')).action(
    async (id: string, flags: CommonFlags) => await removeLimit(context, id, flags),
  );
}

function withCommonFlags(command: Command): Command {
  return command.option('--data <dir>', 'data folder').option('--json', 'print JSON');
}

async function listLimits(
  { terminal, ...context }: CommandContext,
  flags: CommonFlags,
): Promise<void> {
  await withRepositories({ terminal, ...context }, flags.data, async (repositories) => {
    const scope = await findUsageScope({ terminal, ...context }, repositories);
    const limits = await repositories.openSpendLimits();
    const names = toNames(await repositories.clients.list(scope));
    const states = limits
      .list(scope)
      .map((limit) => ({ ...limit, clientName: names.get(limit.clientId ?? '') ?? null }));
    if (flags.json === true) terminal.printJson({ of: scope, limits: states });
    else if (states.length === 0) {
      terminal.printText(`There is no limit yet. Set one: ${context.command} limits set --money 5`);
    } else {
      const { currency } = repositories.settings.current();
      await terminal.printTable({
        head: ['Client', 'Limit', 'Period', 'Used', 'Share', 'Resets', 'Id'],
        rows: states.map((state) => toRow(state, currency)),
        numbers: [4],
        narrowing: [{ below: [5] }, { truncate: 0, minWidth: 12 }],
      });
      terminal.printText(USED_NOTES[scope]);
    }
  });
}

/** Says where the usage above was counted: a limit counts requests to the sandbox by themselves. */
const USED_NOTES: Readonly<Record<UsageScope, string>> = {
  services: 'Used: by requests to services. Those to the sandbox count by themselves.',
  sandbox:
    'Used: by requests to the sandbox, which is in use. Those to services count by themselves.',
};

function toNames(clients: readonly ClientSummary[]): ReadonlyMap<string, string> {
  return new Map(clients.map(({ id, name }) => [id, name]));
}

function toRow(state: LimitState, currency: string): string[] {
  const { amount, measure, used } = state;
  return [
    state.clientId === null ? 'all clients' : (state.clientName ?? 'removed'),
    formatLimitAmount(amount, measure, currency),
    describeLimitPeriod(state),
    isAtOnce(measure) ? '–' : formatLimitAmount(used, measure, currency),
    isAtOnce(measure) ? '–' : `${formatCount(Math.floor((100 * used) / amount))}%`,
    describeReset(state),
    state.id,
  ];
}

function describeReset({ suspended, allowedOnceAt, resetsAt }: LimitState): string {
  if (suspended !== null && Date.now() < suspended.until) {
    return `off until ${formatTimestamp(suspended.until).slice(11, 16)}`;
  }
  if (allowedOnceAt !== null) return 'one more allowed';
  return resetsAt === null ? '–' : formatTimestamp(resetsAt).slice(0, 16);
}

async function setLimit(context: CommandContext, flags: LimitFlags): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const limits = await repositories.openSpendLimits();
    const limit = await limits.set(await toLimit(flags, repositories));
    if (flags.json === true) context.terminal.printJson({ limit });
    else {
      const { currency } = repositories.settings.current();
      const names = toNames(await repositories.clients.list('services', true));
      const whose = names.get(limit.clientId ?? '') ?? 'All clients';
      const amount = formatLimitAmount(limit.amount, limit.measure, currency);
      context.terminal.print(
        `${whose}: at most ${amount} ${describeLimitPeriod(limit)}`.trimEnd() +
          '. A running Gatehouse knows within a second.',
      );
      // The limit is set, whatever the warning needs.
      if (limit.measure === 'money')
        await warnOfUnpriced(context, repositories).catch(() => undefined);
    }
  });
}

/** Models that are named. */
const FEW = 3;

/** Says which models limits of money do not count, because they have no price. */
async function warnOfUnpriced(
  context: CommandContext,
  repositories: CommandRepositories,
): Promise<void> {
  const videos = await listUnpricedVideos(repositories);
  const ofVideos = new Set(videos.map(({ model }) => `${model} (videos)`));
  const models = [...(await listUnpriced(context, repositories)), ...ofVideos];
  if (models.length === 0) return;
  const rest = models.length > FEW ? ` and ${formatCount(models.length - FEW)} more` : '';
  const what = repositories.settings.current().refusesUnpriced
    ? 'A limit of money refuses requests to models without a price'
    : 'Requests to models without a price pass without limit';
  context.terminal.printError(
    `${what}: ${models.slice(0, FEW).join(', ')}${rest}. To see suggestions: ${context.command} prices suggest`,
  );
}

async function toLimit(
  {
    client,
    money,
    tokens,
    requests,
    concurrent,
    agents,
    run = false,
    per,
    rolling = false,
  }: LimitFlags,
  repositories: CommandRepositories,
): Promise<NewLimit> {
  const given = Object.entries({ money, tokens, requests, concurrent, agents }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length !== 1) {
    const lead = given.length === 0 ? 'The amount is missing: give' : 'Give only';
    throw new UsageError(
      `${lead} one of --money, --tokens, --requests, --concurrent and --agents, such as --money 5.`,
    );
  }
  const isOfRuns = run || agents !== undefined;
  if (isOfRuns && (per !== undefined || rolling)) {
    throw new UsageError('A limit for each run has no period: leave out --per and --rolling.');
  }
  const clientId = client === undefined ? null : await findClient(client, repositories);
  const period = isOfRuns ? 'run' : (per ?? 'day');
  const common = { clientId, period, rolling } as const;
  if (money !== undefined) return { ...common, measure: 'money', amount: parseMoney(money) };
  if (tokens !== undefined) return { ...common, measure: 'tokens', amount: parseCount(tokens) };
  if (requests !== undefined)
    return { ...common, measure: 'requests', amount: parseCount(requests) };
  if (agents !== undefined) return { ...common, measure: 'agents', amount: parseCount(agents) };
  return { ...common, measure: 'concurrent', amount: parseCount(concurrent ?? '') };
}

const MAX_COUNT = 1e15;

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d{1,16}$/u.test(text) || count < 1 || count > MAX_COUNT) {
    throw new UsageError(`"${text}" is no number: write a whole one above 0.`);
  }
  return count;
}

/** Parses an amount of the currency to millionths. */
function parseMoney(text: string): number {
  const plain = text.replace(/^\p{Sc}/u, '');
  if (!/^\d{1,9}(?:\.\d{1,6})?$/u.test(plain) || Number(plain) === 0) {
    throw new UsageError(`"${text}" is no amount: write a number above 0, such as 5 or 2.50.`);
  }
  const [whole = '0', fraction = ''] = plain.split('.');
  return Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
}

async function allow(
  context: CommandContext,
  id: string,
  { once = false, hour = false, none = false, ...flags }: AllowFlags,
): Promise<void> {
  if (Number(once) + Number(hour) + Number(none) !== 1)
    throw new UsageError('Name one of --once, --hour and --none.');
  await withRepositories(context, flags.data, async (repositories) => {
    const limits = await repositories.openSpendLimits();
    await limits.allow(id, once ? 'once' : hour ? 'hour' : 'none');
    if (flags.json === true) context.terminal.printJson({ allowed: id });
    else {
      const done = once
        ? 'lets the next request pass that it would refuse'
        : hour
          ? 'lets all requests pass for an hour'
          : 'applies again';
      context.terminal.printText(`The limit ${done}. A running Gatehouse knows within a second.`);
    }
  });
}

async function removeLimit(context: CommandContext, id: string, flags: CommonFlags): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const limits = await repositories.openSpendLimits();
    await limits.remove(id);
    if (flags.json === true) context.terminal.printJson({ removed: id });
    else context.terminal.print('The limit was removed.');
  });
}
