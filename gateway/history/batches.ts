import { sql } from 'kysely';
import type { ExchangeMark } from '../../shared/exchange/exchange-mark.ts';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { ExchangeDetail, HistoryCursor, HistoryFilter } from '../../shared/history/history.ts';
import { KNOWN_KEY } from '../keys/redact.ts';
import { cleanAgain, HeaderCleaner, listHeaders } from './header-snapshots.ts';
import { listMarks } from './marks/read-marks.ts';
import { type HistorySource, readExchangeRows, toCursor } from './page.ts';
import { type ExchangeRow, fromRow, redactExchange } from './row.ts';

/** The exchanges that match the filter. */
export interface BatchQuery {
  readonly filter: HistoryFilter;
  /** Only these, in this order; `null`: all, newest first. */
  readonly ids: readonly ExchangeId[] | null;
  /** Number of exchanges in a batch at most. */
  readonly size: number;
  /** Whether their headers are read; otherwise they are `null`. */
  readonly headers: boolean;
  /** Lists the parts of a text that have the form of a key of a well-known service. */
  readonly listKeys: (text: string) => Promise<readonly string[]>;
  /** Ends the batches early. */
  readonly signal: AbortSignal;
}

/**
 * Yields exchanges in batches; only one batch is in memory at a time. Secrets in their texts are removed once more: one may be known
 * only since it was stored, or by a newer rule.
 */
export async function* readBatches(
  source: HistorySource,
  query: BatchQuery,
  redact: (text: string) => string,
): AsyncGenerator<readonly ExchangeDetail[], void, void> {
  const batches =
    query.ids === null ? readAll(source, query) : readListed(source, query.ids, query);
  for await (const rows of batches) {
    const records = rows.map(fromRow);
    const ids = records.map(({ id }) => id);
    const headers = query.headers ? await listHeaders(source.store, ids) : null;
    const marks = await listMarks(source.store.db, ids);
    const stored = records.map((exchange) => ({
      exchange,
      headers: headers?.get(exchange.id) ?? null,
      mark: marks.get(exchange.id) ?? null,
    }));
    yield await maskByForm(clean(stored, redact), query.listKeys);
    if (query.signal.aborted) return;
  }
}

function clean(
  details: readonly ExchangeDetail[],
  redact: (text: string) => string,
): readonly ExchangeDetail[] {
  const cleaner = new HeaderCleaner(redact);
  return details.map(({ exchange, headers, mark }) => ({
    exchange: redactExchange(exchange, redact),
    headers: cleanAgain(headers, cleaner),
    mark: redactMark(mark, redact),
  }));
}

/** Masks the parts of texts that have the form of a key. All texts are searched at once, because a search has a fixed cost. */
async function maskByForm(
  details: readonly ExchangeDetail[],
  listKeys: BatchQuery['listKeys'],
): Promise<readonly ExchangeDetail[]> {
  const texts = new Set<string>();
  clean(details, (text) => {
    texts.add(text);
    return text;
  });
  const keys = await listKeys([...texts].join('\n'));
  if (keys.length === 0) return details;
  return clean(details, (text) =>
    keys.reduce((rest, key) => rest.replaceAll(key, KNOWN_KEY), text),
  );
}

function redactMark(
  mark: ExchangeMark | null,
  redact: (text: string) => string,
): ExchangeMark | null {
  return mark && { ...mark, note: redact(mark.note), tags: mark.tags.map(redact) };
}

async function* readAll(source: HistorySource, { filter, size, signal }: BatchQuery) {
  for (let before: HistoryCursor | undefined; !signal.aborted;) {
    const rows: readonly ExchangeRow[] = await readExchangeRows(source, {
      filter,
      limit: size,
      before,
    });
    if (rows.length > 0) yield rows;
    before = toCursor(rows.at(-1)) ?? undefined;
    if (rows.length < size) return;
  }
}

async function* readListed(
  source: HistorySource,
  ids: readonly ExchangeId[],
  { filter, size, signal }: BatchQuery,
) {
  for (let at = 0; at < ids.length && !signal.aborted; at += size) {
    const some = ids.slice(at, at + size);
    const conditions = [sql<boolean>`exchange.id in (${sql.join(some)})`];
    const found = await readExchangeRows(source, { filter, limit: some.length, conditions });
    const byId = new Map<string, ExchangeRow>(found.map((row) => [row.id, row]));
    yield some.flatMap((id) => byId.get(id) ?? []);
  }
}
