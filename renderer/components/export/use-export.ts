import { useState } from 'react';
import type { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import type { ExportFormat } from '../../../shared/history/export.ts';
import type { HistoryFilter } from '../../../shared/history/history.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import { formatDay, pluralize } from '../../../shared/format.ts';
import { useSavedFile } from './use-saved-file.ts';

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

const NOTHING_YET: ExportState = { exchanges: 0, of: null };
const MAX_COUNTED = 1_000_000;
const MEDIA: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv;charset=utf-8',
  jsonl: 'application/x-ndjson',
  har: 'application/json',
  md: 'text/markdown;charset=utf-8',
  html: 'text/html;charset=utf-8',
};

/** Exports exchanges as a file that the browser saves. Only one export runs at a time. */
export function useExport(part: ExportedPart): {
  readonly exporting: ExportState | null;
  readonly begin: (format: ExportFormat) => void;
  readonly cancel: () => void;
} {
  const calls = useCalls();
  const { isSaving, save, cancel } = useSavedFile('Could not export.');
  const [progress, setProgress] = useState<ExportState>(NOTHING_YET);
  const begin = (format: ExportFormat): void => {
    let of: number | null = null;
    setProgress(NOTHING_YET);
    save({
      name: `gatehouse-${toName(part)}.${format}`,
      type: MEDIA[format],
      open: async (signal) => {
        of = await count(calls, part, signal);
        setProgress({ exchanges: 0, of });
        return await calls.history.export.call(toQuery(part, format), { signal });
      },
      onChunk: ({ exchanges }) => setProgress({ exchanges, of }),
      describe: (last) => `Exported ${pluralize(last?.exchanges ?? 0, 'request')}.`,
    });
  };
  return { exporting: isSaving ? progress : null, begin, cancel };
}

function toQuery(part: ExportedPart, format: ExportFormat) {
  return {
    format,
    filter: part.kind === 'filter' ? part.filter : {},
    only: part.kind === 'filter' ? null : { kind: part.kind, id: part.id },
  };
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
