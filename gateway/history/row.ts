import type { Selectable } from 'kysely';
import { z } from 'zod';
import { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { ExchangeSummary } from '../../shared/history/history.ts';
import { MediaTokens } from '../../shared/exchange/usage.ts';
import { Repair } from '../../shared/exchange/repair.ts';
import type { SqlValue, Tables } from '../store/store.ts';
import { formatDay } from '../../shared/format.ts';

export type ExchangeRow = Selectable<Tables['exchange']>;
type Column = Exclude<keyof ExchangeRow, 'seq'>;
type Redact = (text: string) => string;

/** How a column holds a value that SQLite does not have. */
interface Form {
  readonly write: (value: unknown) => SqlValue;
  readonly read: (stored: unknown) => unknown;
}

const FLAG: Form = { write: (value) => (value === true ? 1 : 0), read: (stored) => stored === 1 };
const REPAIRS: Form = {
  write: (value) => (Array.isArray(value) && value.length === 0 ? '[]' : JSON.stringify(value)),
  read: (stored) => (typeof stored === 'string' ? parseRepairs({ repairs: stored }) : []),
};
const MEDIA: Form = {
  write: (value) => (value == null ? null : JSON.stringify(value)),
  read: (stored) => (typeof stored === 'string' ? MediaTokens.parse(JSON.parse(stored)) : null),
};
const JSON_TEXT: Form = {
  write: (value) => (value == null ? null : JSON.stringify(value)),
  read: (stored) => (typeof stored === 'string' ? JSON.parse(stored) : null),
};

/** A field of an exchange and the column that holds it. */
interface Field {
  readonly column: Column;
  readonly field: keyof ExchangeRecord;
  /** The part of a field that has several columns. */
  readonly part?: string;
  /** Absent when the value is stored as it is. */
  readonly form?: Form;
  /** A text from outside, in which secrets are masked. */
  readonly outside?: true;
  /** Whether the list of exchanges has it. */
  readonly listed?: true;
}

/** All fields. One that is added here is stored, masked, read and listed. */
const FIELDS = [
  { column: 'id', field: 'id', listed: true },
  { column: 'started_at', field: 'startedAt', listed: true },
  { column: 'times', field: 'times', listed: true },
  { column: 'last_at', field: 'lastAt', listed: true },
  { column: 'service', field: 'service', outside: true, listed: true },
  { column: 'client_id', field: 'clientId', outside: true },
  { column: 'client_name', field: 'clientName', outside: true, listed: true },
  { column: 'conversation', field: 'conversation', outside: true },
  { column: 'run', field: 'run' },
  { column: 'sender', field: 'sender', form: JSON_TEXT },
  { column: 'user_agent', field: 'userAgent', outside: true },
  { column: 'route', field: 'route', listed: true },
  { column: 'method', field: 'method', outside: true, listed: true },
  { column: 'path_received', field: 'pathReceived', outside: true, listed: true },
  { column: 'path_sent', field: 'pathSent', outside: true },
  { column: 'model_asked', field: 'modelAsked', outside: true, listed: true },
  { column: 'model_sent', field: 'modelSent', outside: true, listed: true },
  { column: 'model_served', field: 'modelServed', outside: true, listed: true },
  { column: 'streamed', field: 'streamed', form: FLAG, listed: true },
  { column: 'status', field: 'status', listed: true },
  { column: 'error_code', field: 'errorCode', outside: true, listed: true },
  { column: 'error_message', field: 'errorMessage', outside: true },
  { column: 'ended_by', field: 'endedBy', listed: true },
  { column: 'repairs', field: 'repairs', form: REPAIRS, listed: true },
  { column: 'attempts', field: 'attempts', listed: true },
  { column: 'bytes_in', field: 'bytesIn' },
  { column: 'bytes_out', field: 'bytesOut' },
  { column: 'first_byte_ms', field: 'firstByteMs' },
  { column: 'duration_ms', field: 'durationMs', listed: true },
  { column: 'overhead_ms', field: 'overheadMs' },
  { column: 'usage_input', field: 'usage', part: 'input', listed: true },
  { column: 'usage_output', field: 'usage', part: 'output', listed: true },
  { column: 'usage_cache_read', field: 'usage', part: 'cacheRead', listed: true },
  { column: 'usage_cache_write', field: 'usage', part: 'cacheWrite', listed: true },
  { column: 'usage_cache_write_hour', field: 'usage', part: 'cacheWriteHour', listed: true },
  { column: 'usage_reasoning', field: 'usage', part: 'reasoning', listed: true },
  { column: 'usage_media', field: 'usage', part: 'media', form: MEDIA, listed: true },
  { column: 'usage_source', field: 'usage', part: 'source', listed: true },
  { column: 'usage_reported', field: 'usage', part: 'reportedPart', listed: true },
  { column: 'video', field: 'video', form: JSON_TEXT },
  { column: 'cost', field: 'cost', part: 'amount', listed: true },
  { column: 'cost_source', field: 'cost', part: 'source', listed: true },
  { column: 'price_id', field: 'cost', part: 'priceId', listed: true },
] as const satisfies readonly Field[];

const ALL: readonly Field[] = FIELDS;
const OUTSIDE = FIELDS.flatMap((one) => ('outside' in one ? [one.field] : []));
const LISTED = ALL.filter(({ listed }) => listed === true);

type ListedColumn = Extract<(typeof FIELDS)[number], { readonly listed: true }>['column'];
export type SummaryRow = Pick<ExchangeRow, ListedColumn>;

/** Columns that {@link toSummary} needs. */
export const SUMMARY_COLUMNS: readonly ListedColumn[] = FIELDS.flatMap((one) =>
  'listed' in one ? [one.column] : [],
);

/** Columns in the order of the values of {@link toRow}: the last two are computed. */
const COLUMNS: readonly Column[] = [...ALL.map(({ column }) => column), 'day', 'kept_since'];

/** Inserts the values of {@link toRow}. */
export const INSERT_EXCHANGE = `insert into exchange (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})`;

/** Inserts an exchange, or counts it with the stored one of the same id. */
export const COUNT_EXCHANGE = `${INSERT_EXCHANGE}
  on conflict (id) do update set times = times + excluded.times, last_at = max(last_at, excluded.last_at)`;

/** Returns the exchange with `redact` applied to every text from outside. */
export function redactExchange(exchange: ExchangeRecord, redact: Redact): ExchangeRecord {
  // Most exchanges contain no secret, and one check is cheaper than twenty.
  const listed: (string | null)[] = OUTSIDE.map((field) => exchange[field]);
  if (exchange.sender !== null) listed.push(...Object.values(exchange.sender));
  if (exchange.video !== null) listed.push(exchange.video.resolution);
  for (const { before, after, advice } of exchange.repairs) listed.push(before, after, advice);
  const texts = listed.join('\n');
  return redact(texts) === texts ? exchange : redactEach(exchange, redact);
}

function redactEach(exchange: ExchangeRecord, redact: Redact): ExchangeRecord {
  const texts = OUTSIDE.map((field) => {
    const text = exchange[field];
    return [field, text === null ? null : redact(text)];
  });
  const repairs = exchange.repairs.map(({ code, before, after, advice }) => ({
    code,
    before: redact(before),
    after: redact(after),
    advice: redact(advice),
  }));
  const sender = Object.entries(exchange.sender ?? {}).map(([name, text]) => [
    name,
    text === null ? null : redact(text),
  ]);
  return ExchangeRecord.parse({
    ...exchange,
    ...Object.fromEntries(texts),
    sender: exchange.sender === null ? null : Object.fromEntries(sender),
    video: exchange.video && {
      ...exchange.video,
      resolution: redact(exchange.video.resolution),
    },
    repairs,
  });
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
  // An array that grows by the last two would be copied to one of twice the size.
  return COLUMNS.map((column, at) => {
    const field = ALL[at];
    if (field !== undefined) return toValue(exchange, field);
    return column === 'day' ? toDay(exchange.startedAt) : exchange.startedAt + behindMs;
  });
}

function toValue(exchange: ExchangeRecord, { field, part, form }: Field): SqlValue {
  const whole: unknown = exchange[field];
  const value: unknown = part === undefined ? whole : (Object(whole)[part] ?? null);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `FIELDS` gives a form to every field that SQLite does not have
  return form === undefined ? (value as SqlValue) : form.write(value);
}

/** Converts a row to a summary with the equal status checks that it stands for, and its mark. @throws Error when Gatehouse did not write the row. */
export function toSummary(
  row: SummaryRow,
  { checks, mark }: Pick<ExchangeSummary, 'checks' | 'mark'>,
): ExchangeSummary {
  const repairs = parseRepairs(row).map(({ code }) => code);
  return ExchangeSummary.parse({ ...readFields(row, LISTED), repairs, checks, mark });
}

/** Converts a row to an exchange. @throws Error when Gatehouse did not write the row. */
export function fromRow(row: ExchangeRow): ExchangeRecord {
  return ExchangeRecord.parse(readFields(row, ALL));
}

function readFields(row: SummaryRow & Partial<ExchangeRow>, fields: readonly Field[]) {
  const read: Record<string, unknown> = {};
  for (const { column, field, part, form } of fields) {
    const stored: unknown = row[column];
    const value = form === undefined ? stored : form.read(stored);
    if (part === undefined) read[field] = value;
    else read[field] = Object.assign(read[field] ?? {}, { [part]: value });
  }
  return { ...read, cost: row.cost_source === null ? null : read['cost'] };
}

/** Parses the repairs of a row. */
export function parseRepairs({ repairs }: Pick<ExchangeRow, 'repairs'>): Repair[] {
  return repairs === '[]' ? [] : z.array(Repair).parse(JSON.parse(repairs));
}
