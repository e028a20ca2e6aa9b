import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type { ProblemCode } from '../../shared/problem.ts';
import type { ExchangeHeaders } from '../../shared/history/history.ts';
import type { Repair } from '../../shared/exchange/repair.ts';
import {
  describeFailure,
  isRepeatedOrder,
  isRetiredKey,
  REPEATED_ORDER,
} from '../../shared/exchange/outcome.ts';
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
    [
      'Received',
      `${exchange.method} ${exchange.pathReceived} (route: ${routeLabel(exchange.route)})`,
    ],
    ['Sent', formatSent(exchange)],
    ['Model', formatModels(exchange)],
    ['Answer', formatAnswer(exchange)],
    ['Repeat', isRepeatedOrder(exchange) ? REPEAT_TEXT : ''],
    ['Ended', END_TEXTS[exchange.endedBy]],
    ['Error', formatError(exchange)],
    ['  message', exchange.errorMessage ?? ''],
    ['Bytes', `${formatCount(exchange.bytesIn)} in, ${formatCount(exchange.bytesOut)} out`],
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

function formatDurations({ durationMs, firstByteMs, overheadMs }: ExchangeRecord): string {
  return [
    `took ${formatDuration(durationMs)}`,
    firstByteMs === null ? '' : `first byte after ${formatDuration(firstByteMs)}`,
    overheadMs === null ? '' : `${formatDuration(overheadMs)} in Gatehouse before it was sent`,
  ]
    .filter(Boolean)
    .join(', ');
}

function formatSent({ pathSent, attempts, method }: ExchangeRecord): string {
  return pathSent === null || attempts === 0
    ? 'nothing was sent to the service'
    : `${method} ${pathSent} (${pluralize(attempts, 'attempt')})`;
}

function formatModels({ modelAsked, modelSent, modelServed, attempts }: ExchangeRecord): string {
  return [
    modelAsked === null ? '' : `asked ${modelAsked}`,
    modelSent === null || attempts === 0 ? '' : `sent ${modelSent}`,
    modelServed === null ? '' : `served ${modelServed}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function formatAnswer({ status, streamed }: ExchangeRecord): string {
  return status === null ? 'none' : `${status}, ${streamed ? 'streamed' : 'not streamed'}`;
}

function formatTokens({ usage, attempts }: ExchangeRecord): string {
  if (attempts === 0) {
    return '';
  }
  if (usage.source === 'unknown') {
    return 'unknown: the service reported none';
  }
  const parts = [
    `${formatCount(usage.input)} in`,
    `${formatCount(usage.output)} out`,
    usage.cacheRead === null ? '' : `${formatCount(usage.cacheRead)} of the input from cache`,
    usage.cacheWrite === null ? '' : `${formatCount(usage.cacheWrite)} written to cache`,
    usage.reasoning === null ? '' : `${formatCount(usage.reasoning)} for reasoning`,
  ];
  return `${parts.filter(Boolean).join(', ')} (${usage.source})`;
}

function formatRepair({ code, before, after, advice }: Repair): [string, string][] {
  return [
    ['Repair', code],
    ['  before', before],
    ['  after', after],
    ['  advice', advice],
  ];
}

function formatError(exchange: ExchangeRecord): string {
  const { errorCode } = exchange;
  if (errorCode === null) return '';
  if (isRetiredKey(exchange))
    return `${errorCode}: the local key of the client was revoked or replaced`;
  return describeErrorCode(errorCode);
}

function describeErrorCode(code: string): string {
  return `${code}: ${ERRORS.get(code) ?? 'the service reported it'}`;
}

const ERRORS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    malformed_request: 'the request was not well-formed HTTP',
    https_not_supported: 'the client used https:// for an http:// address',
    absolute_target: 'an absolute URL was requested instead of a path',
    invalid_path: 'the path cannot be used',
    undecodable_body: 'the body of the request could not be decompressed',
    body_too_complex: 'the body of the request is nested too deeply or has too many parts',
    missing_local_key: 'the client sent no local key',
    malformed_local_key: 'the client sent a credential without a local key',
    invalid_local_key: 'the client sent an unknown local key',
    expired_local_key: 'the local key of the client has expired',
    origin_not_allowed: 'a web page with a forbidden origin sent the request',
    unknown_path: 'this path is not an endpoint of the service',
    request_timeout: 'the request did not arrive in time',
    order_unsure: 'the same video was ordered before, and it is unknown whether that order arrived',
    body_too_large: 'the body of the request is too large',
    host_not_allowed: 'the request was for another host',
    upload_unclear: 'the address of the uploaded file could not be found',
    upgrade_not_supported: 'the client asked for a WebSocket',
    local_model_refused: 'the client may not use this model',
    local_limit_reached: 'a limit of the client, or of all clients, was used up',
    local_agent_stopped: 'its agent ran away, or a person stopped the client',
    local_rate_reached: 'a limit for requests at once, or within a minute, was reached',
    too_many_exchanges: 'too many requests ran at once',
    service_limit_reached: 'the service reported a limit, and the request waited too long',
    transfer_coding_not_supported: 'the body used a transfer coding other than chunked',
    upstream_unreachable: 'the service could not be reached',
    upstream_connection_lost: 'the connection to the service was lost',
    upstream_invalid_answer: 'the answer of the service could not be understood',
    unexpected_content_type: 'the service did not answer with JSON',
    redirect_refused: 'the service redirected to an unsafe address',
    redirect_unreachable: 'the service redirected to a server that could not be reached',
    loop_detected: 'the request looped back to Gatehouse',
    service_key_missing: 'there was no service key',
    service_key_locked: 'the service key was locked in the keychain',
    service_unavailable: 'several connections to the service in a row failed',
    service_changed: 'another service or key was chosen while the request waited',
    memory_full: 'the memory limit was reached',
    paused: 'Gatehouse was paused',
    order_not_kept: 'the order could not be written to the disk',
    shutting_down: 'Gatehouse was shutting down',
    gateway_stopped: 'Gatehouse ended while the request was in progress',
    internal_error: 'an error in Gatehouse',
    upstream_timeout: 'the service did not answer in time',
  } satisfies Record<ProblemCode, string>),
);
