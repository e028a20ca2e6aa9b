import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { isEstimated, listUsageParts, type UsagePart } from '../../shared/exchange/usage.ts';
import type { ExchangeHeaders } from '../../shared/history/history.ts';
import type { Repair } from '../../shared/exchange/repair.ts';
import { describeSender } from '../../shared/exchange/sender.ts';
import { isRepeatedOrder, reachedService, REPEATED_ORDER } from '../../shared/exchange/outcome.ts';
import { explain } from '../../shared/failure/explain.ts';
import { describeFailure } from '../../shared/failure/find-failure.ts';
import { describeCost } from '../../shared/money/describe-cost.ts';
import { routeLabel } from '../../shared/exchange/route-label.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';
import { formatTimestamp, escapeControls } from './format.ts';
import { formatCount, pluralize, formatDuration } from '../../shared/format.ts';

/** One line about an exchange; `name` may be empty. */
export interface DetailRow {
  readonly name: string;
  readonly text: string;
}

/** Formats the status for a table, with the reason of a failure: `200`, `401 wrong key`; `200 here` when Gatehouse answered by itself. */
export function formatStatus(exchange: ExchangeRecord): string {
  const { status, endedBy } = exchange;
  const answered = isRepeatedOrder(exchange) ? REPEATED_ORDER : endedBy === 'gateway' ? 'here' : '';
  const words = describeFailure(exchange) ?? answered;
  return [status ?? '', escapeControls(words)].join(' ').trim();
}

/** Formats the codes of the repairs for a table: the first one, and how many more there are. */
export function formatRepairCodes({ repairs }: ExchangeRecord): string {
  const [first, ...others] = repairs;
  return [first?.code ?? '', others.length === 0 ? '' : `+${others.length}`].join(' ').trim();
}

/** Formats everything that is stored of an exchange, in lines for people. */
export function describeExchange(exchange: ExchangeRecord, currency: string): readonly DetailRow[] {
  const lines: readonly (readonly [name: string, text: string])[] = [
    ['Exchange', exchange.id],
    ['Time', `${formatTimestamp(exchange.startedAt)}, ${formatDurations(exchange)}`],
    ['Counted', formatRepetitions(exchange)],
    ['Service', formatService(exchange.service)],
    ['Client', exchange.clientName ?? 'unknown'],
    ['User agent', exchange.userAgent ?? ''],
    ['Conversation', exchange.conversation ?? ''],
    ['Run', formatRun(exchange)],
    ...(exchange.sender === null ? [] : describeSender(exchange.sender)),
    [
      'Received',
      `${exchange.method} ${exchange.pathReceived} (route: ${routeLabel(exchange.route)})`,
    ],
    ['Sent', formatSent(exchange)],
    ['Model', formatModels(exchange)],
    ['Answer', formatAnswer(exchange)],
    ['Repeat', isRepeatedOrder(exchange) ? REPEAT_TEXT : ''],
    ['Ended', formatEnd(exchange)],
    ...formatFailure(exchange),
    ['Bytes', formatSize(exchange)],
    ['Tokens', formatTokens(exchange)],
    ['Cost', describeCost(exchange.cost, { currency, service: exchange.service }) ?? ''],
    ...exchange.repairs.flatMap(formatRepair),
  ];
  return lines
    .filter(([, text]) => text !== '')
    .map(([name, text]) => ({ name, text: escapeControls(text) }));
}

const REPEAT_TEXT =
  'the same video had been ordered before: the answer of that order was returned again, and nothing was sent or charged';

const HEADS = [
  ['received', 'From client'],
  ['sent', 'To service'],
  ['answered', 'From service'],
  ['returned', 'To client'],
] as const;

/** Formats the stored headers, credentials masked; empty when none are stored, or not any more. */
export function describeHeaders(headers: ExchangeHeaders | null): readonly DetailRow[] {
  return HEADS.flatMap(([head, name]) =>
    (headers?.[head] ?? []).map(([header, value], at) => ({
      name: at === 0 ? name : '',
      text: escapeControls(`${header}: ${value}`),
    })),
  );
}

function formatRun({ run, conversation }: ExchangeRecord): string {
  if (run === null) return '';
  return conversation === null ? `${run} (recognised by its messages)` : run;
}

