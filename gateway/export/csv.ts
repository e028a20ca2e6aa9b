import { stringify } from 'csv-stringify/sync';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type { ExchangeMark } from '../../shared/exchange/exchange-mark.ts';
import type { Cost } from '../../shared/money/cost.ts';
import type { Formatter } from './formatter.ts';

/** Formats records as CSV with a line of names. No spreadsheet takes a cell for a formula. */
export function createCsvFormatter({ currency }: { readonly currency: string }): Formatter {
  return {
    begin: formatLine([
      ...[...COLUMNS, ...MARK_COLUMNS, ...COST_COLUMNS].map(([name]) => name),
      'currency',
    ]),
    format: ({ exchange, mark }) =>
      formatLine([
        ...COLUMNS.map(([, value]) => value(exchange)),
        ...MARK_COLUMNS.map(([, value]) => value(mark)),
        ...COST_COLUMNS.map(([, value]) => value(exchange.cost)),
        currency,
      ]),
    end: () => '',
  };
}

function formatLine(cells: readonly (string | number | null)[]): string {
  return stringify([[...cells]], {
    escape_formulas: true,
    record_delimiter: 'windows',
    // By default the library quotes only values that contain the whole delimiter.
    quoted_match: /[\r\n]/,
  });
}

type Column<Of> = readonly [name: string, value: (of: Of) => string | number | null];

const COLUMNS: readonly Column<ExchangeRecord>[] = [
  ['id', ({ id }) => id],
  ['started_at', ({ startedAt }) => new Date(startedAt).toISOString()],
  ['service', ({ service }) => service],
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
  ['first_byte_ms', ({ firstByteMs }) => roundMs(firstByteMs)],
  ['duration_ms', ({ durationMs }) => roundMs(durationMs)],
  ['overhead_ms', ({ overheadMs }) => roundMs(overheadMs)],
  ['tokens_input', ({ usage }) => usage.input],
  ['tokens_output', ({ usage }) => usage.output],
  ['tokens_cache_read', ({ usage }) => usage.cacheRead],
  ['tokens_cache_write', ({ usage }) => usage.cacheWrite],
  ['tokens_reasoning', ({ usage }) => usage.reasoning],
  ['usage_source', ({ usage }) => usage.source],
  ['times', ({ times }) => times],
  ['last_at', ({ lastAt }) => new Date(lastAt).toISOString()],
  ['run', ({ run }) => run],
  // Requests of a client that names no session are put together by their messages.
  [
    'run_source',
    ({ run, conversation }) =>
      run === null ? null : conversation === null ? 'messages' : 'client',
  ],
  ['agent', ({ sender }) => sender?.agent ?? null],
  ['parent_agent', ({ sender }) => sender?.parent ?? null],
  ['agent_type', ({ sender }) => sender?.agentType ?? null],
  ['request_class', ({ sender }) => sender?.requestClass ?? null],
  ['request_kind', ({ sender }) => sender?.requestKind ?? null],
  ['project', ({ sender }) => sender?.project ?? null],
  ['reported_part', ({ usage }) => usage.reportedPart],
  ['video_seconds', ({ video }) => video?.seconds ?? null],
  ['video_resolution', ({ video }) => video?.resolution ?? null],
  ['tokens_cache_write_hour', ({ usage }) => usage.cacheWriteHour],
  ['tokens_input_audio', ({ usage }) => usage.media?.inputAudio ?? null],
  ['tokens_output_audio', ({ usage }) => usage.media?.outputAudio ?? null],
  ['tokens_input_image', ({ usage }) => usage.media?.inputImage ?? null],
  ['tokens_output_image', ({ usage }) => usage.media?.outputImage ?? null],
  ['images', ({ usage }) => usage.media?.images ?? null],
];

/** Rounds milliseconds to microseconds: what is measured is no more exact. */
function roundMs(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 1_000) / 1_000;
}

const MARK_COLUMNS: readonly Column<ExchangeMark | null>[] = [
  ['pinned', (mark) => (mark?.pinned === true ? 'yes' : 'no')],
  ['tags', (mark) => mark?.tags.join(' ') ?? ''],
  ['note', (mark) => mark?.note ?? ''],
];

/** The amount is in the currency, not in its millionths. `none`: there is nothing to pay. */
const COST_COLUMNS: readonly Column<Cost | null>[] = [
  ['cost', (cost) => (cost?.amount == null ? null : cost.amount / 1_000_000)],
  ['cost_source', (cost) => cost?.source ?? 'none'],
];
