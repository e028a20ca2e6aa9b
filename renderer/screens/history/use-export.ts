import { useEffect, useRef, useState } from 'react';
import type { HistoryFilter } from '../../../shared/history.ts';
import { type Calls, useCalls } from '../../client/client.ts';
import { counted } from '../../parts/figures.ts';
import { sayDone, sayFailed } from '../../parts/said.ts';
import { FileText, save } from '../../parts/file-text.ts';

export type Format = 'csv' | 'jsonl';

/** How far an export is; `of` is `null` as long as nobody has counted, and when there are too many to count. */
export interface Exporting {
  readonly exchanges: number;
  readonly of: number | null;
}

const COUNTED_TO = 1_000_000;
const MEDIA: Readonly<Record<Format, string>> = {
  csv: 'text/csv;charset=utf-8',
  jsonl: 'application/x-ndjson',
};

/** Exports what the filter lets through as a file that the browser saves. One export at a time. */
export function useExport(filter: HistoryFilter): {
  readonly exporting: Exporting | null;
  readonly begin: (format: Format) => Promise<void>;
  readonly cancel: () => void;
} {
  const calls = useCalls();
  const [exporting, setExporting] = useState<Exporting | null>(null);
  const running = useRef<AbortController | null>(null);
  const cancel = (): void => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const begin = async (format: Format): Promise<void> => {
    const stopping = new AbortController();
    running.current = stopping;
    const { signal } = stopping;
    setExporting({ exchanges: 0, of: null });
    try {
      const told = (exchanges: number, of: number | null) => setExporting({ exchanges, of });
      const { blob, exchanges } = await collect(calls, { filter, format, signal, told });
      save(blob, fileName(format, new Date()));
      sayDone(`Exported ${counted(exchanges, 'exchange')}.`);
    } catch (error) {
      if (!signal.aborted) sayFailed('The history could not be exported.', error);
    } finally {
      setExporting(null);
    }
  };
  return { exporting, begin, cancel };
}

interface Order {
  readonly filter: HistoryFilter;
  readonly format: Format;
  readonly signal: AbortSignal;
  readonly told: (exchanges: number, of: number | null) => void;
}

async function collect(calls: Calls, { filter, format, signal, told }: Order) {
  const matching = await calls.history.count.call({ filter, upTo: COUNTED_TO }, { signal });
  const of = matching < COUNTED_TO ? matching : null;
  const text = new FileText(MEDIA[format]);
  let exchanges = 0;
  told(exchanges, of);
  for await (const piece of await calls.history.export.call({ filter, format }, { signal })) {
    text.add(piece.text);
    ({ exchanges } = piece);
    told(exchanges, of);
  }
  // A stream that is stopped may end as if it were complete.
  signal.throwIfAborted();
  return { blob: text.blob(), exchanges };
}

/** `gatehouse-history-2026-11-21.csv`, by the local date. */
function fileName(extension: string, now: Date): string {
  const month = String(now.getMonth() + 1).padStart(2, '0');
  const day = String(now.getDate()).padStart(2, '0');
  return `gatehouse-history-${now.getFullYear()}-${month}-${day}.${extension}`;
}
