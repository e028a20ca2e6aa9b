import { describe, expect, test } from 'vitest';
import { RunningExchange } from '../../shared/history/history.ts';
import { mergeInFlight, visibleInFlight } from './in-flight.ts';

function exchange(id: string, change: object = {}): RunningExchange {
  return RunningExchange.parse({
    id,
    startedAt: 0,
    service: 'sandbox',
    clientName: 'Cline',
    route: 'chat',
    method: 'POST',
    pathReceived: '/v1/chat/completions',
    modelSent: 'a/b',
    streamed: true,
    status: null,
    stage: 'waiting',
    ownRun: null,
    ...change,
  });
}

function ids(shown: readonly RunningExchange[]): string[] {
  return shown.map(({ id }) => id);
}

describe('exchanges on their way', () => {
  test('a short exchange never shows up, a long one does', () => {
    const known = mergeInFlight([], [exchange('a')], 100);
    expect(ids(visibleInFlight(known, new Set(), 100))).toEqual([]);
    expect(ids(visibleInFlight(known, new Set(), 500))).toEqual(['a']);
    expect(ids(visibleInFlight(mergeInFlight(known, [], 200), new Set(), 600))).toEqual([]);
  });

  test('one that has ended keeps its place until the history has it', () => {
    const a = exchange('a');
    const known = mergeInFlight(mergeInFlight([], [a], 1_000), [], 2_000);
    expect(ids(visibleInFlight(known, new Set(), 2_500))).toEqual(['a']);
    expect(ids(visibleInFlight(known, new Set([a.id]), 2_500))).toEqual([]);
    expect(ids(visibleInFlight(known, new Set(), 4_500))).toEqual([]);
    expect(mergeInFlight(known, [], 4_500)).toEqual([]);
  });

  test('the newest come first, and only a few of them', () => {
    const many = Array.from({ length: 50 }, (_, n) => exchange(String(n), { startedAt: n }));
    const shown = visibleInFlight(mergeInFlight([], many, 1_000), new Set(), 1_000);
    expect(ids(shown).slice(0, 2)).toEqual(['49', '48']);
    expect(shown).toHaveLength(8);
  });
});