function formatService(service: string | null): string {
  return service === SANDBOX_ID ? 'the sandbox' : (service ?? 'unknown');
}

function formatRepetitions({ times, lastAt }: ExchangeRecord): string {
  return times === 1
    ? ''
    : `stands for ${formatCount(times)} equal requests, the latest at ${formatTimestamp(lastAt)}`;
}

const END_TEXTS = {
  service: 'by the service',
  client: 'by the client, which disconnected',
  gateway: 'by Gatehouse',
} as const satisfies Record<ExchangeRecord['endedBy'], string>;

/** Nobody answered where there was no connection, so it was not the service that ended it. */
function formatEnd(exchange: ExchangeRecord): string {
  const isUnreached = exchange.attempts > 0 && !reachedService(exchange);
  return isUnreached ? 'by Gatehouse: nobody answered' : END_TEXTS[exchange.endedBy];
}

function formatDurations(exchange: ExchangeRecord): string {
  const { durationMs, firstByteMs, overheadMs, attempts } = exchange;
  return [
    `took ${formatDuration(durationMs)}`,
    firstByteMs === null ? '' : `first byte after ${formatDuration(firstByteMs)}`,
    overheadMs === null || attempts === 0
      ? ''
      : `${formatDuration(overheadMs)} in Gatehouse before it was sent`,
  ]
    .filter(Boolean)
    .join(', ');
}

function formatSent(exchange: ExchangeRecord): string {
  const { pathSent, attempts, method } = exchange;
  if (pathSent === null || attempts === 0) return 'nothing was sent to the service';
  return reachedService(exchange)
    ? `${method} ${pathSent} (${pluralize(attempts, 'attempt')})`
    : `nothing: no connection in ${pluralize(attempts, 'attempt')}`;
}

function formatModels(exchange: ExchangeRecord): string {
  const { modelAsked, modelSent, modelServed } = exchange;
  return [
    modelAsked === null ? '' : `asked ${modelAsked}`,
    modelSent === null || !reachedService(exchange) ? '' : `sent ${modelSent}`,
    modelServed === null ? '' : `served ${modelServed}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function formatAnswer({ status, streamed }: ExchangeRecord): string {
  return status === null ? 'none' : `${status}, ${streamed ? 'streamed' : 'not streamed'}`;
}

function formatSize({ bytesIn, bytesOut, attempts }: ExchangeRecord): string {
  const read = bytesIn === 0 && attempts === 0 ? 'no body read' : `${formatCount(bytesIn)} in`;
  return `${read}, ${formatCount(bytesOut)} out`;
}

function formatTokens(exchange: ExchangeRecord): string {
  const { usage, attempts } = exchange;
  if (attempts === 0) return '';
  if (!reachedService(exchange)) return 'none: nothing was sent to the service';
  if (usage.source === 'unknown') {
    return 'unknown: the service reported none';
  }
  const parts = listUsageParts(usage);
  const format = (of: UsagePart['of']) => {
    const words = parts.filter((part) => part.of === of).map(formatPart);
    return words.length === 0 ? '' : ` (${words.join(', ')})`;
  };
  const images = usage.media?.images ?? null;
  const sent = images === null ? '' : `, ${pluralize(images, 'image')}`;
  const about = (of: UsagePart['of']) => (isEstimated(usage, of) ? 'about ' : '');
  const input = `${about('input')}${formatCount(usage.input)} in${format('input')}`;
  const output = `${about('output')}${formatCount(usage.output)} out${format('output')}`;
  return `${input}, ${output}${sent}, ${usage.source}`;
}

function formatPart({ tokens, words }: UsagePart): string {
  return `${formatCount(tokens)} ${words}`;
}

function formatRepair({ code, before, after, advice }: Repair): [string, string][] {
  return [
    ['Repair', code],
    ['  before', before],
    ['  after', after],
    ['  advice', advice],
  ];
}

function formatFailure(exchange: ExchangeRecord): [string, string][] {
  const failure = explain(exchange);
  if (failure === null) return [];
  return [
    ['Failure', failure.title],
    ['  meaning', failure.meaning],
    ...failure.advice.map((advice): [string, string] => ['  advice', advice]),
    ['  code', exchange.errorCode ?? ''],
    ['  message', exchange.errorMessage ?? ''],
  ];
}
