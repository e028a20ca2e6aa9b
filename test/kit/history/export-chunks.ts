import type { ExchangeBodies } from '../../../shared/exchange/body.ts';
import type { ExportChunk, ExportFormat } from '../../../shared/history/export.ts';
import { listKnownKeys } from '../../../gateway/bodies/secrets/known-keys.ts';
import { exportExchanges, type ExportOptions } from '../../../gateway/export/export.ts';
import { type HistoryFolder, NOON } from './history-folder.ts';

/** Bodies of an exchange of which none are kept. */
export const NO_BODIES: ExchangeBodies = {
  state: 'absent',
  received: null,
  sent: null,
  returned: null,
};

/** The exchanges to export; all of them by default. `bodies`: those of each exchange. */
interface ExportRequest extends Partial<ExportOptions> {
  readonly format: ExportFormat;
  readonly bodies?: (id: string) => ExchangeBodies;
}

/** Exports exchanges of a history, and returns the chunks. */
export async function exportChunks(
  { history }: Pick<HistoryFolder, 'history'>,
  { bodies = () => NO_BODIES, ...request }: ExportRequest,
): Promise<readonly ExportChunk[]> {
  const source = {
    history,
    readBodies: (id: string) => Promise.resolve(bodies(id)),
    listKeys: listKnownKeys,
    address: 'http://127.0.0.1:6417',
    version: '1.2.3',
    currency: 'EUR',
    now: NOON,
  };
  const { signal } = new AbortController();
  const options = { filter: {}, ids: null, readRun: null, signal, ...request };
  const chunks: ExportChunk[] = [];
  for await (const chunk of exportExchanges(source, options)) chunks.push(chunk);
  return chunks;
}

/** Joins the text of chunks. */
export function joinText(chunks: readonly ExportChunk[]): string {
  return chunks.map(({ text }) => text).join('');
}
