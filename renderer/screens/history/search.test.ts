import { describe, expect, test } from 'vitest';
import { toFilter, HistorySearch, isNarrowed, rangeStart } from './search.ts';

const NOW = new Date(2026, 10, 21, 15, 4, 30).getTime();

describe('the filter in the address', () => {
  test('what makes no sense in an address is left out, the rest stays', () => {
    const search = HistorySearch.parse({
      text: ['no', 'text'],
      clients: 'Cline',
      routes: ['chat', 'nonsense'],
      outcome: '9xx',
      since: 'yesterday',
      range: 'year',
      models: ['a/b'],
      repaired: true,
      unknown: 1,
    });
    expect(toFilter(search, NOW)).toEqual({ models: ['a/b'], repaired: true });
  });

  test('a time that no calendar knows is left out', () => {
    const search = HistorySearch.parse({ since: 8.7e15, until: -1 });
    expect(toFilter(search, NOW)).toEqual({});
  });

  test('an address without a filter lets everything through', () => {
    const filter = toFilter(HistorySearch.parse({ text: ' ', clients: [], exchange: 'x' }), NOW);
    expect(filter).toEqual({});
    expect(isNarrowed(filter)).toBe(false);
  });

  test('a range that is named goes before a time that is given', () => {
    const search = HistorySearch.parse({ range: 'today', since: 5 });
    expect(toFilter(search, NOW)).toEqual({ since: new Date(2026, 10, 21).getTime() });
  });

  test('the days of a range are whole days, today among them', () => {
    expect(rangeStart('week', NOW)).toBe(new Date(2026, 10, 15).getTime());
    expect(rangeStart('month', NOW)).toBe(new Date(2026, 9, 23).getTime());
    expect(rangeStart('hour', NOW)).toBe(new Date(2026, 10, 21, 14, 4).getTime());
  });
});
