import { useEffect, useRef, useState } from 'react';
import type { HistoryFilter } from '../../../shared/history.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import { pluralize } from '../../../shared/format.ts';
import { toastSuccess, toastError } from '../../hooks/toast.ts';
import { TextFileBuilder, downloadBlob } from '../../hooks/text-file-builder.ts';

export type Format = 'csv' | 'jsonl';

/** Progress of an export; `of` is `null` until the total is counted, and when it is too large to count. */
export interface ExportState {
  readonly exchanges: number;
  readonly of: number | null;
}

const MAX_COUNTED = 1_000_000;
const MEDIA: Readonly<Record<Format, string>> = {
  csv: 'text/csv;charset=utf-8',
  jsonl: 'application/x-ndjson',
};

/** Exports the filtered exchanges as a file that the browser saves. Only one export runs at a time. */
export function useExport(filter: HistoryFilter): {
  readonly exporting: ExportState | null;
  readonly begin: (format: Format) => Promise<void>;
  readonly cancel: () => void;
} {
  const calls = useCalls();
  const [exporting, setExporting] = useState<ExportState | null>(null);
  const running = useRef<AbortController | null>(null);
  const cancel = (): void => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const begin = async (format: Format): Promise<void> => {
    const stopping = new AbortController();
    running.current = stopping;
    const { signal } = stopping;
    setExporting({ exchanges: 0, of: null });
    try {
      const onProgress = (exchanges: number, of: number | null) => setExporting({ exchanges, of });
      const { blob, exchanges } = await collect(calls, { filter, format, signal, onProgress });
      downloadBlob(blob, fileName(format, new Date()));
      toastSuccess(`Exported ${pluralize(exchanges, 'exchange')}.`);
    } catch (error) {
      if (!signal.aborted) toastError('Could not export the history.', error);
    } finally {
      setExporting(null);
    }
  };
  return { exporting, begin, cancel };
}

interface ExportOptions {
  readonly filter: HistoryFilter;
  readonly format: Format;
  readonly signal: AbortSignal;
  readonly onProgress: (exchanges: number, of: number | null) => void;
}

async function collect(calls: Calls, { filter, format, signal, onProgress }: ExportOptions) {
  const matching = await calls.history.count.call({ filter, upTo: MAX_COUNTED }, { signal });
  const of = matching < MAX_COUNTED ? matching : null;
  const text = new TextFileBuilder(MEDIA[format]);
  let exchanges = 0;
  onProgress(exchanges, of);
  for await (const chunk of await calls.history.export.call({ filter, format }, { signal })) {
    text.add(chunk.text);
    ({ exchanges } = chunk);
    onProgress(exchanges, of);
  }
  // An aborted stream may end as if it were complete.
  signal.throwIfAborted();
  return { blob: text.blob(), exchanges };
}

/** Formats a file name by the local date: `gatehouse-history-2026-11-21.csv`. */
function fileName(extension: string, now: Date): string {
  const month = String(now.getMonth() + 1).padStart(2, '0');
  const day = String(now.getDate()).padStart(2, '0');
  return `gatehouse-history-${now.getFullYear()}-${month}-${day}.${extension}`;
}
