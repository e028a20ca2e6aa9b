import type { Selectable } from 'kysely';
import { z } from 'zod';
import { ClientId } from '../../shared/client.ts';
import { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { ExchangeSummary } from '../../shared/history/history.ts';
import { MediaTokens } from '../../shared/exchange/usage.ts';
import { Repair } from '../../shared/exchange/repair.ts';
import type { SqlValue, Tables } from '../store/store.ts';
import { formatDay } from '../../shared/format.ts';

export type ExchangeRow = Selectable<Tables['exchange']>;
type Column = Exclude<keyof ExchangeRow, 'seq'>;
type Redact = (text: string) => string;

/** Columns in the order of the values of {@link toRow}. */
const COLUMNS = [
  'id',
  'started_at',
  'client_id',
  'client_name',
  'conversation',
  'user_agent',
  'route',
  'method',
  'path_received',
  'path_sent',
  'model_asked',
  'model_sent',
  'model_served',
  'streamed',
  'status',
  'error_code',
  'error_message',
  'ended_by',
  'repairs',
  'attempts',
  'bytes_in',
  'bytes_out',
  'first_byte_ms',
  'duration_ms',
  'overhead_ms',
  'usage_input',
  'usage_output',
  'usage_cache_read',
  'usage_cache_write',
  'usage_reasoning',
  'usage_source',
  'day',
  'times',
  'last_at',
  'kept_since',
  'service',
  'usage_cache_write_hour',
  'usage_media',
  'cost',
  'cost_source',
  'price_id',
] as const satisfies readonly Column[];

/** Inserts the values of {@link toRow}. */
export const INSERT_EXCHANGE = `insert into exchange (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})`;

/** Inserts an exchange, or counts it with the stored one of the same id. */
export const COUNT_EXCHANGE = `${INSERT_EXCHANGE}
  on conflict (id) do update set times = times + excluded.times, last_at = max(last_at, excluded.last_at)`;

/** Returns the exchange with `redact` applied to every text from outside. */
export function redactExchange(exchange: ExchangeRecord, redact: Redact): ExchangeRecord {
  // Most exchanges contain no secret, and one check is cheaper than twenty.
  const texts = listTexts(exchange).join('\n');
  return redact(texts) === texts ? exchange : redactEach(exchange, redact);
}

function listTexts(exchange: ExchangeRecord): (string | null)[] {
  return [
    exchange.service,
    exchange.clientId,
    exchange.clientName,
    exchange.conversation,
    exchange.userAgent,
    exchange.method,
    exchange.pathReceived,
    exchange.pathSent,
    exchange.modelAsked,
    exchange.modelSent,
    exchange.modelServed,
    exchange.errorCode,
    exchange.errorMessage,
    ...exchange.repairs.flatMap(({ before, after, advice }) => [before, after, advice]),
  ];
}

function redactEach(exchange: ExchangeRecord, redact: Redact): ExchangeRecord {
  const redactText = (text: string | null) => (text === null ? null : redact(text));
  return {
    ...exchange,
    clientId: exchange.clientId === null ? null : ClientId.parse(redact(exchange.clientId)),
    clientName: redactText(exchange.clientName),
    conversation: redactText(exchange.conversation),
    userAgent: redactText(exchange.userAgent),
    method: redact(exchange.method),
    pathReceived: redact(exchange.pathReceived),
    pathSent: redactText(exchange.pathSent),
    modelAsked: redactText(exchange.modelAsked),
    modelSent: redactText(exchange.modelSent),
    modelServed: redactText(exchange.modelServed),
    errorCode: redactText(exchange.errorCode),
    errorMessage: redactText(exchange.errorMessage),
    repairs: exchange.repairs.map(({ code, before, after, advice }) => ({
      code,
      before: redact(before),
      after: redact(after),
      advice: redact(advice),
    })),
  };
}

/**
 * Returns the values of one exchange. `behindMs`: how far the clock was set back when it was recorded, in milliseconds; `toDay`: as
 * `formatDay`.
 */
export function toRow(
  exchange: ExchangeRecord,
  behindMs = 0,
  toDay = formatDay,
): readonly SqlValue[] {
  const { usage } = exchange;
  return [
    exchange.id,
    exchange.startedAt,
    exchange.clientId,
    exchange.clientName,
    exchange.conversation,
    exchange.userAgent,
    exchange.route,
    exchange.method,
    exchange.pathReceived,
    exchange.pathSent,
    exchange.modelAsked,
    exchange.modelSent,
    exchange.modelServed,
    exchange.streamed ? 1 : 0,
    exchange.status,
    exchange.errorCode,
    exchange.errorMessage,
    exchange.endedBy,
    exchange.repairs.length === 0 ? '[]' : JSON.stringify(exchange.repairs),
    exchange.attempts,
    exchange.bytesIn,
    exchange.bytesOut,
    exchange.firstByteMs,
    exchange.durationMs,
    exchange.overheadMs,
    usage.input,
    usage.output,
    usage.cacheRead,
    usage.cacheWrite,
    usage.reasoning,
    usage.source,
    toDay(exchange.startedAt),
    exchange.times,
    exchange.lastAt,
    exchange.startedAt + behindMs,
    exchange.service,
    usage.cacheWriteHour,
    usage.media === null ? null : JSON.stringify(usage.media),
    exchange.cost?.amount ?? null,
    exchange.cost?.source ?? null,
    exchange.cost?.priceId ?? null,
  ];
}

/** Columns that {@link toSummary} needs. */
export const SUMMARY_COLUMNS = [
  'id',
  'started_at',
  'times',
  'last_at',
  'service',
  'client_name',
  'route',
  'method',
  'path_received',
  'model_asked',
  'model_sent',
  'model_served',
  'streamed',
  'status',
  'error_code',
  'ended_by',
  'repairs',
  'attempts',
  'duration_ms',
  'usage_input',
  'usage_output',
  'usage_cache_read',
  'usage_cache_write',
  'usage_reasoning',
  'usage_source',
  'usage_cache_write_hour',
  'usage_media',
  'cost',
  'cost_source',
  'price_id',
] as const satisfies readonly Column[];

export type SummaryRow = Pick<ExchangeRow, (typeof SUMMARY_COLUMNS)[number]>;

/** Converts a row to a summary with the equal status checks that it stands for, and its mark. @throws Error when Gatehouse did not write the row. */
export function toSummary(
  row: SummaryRow,
  { checks, mark }: Pick<ExchangeSummary, 'checks' | 'mark'>,
): ExchangeSummary {
  return ExchangeSummary.parse({
    ...toShortFields(row),
    repairs: parseRepairs(row).map(({ code }) => code),
    checks,
    mark,
  });
}

/** Converts a row to an exchange. @throws Error when Gatehouse did not write the row. */
export function fromRow(row: ExchangeRow): ExchangeRecord {
  return ExchangeRecord.parse({
    ...toShortFields(row),
    repairs: parseRepairs(row),
    clientId: row.client_id,
    conversation: row.conversation,
    userAgent: row.user_agent,
    errorMessage: row.error_message,
    pathSent: row.path_sent,
    bytesIn: row.bytes_in,
    bytesOut: row.bytes_out,
    firstByteMs: row.first_byte_ms,
    overheadMs: row.overhead_ms,
  });
}

function toShortFields(row: SummaryRow) {
  return {
    id: row.id,
    startedAt: row.started_at,
    times: row.times,
    lastAt: row.last_at,
    service: row.service,
    clientName: row.client_name,
    route: row.route,
    method: row.method,
    pathReceived: row.path_received,
    modelAsked: row.model_asked,
    modelSent: row.model_sent,
    modelServed: row.model_served,
    streamed: row.streamed === 1,
    status: row.status,
    errorCode: row.error_code,
    endedBy: row.ended_by,
    attempts: row.attempts,
    durationMs: row.duration_ms,
    usage: {
      input: row.usage_input,
      output: row.usage_output,
      cacheRead: row.usage_cache_read,
      cacheWrite: row.usage_cache_write,
      cacheWriteHour: row.usage_cache_write_hour,
      reasoning: row.usage_reasoning,
      media: row.usage_media === null ? null : MediaTokens.parse(JSON.parse(row.usage_media)),
      source: row.usage_source,
    },
    cost:
      row.cost_source === null
        ? null
        : { amount: row.cost, source: row.cost_source, priceId: row.price_id },
  };
}

/** Parses the repairs of a row. */
export function parseRepairs({ repairs }: Pick<ExchangeRow, 'repairs'>): Repair[] {
  return repairs === '[]' ? [] : z.array(Repair).parse(JSON.parse(repairs));
}
