import { stringify } from 'csv-stringify/sync';
import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { HistoryFilter } from '../../shared/history.ts';
import { readRecords, type HistorySource } from './page.ts';

export type ExportFormat = 'csv' | 'jsonl';

/** A chunk of a file, and the number of exchanges in all chunks so far. */
export interface ExportChunk {
  readonly text: string;
  readonly exchanges: number;
}

export interface ExportOptions {
  readonly filter: HistoryFilter;
  readonly format: ExportFormat;
  /** Stops the export early. */
  readonly signal: AbortSignal;
}

/** Small enough that formatting one chunk blocks the event loop for only a few milliseconds. */
const CHUNK_SIZE = 250;

/**
 * Exports the exchanges that match a filter, newest first, as the text of a file. CSV starts with a line of names, and no
 * spreadsheet takes a cell of it for a formula; JSONL has a complete `ExchangeRecord` on every line.
 */
export async function* exportExchanges(
  source: HistorySource,
  { filter, format, signal }: ExportOptions,
): AsyncGenerator<ExportChunk> {
  let exchanges = 0;
  if (format === 'csv') yield { text: formatCsv([COLUMNS.map(([name]) => name)]), exchanges };
  for (let before: ExchangeRecord['id'] | undefined; !signal.aborted;) {
    // Reads one chunk after the other: only one is in memory at a time.
    const records = await readRecords(source, { filter, limit: CHUNK_SIZE, before });
    if (records.length > 0) {
      exchanges += records.length;
      yield { text: formatRecords(records, format), exchanges };
    }
    before = records.at(-1)?.id;
    if (records.length < CHUNK_SIZE) return;
  }
}

function formatRecords(records: readonly ExchangeRecord[], format: ExportFormat): string {
  if (format === 'csv')
    return formatCsv(records.map((record) => COLUMNS.map(([, value]) => value(record))));
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function formatCsv(lines: readonly (readonly unknown[])[]): string {
  return stringify([...lines], {
    escape_formulas: true,
    record_delimiter: 'windows',
    // By default the library quotes only values that contain the whole delimiter.
    quoted_match: /[\r\n]/,
  });
}

type Column = readonly [name: string, value: (record: ExchangeRecord) => string | number | null];

const COLUMNS: readonly Column[] = [
  ['id', ({ id }) => id],
  ['started_at', ({ startedAt }) => new Date(startedAt).toISOString()],
  ['client', ({ clientName }) => clientName],
  ['conversation', ({ conversation }) => conversation],
  ['user_agent', ({ userAgent }) => userAgent],
  ['route', ({ route }) => route],
  ['method', ({ method }) => method],
  ['path_received', ({ pathReceived }) => pathReceived],
  ['path_sent', ({ pathSent }) => pathSent],
  ['model_asked', ({ modelAsked }) => modelAsked],
  ['model_sent', ({ modelSent }) => modelSent],
  ['model_served', ({ modelServed }) => modelServed],
  ['streamed', ({ streamed }) => (streamed ? 'yes' : 'no')],
  ['status', ({ status }) => status],
  ['error_code', ({ errorCode }) => errorCode],
  ['error_message', ({ errorMessage }) => errorMessage],
  ['ended_by', ({ endedBy }) => endedBy],
  ['repairs', ({ repairs }) => repairs.map(({ code }) => code).join(' ')],
  ['attempts', ({ attempts }) => attempts],
  ['bytes_in', ({ bytesIn }) => bytesIn],
  ['bytes_out', ({ bytesOut }) => bytesOut],
  ['first_byte_ms', ({ firstByteMs }) => firstByteMs],
  ['duration_ms', ({ durationMs }) => durationMs],
  ['overhead_ms', ({ overheadMs }) => overheadMs],
  ['tokens_input', ({ usage }) => usage.input],
  ['tokens_output', ({ usage }) => usage.output],
  ['tokens_cache_read', ({ usage }) => usage.cacheRead],
  ['tokens_cache_write', ({ usage }) => usage.cacheWrite],
  ['tokens_reasoning', ({ usage }) => usage.reasoning],
  ['usage_source', ({ usage }) => usage.source],
  ['times', ({ times }) => times],
  ['last_at', ({ lastAt }) => new Date(lastAt).toISOString()],
];
