import type { ContractRouterClient } from '@orpc/contract';
import type { Command } from 'commander';
import type { Contract } from '../../../shared/contract.ts';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { isFree, NOT_CHARGED } from '../../../shared/money/charge.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import type { ExchangeDetail } from '../../../shared/history/history.ts';
import {
  describeFirstCost,
  MAX_REPLAYS,
  measureFirst,
  measureReplay,
  type ReplayableRequest,
  type ReplayResponse,
  toReplayable,
} from '../../../shared/replay.ts';
import type { CommandContext } from '../../command-context.ts';
import { withEngine } from '../../engine-client.ts';
import { CommandError, UsageError } from '../../errors.ts';
import { formatPriceCommand, TEXT_AMOUNTS } from '../../output/format-price.ts';
import { listenForSignals } from '../../process/signals.ts';
import { withRepositories } from '../../with-repositories.ts';
import { findExchange } from '../history/find-exchange.ts';
import { type AnswerReport, describeFirst, describeReplay, printReports } from './report.ts';

interface ReplayFlags {
  readonly model: readonly string[];
  readonly set: readonly (readonly [name: string, value: unknown])[];
  readonly json?: boolean;
  readonly data?: string;
}

type Calls = ContractRouterClient<Contract>;

const help = (command: string) => `
The running Gatehouse sends the request as the client "Replay": once to each
model, never again by itself. The answers are printed below the first one. A
request is sent only if all of it is stored, without masked secrets.

Examples:
  ${command} replay ex-19b2
  ${command} replay ex-19b2 --model isle/isle-pro --model borealis/borealis-chat
  ${command} replay ex-19b2 --set temperature=0.2 --set stream=false`;

/** Defines `gatehouse replay`, which sends a stored request again. */
export function addReplayCommand(program: Command, context: CommandContext): void {
  program
    .command('replay')
    .description('send a stored request again; needs a running Gatehouse')
    .argument('<exchange-id>', 'id of an exchange, or a unique beginning of it')
    .option('--model <id>', `ask this model instead; up to ${MAX_REPLAYS} times`, collect, [])
    .option(
      '--set <name=value>',
      'give a field of the request another value, JSON or text; may be repeated',
      collectField,
      [],
    )
    .option('--json', 'print JSON at the end')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(async (id: string, flags: ReplayFlags) => await replay(context, id, flags));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  if (before.length === MAX_REPLAYS) {
    throw new UsageError(`--model can be given ${MAX_REPLAYS} times.`);
  }
  return [...before, value];
}

function collectField(text: string, before: ReplayFlags['set']): ReplayFlags['set'] {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
  if (name === '') throw new UsageError('--set takes NAME=VALUE, such as temperature=0.2.');
  if (name === 'model') throw new UsageError('Use --model for another model.');
  return [...before, [name, parseValue(value)]];
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

async function replay(context: CommandContext, id: string, flags: ReplayFlags): Promise<void> {
  const { terminal } = context;
  const { signal: stopped } = listenForSignals(terminal, () => undefined);
  const signal = AbortSignal.any([stopped, terminal.outputClosed]);
  const { id: exchangeId } = await withRepositories(
    context,
    flags.data,
    async (repositories) => await findExchange(repositories, id),
  );
  const { reports, currency } = await withEngine(context, flags.data, async ({ calls }) => {
    const first = await readFirst(calls, exchangeId);
    const { settings } = await calls.settings.get();
    await announce(context, calls, { first, flags, currency: settings.currency });
    const models = flags.model.length === 0 ? [null] : flags.model;
    const sent = models.map(async (model) => {
      const report = await send(calls, { id: exchangeId, model, set: flags.set }, signal);
      return describeReplay(first.request.protocol, model ?? first.report.model, report);
    });
    return { reports: [first.report, ...(await Promise.all(sent))], currency: settings.currency };
  });
  printReports(terminal, reports, { isJson: flags.json === true, currency });
  if (terminal.outputClosed.aborted || reports.slice(1).some(({ problem }) => problem !== null)) {
    throw new CommandError('');
  }
}

interface First {
  readonly detail: ExchangeDetail;
  readonly request: ReplayableRequest;
  readonly report: AnswerReport;
}

/** Reads the exchange whose request is sent again. @throws CommandError when it cannot be sent */
async function readFirst(calls: Calls, id: ExchangeId): Promise<First> {
  const [detail, bodies] = await Promise.all([
    calls.history.get({ id }),
    calls.history.bodies({ id }),
  ]);
  const { request, reason } = toReplayable(detail, bodies);
  if (request === null) throw new CommandError(`This request cannot be sent again. ${reason}`);
  const { protocol } = request;
  return { detail, request, report: describeFirst(protocol, detail, bodies) };
}

interface Announced {
  readonly first: First;
  readonly flags: ReplayFlags;
  readonly currency: string;
}

/** Says what is sent, what it would cost by the person's own prices, and what the first one cost. */
async function announce(
  { terminal, command }: CommandContext,
  calls: Calls,
  { first: { detail, request }, flags, currency }: Announced,
): Promise<void> {
  const { modelSent, modelAsked } = detail.exchange;
  const names = flags.model.length === 0 ? [modelSent ?? modelAsked ?? ''] : flags.model;
  const asking = `Asking ${names.map((name) => name || 'the same model').join(', ')}.`;
  const { upstream } = await calls.status.get();
  const { text, ...size } = measureReplay(request, {
    changed: Object.fromEntries(flags.set),
    removed: [],
  });
  const costs = await calls.history.estimateReplay({
    models: names.filter((model) => model !== '' && model.length <= MAX_ID),
    bytes: Buffer.byteLength(text),
    ...size,
    first: measureFirst(request, detail.exchange, (one) => Buffer.byteLength(one)),
  });
  const by = isFree(upstream.id) ? `(${NOT_CHARGED})` : 'by your prices';
  const lines = names.map(async (name) => {
    const cost = costs.find(({ model }) => model === name);
    if (cost === undefined) return 'What it would cost is not known.';
    const { amount, sent: model } = cost;
    if (amount !== null) return `${name}: about ${formatMoney(amount, currency)} ${by}.`;
    const found = await calls.prices.find({ model });
    // A pattern may price other models, which keep theirs.
    const price = found && { ...found, model: toPattern(model) };
    const set = formatPriceCommand({ model, price, amounts: TEXT_AMOUNTS }, command);
    return `No price is known for ${model}. To set one:\n  ${set}`;
  });
  const before = describeFirstCost(detail.exchange, currency);
  terminal.printError([`${asking} ${before}`, ...(await Promise.all(lines))].join('\n'));
}

/** The longest id that has a price. */
const MAX_ID = 256;

interface Sending {
  readonly id: ExchangeId;
  /** `null` for the model of the request. */
  readonly model: string | null;
  readonly set: ReplayFlags['set'];
}

/** Sends the request to one model. Resolves with the reason when there is no response. */
async function send(
  calls: Calls,
  { id, model, set }: Sending,
  signal: AbortSignal,
): Promise<ReplayResponse | string> {
  const changed = { ...Object.fromEntries(set), ...(model === null ? {} : { model }) };
  try {
    const events = await calls.history.replay({ id, changed, removed: [] }, { signal });
    for await (const event of events) if (event.kind === 'ended') return event.response;
    return 'Gatehouse ended before the response was complete.';
  } catch (error) {
    if (signal.aborted) return 'Stopped.';
    return error instanceof Error ? error.message : 'No reason is given.';
  }
}
