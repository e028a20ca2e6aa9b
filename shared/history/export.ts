import { z } from 'zod';
import { ExchangeId, RunId } from '../exchange/exchange.ts';
import { HistoryFilter } from './history.ts';

/** A format of an export. `csv` has the records of exchanges; the others also have their headers, requests and responses. */
export const ExportFormat = z.enum(['csv', 'jsonl', 'har', 'md', 'html']);
export type ExportFormat = z.infer<typeof ExportFormat>;

/** An export: the exchanges that match the filter, newest first, or only those of a run, step by step, or a single one. */
export const ExportQuery = z.object({
  format: ExportFormat,
  filter: HistoryFilter,
  only: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('run'), id: RunId }),
      z.object({ kind: z.literal('exchange'), id: ExchangeId }),
    ])
    .nullable()
    .default(null),
});
export type ExportQuery = z.infer<typeof ExportQuery>;

/** A piece of the text of an export, and the number of exchanges in all pieces so far. */
export const ExportChunk = z.object({ text: z.string(), exchanges: z.number().int() });
export type ExportChunk = z.infer<typeof ExportChunk>;
