import type { ExchangeBodies } from '../../shared/exchange/body.ts';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { ExportChunk, ExportFormat } from '../../shared/history/export.ts';
import type { HistoryFilter } from '../../shared/history/history.ts';
import type { CostedRun } from '../../shared/run/run.ts';
import type { History } from '../history/history.ts';
import { createCsvFormatter } from './csv.ts';
import type { Formatter } from './formatter.ts';
import { createHarFormatter } from './har.ts';
import { createHtmlFormatter } from './html.ts';
import { orderSteps } from './page/order-steps.ts';
import { createMarkdownFormatter } from './markdown.ts';

/** The stored exchanges, and what an export says about their Gatehouse. */
export interface ExportSource {
  readonly history: Pick<History, 'batches'>;
  /** Returns the bodies of an exchange, masked as things are now. `isRebuilt`: with the messages before those of its request. */
  readonly readBodies: (id: ExchangeId, isRebuilt: boolean) => Promise<ExchangeBodies>;
  /** Lists the parts of a text that have the form of a key of a well-known service. */
  readonly listKeys: (text: string) => Promise<readonly string[]>;
  /** Address of the proxy, such as `http://127.0.0.1:6417`. */
  readonly address: string;
  /** Version of Gatehouse. */
  readonly version: string;
  /** The currency of costs, an ISO 4217 code. */
  readonly currency: string;
  /** Unix time in milliseconds. */
  readonly now: number;
}

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly filter: HistoryFilter;
  /** Only these exchanges, in this order; `null`: all that match, newest first. */
  readonly ids: readonly ExchangeId[] | null;
  /**
   * Reads the run of these exchanges, masked, which a page shows as a tree of its steps; `null` for any others. It is called for texts
   * that people read only, because it costs much.
   */
  readonly readRun: (() => Promise<CostedRun | null>) | null;
  /** Ends the export early; its text is then incomplete. */
  readonly signal: AbortSignal;
}

/** Records alone are small, so many are formatted at once; with bodies an exchange has up to a few MiB. */
const RECORDS = 250;
const WITH_BODIES = 25;
/** Characters from which a chunk is not filled any further. */
const CHUNK_LENGTH = 256 * 1024;

/** Exports exchanges as the text of a file. At most one batch of records, and the bodies of one exchange, are in memory. */
export async function* exportExchanges(
  source: ExportSource,
  options: ExportOptions,
): AsyncGenerator<ExportChunk, void, void> {
  const { format, filter, ids, readRun, signal } = options;
  const hasBodies = format !== 'csv';
  // Programs read what was really sent.
  const isForPeople = format === 'md' || format === 'html';
  const run = isForPeople && readRun !== null ? await readRun() : null;
  const formatter = createFormatter(format, run, source);
  const size = hasBodies ? WITH_BODIES : RECORDS;
  let exchanges = 0;
  let text = formatter.begin;
  for await (const batch of source.history.batches({
    filter,
    ids: format === 'html' ? toOrder(ids, run) : ids,
    size,
    headers: hasBodies,
    listKeys: source.listKeys,
    signal,
  })) {
    for (const detail of batch) {
      const { exchange } = detail;
      const bodies = hasBodies ? await source.readBodies(exchange.id, isForPeople) : null;
      text += formatter.format({ ...detail, bodies });
      exchanges += exchange.times;
      if (text.length < CHUNK_LENGTH) continue;
      yield { text, exchanges };
      text = '';
    }
    if (text !== '') yield { text, exchanges };
    text = '';
    if (signal.aborted) return;
  }
  text += formatter.end();
  if (text !== '') yield { text, exchanges };
}

/** Returns the exchanges in the order of the format: a page has the steps of an agent below the step that started it. */
function toOrder(ids: ExportOptions['ids'], run: CostedRun | null): readonly ExchangeId[] | null {
  if (ids === null || run === null) return ids;
  const ordered = orderSteps(run).map(({ step }) => step.id);
  return [...new Set([...ordered, ...ids])];
}

function createFormatter(
  format: ExportFormat,
  run: CostedRun | null,
  source: ExportSource,
): Formatter {
  switch (format) {
    case 'csv':
      return createCsvFormatter(source);
    case 'jsonl':
      return JSON_LINES;
    case 'har':
      return createHarFormatter(source);
    case 'md':
      return createMarkdownFormatter(run);
    case 'html':
      return createHtmlFormatter({ ...source, run });
  }
}

/** A complete `ExchangeRecord` on every line, with the mark, the headers and the bodies of its exchange. */
const JSON_LINES: Formatter = {
  begin: '',
  format: ({ exchange, mark, headers, bodies }) =>
    `${JSON.stringify({ ...exchange, mark, headers, bodies })}\n`,
  end: () => '',
};
