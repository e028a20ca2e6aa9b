import { describe, expect, test } from 'vitest';
import type { ExportFormat, ExportChunk } from '../../gateway/history/export.ts';
import { anExchange } from '../kit/an-exchange.ts';
import { type HistoryFolder, NOON, openHistoryFolder } from '../kit/history-folder.ts';

const NEVER = new AbortController().signal;

async function piecesOf({ history }: HistoryFolder, format: ExportFormat) {
  const filter = { clients: ['Cline'] };
  const pieces: ExportChunk[] = [];
  for await (const piece of history.export({ filter, format, signal: NEVER })) pieces.push(piece);
  return pieces;
}

function joined(pieces: readonly { readonly text: string }[]): string {
  return pieces.map(({ text }) => text).join('');
}

describe('An export of the history', () => {
  test('in JSONL has every complete exchange on a line, newest first, in several chunks', async () => {
    await using folder = await openHistoryFolder();
    const all = Array.from({ length: 600 }, (_, at) =>
      anExchange(`e${at}`, { startedAt: NOON - at, pathReceived: '/a\n"b' }),
    );
    await folder.record(...all, anExchange('other', { clientName: 'Codex' }));
    const pieces = await piecesOf(folder, 'jsonl');
    const lines = joined(pieces).trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(all);
    expect(pieces.map(({ exchanges }) => exchanges)).toEqual([250, 500, 600]);
  });

  test('in CSV has a line of names, and quotes where needed', async () => {
    await using folder = await openHistoryFolder();
    await folder.record(anExchange('a', { pathReceived: '/a,"b"', errorMessage: 'one\ntwo' }));
    const text = joined(await piecesOf(folder, 'csv'));
    expect(text.split('\r\n')[0]).toMatch(/^id,started_at,client,/);
    expect(text).toContain(`a,${new Date(NOON).toISOString()},Cline,conversation-1,`);
    expect(text).toContain('"/a,""b"""');
    expect(text).toContain('"one\ntwo"');
    expect(text).toMatch(/,reported,1,[^,]+Z\r\n$/);
  });

  test.each(['=1+1', '+1', '-1', '@a', '\tx', '\rx', '＝1'])(
    'in CSV lets no spreadsheet evaluate %j',
    async (model) => {
      await using folder = await openHistoryFolder();
      await folder.record(anExchange('a', { modelSent: model, userAgent: model }));
      const [, cells = ''] = joined(await piecesOf(folder, 'csv')).split('\r\n');
      expect(cells.match(/,"?'[=+\-@\t\r＝]/g)).toHaveLength(2);
    },
  );

  test('has a line of names even when nothing matches, and in JSONL is empty', async () => {
    await using folder = await openHistoryFolder();
    expect(joined(await piecesOf(folder, 'csv'))).toMatch(/^id,.*\r\n$/);
    expect(await piecesOf(folder, 'jsonl')).toEqual([]);
  });

  test('ends when its signal is aborted', async () => {
    await using folder = await openHistoryFolder();
    await folder.record(...Array.from({ length: 600 }, (_, at) => anExchange(`e${at}`)));
    const ending = new AbortController();
    const seen: number[] = [];
    const pieces = folder.history.export({ filter: {}, format: 'jsonl', signal: ending.signal });
    for await (const { exchanges } of pieces) {
      seen.push(exchanges);
      ending.abort();
    }
    expect(seen).toEqual([250]);
  });
});
