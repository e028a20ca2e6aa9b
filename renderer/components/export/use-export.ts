import { useEffect, useRef, useState } from 'react';
import type { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import type { ExportFormat } from '../../../shared/history/export.ts';
import type { HistoryFilter } from '../../../shared/history/history.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import { formatDay, pluralize } from '../../../shared/format.ts';
import { toastSuccess, toastError } from '../../hooks/toast.ts';
import { TextFileBuilder, downloadBlob } from '../../hooks/text-file-builder.ts';

/** The exchanges to export: those that match a filter, those of a run, or a single one. */
export type ExportedPart =
  | { readonly kind: 'filter'; readonly filter: HistoryFilter }
  | { readonly kind: 'run'; readonly id: RunId; readonly steps: number }
  | { readonly kind: 'exchange'; readonly id: ExchangeId };

/** Progress of an export; `of` is `null` until the total is counted, and when it is too large to count. */
export interface ExportState {
  readonly exchanges: number;
  readonly of: number | null;
}

const MAX_COUNTED = 1_000_000;
const MEDIA: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv;charset=utf-8',
  jsonl: 'application/x-ndjson',
  har: 'application/json',
  md: 'text/markdown;charset=utf-8',
};

/** Exports exchanges as a file that the browser saves. Only one export runs at a time. */
export function useExport(part: ExportedPart): {
  readonly exporting: ExportState | null;
  readonly begin: (format: ExportFormat) => Promise<void>;
  readonly cancel: () => void;
} {
  const calls = useCalls();
  const [exporting, setExporting] = useState<ExportState | null>(null);
  const running = useRef<AbortController | null>(null);
  const cancel = (): void => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const begin = async (format: ExportFormat): Promise<void> => {
    const stopping = new AbortController();
    running.current = stopping;
    const { signal } = stopping;
    setExporting({ exchanges: 0, of: null });
    try {
      const onProgress = (exchanges: number, of: number | null) => setExporting({ exchanges, of });
      const { blob, exchanges } = await collect(calls, { part, format, signal, onProgress });
      downloadBlob(blob, `gatehouse-${toName(part)}.${format}`);
      toastSuccess(`Exported ${pluralize(exchanges, 'exchange')}.`);
    } catch (error) {
      if (!signal.aborted) toastError('Could not export.', error);
    } finally {
      setExporting(null);
    }
  };
  return { exporting, begin, cancel };
}

interface ExportOptions {
  readonly part: ExportedPart;
  readonly format: ExportFormat;
  readonly signal: AbortSignal;
  readonly onProgress: (exchanges: number, of: number | null) => void;
}

async function collect(calls: Calls, { part, format, signal, onProgress }: ExportOptions) {
  const of = await count(calls, part, signal);
  const text = new TextFileBuilder(MEDIA[format]);
  let exchanges = 0;
  onProgress(exchanges, of);
  const query = {
    format,
    filter: part.kind === 'filter' ? part.filter : {},
    only: part.kind === 'filter' ? null : { kind: part.kind, id: part.id },
  };
  for await (const chunk of await calls.history.export.call(query, { signal })) {
    text.add(chunk.text);
    ({ exchanges } = chunk);
    onProgress(exchanges, of);
  }
  // An aborted stream may end as if it were complete.
  signal.throwIfAborted();
  return { blob: text.blob(), exchanges };
}

/** Counts the exchanges; `null` when there are too many. */
async function count(
  calls: Calls,
  part: ExportedPart,
  signal: AbortSignal,
): Promise<number | null> {
  if (part.kind === 'run') return part.steps;
  if (part.kind === 'exchange') return 1;
  const { filter } = part;
  const matching = await calls.history.count.call({ filter, upTo: MAX_COUNTED }, { signal });
  return matching < MAX_COUNTED ? matching : null;
}

/** Names a part in the name of its file, by its id or by the local date: `history-2026-11-21`. */
function toName(part: ExportedPart): string {
  return part.kind === 'filter' ? `history-${formatDay(Date.now())}` : part.id;
}
