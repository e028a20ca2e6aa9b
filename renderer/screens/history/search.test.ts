import { expect, test } from 'vitest';
import { readHistorySearch } from './search.ts';

test('invalid parameters of an address are left out, the rest stays', () => {
  const search = readHistorySearch({ filter: ['no', 'text'], exchange: 'ex-1', range: 'year' });
  expect(search).toEqual({ filter: undefined, exchange: 'ex-1' });
  expect(readHistorySearch({ filter: 'x'.repeat(4_001) }).filter).toBeUndefined();
  expect(readHistorySearch({ filter: 'model:a ' }).filter).toBe('model:a ');
});
