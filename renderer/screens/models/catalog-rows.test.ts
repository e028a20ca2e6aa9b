import { expect, test } from 'vitest';
import type { ModelSummary } from '../../../shared/model.ts';
import { toCatalogRows, filterModels, findProvider } from './catalog-rows.ts';

function summary(model: ModelSummary['model']): ModelSummary {
  return { model, lastUsedAt: null, exchanges: 0, inputTokens: 0, outputTokens: 0 };
}

test('a model is sorted under what stands before the first slash, else under its owner', () => {
  expect(findProvider({ id: 'dune/open/dune-7b', owned_by: 'somebody' })).toBe('dune');
  expect(findProvider({ id: 'h3', owned_by: 'sandbox' })).toBe('sandbox');
  expect(findProvider({ id: '/h3', owned_by: ' ' })).toBe('Other');
  expect(findProvider({ id: 'h3', owned_by: 7 })).toBe('Other');
});

test('groups and models are in alphabetical order with numbers as numbers, those without a provider last', () => {
  const models = ['z', 'b/m-10', 'b/m-9', 'Pine/x', 'a/y'].map((id) => summary({ id }));
  const lines = toCatalogRows(models).map((line) =>
    line.kind === 'group' ? `# ${line.name} ${line.count}` : `${line.row} ${line.summary.model.id}`,
  );
  expect(lines).toEqual([
    '# a 1',
    '0 a/y',
    '# b 2',
    '1 b/m-9',
    '2 b/m-10',
    '# Pine 1',
    '3 Pine/x',
    '# Other 1',
    '4 z',
  ]);
});

test('every word must occur, in the id or in what the service says of the model', () => {
  const models = [
    summary({ id: 'a/large', title: 'Aurora Large' }),
    summary({ id: 'a/small', title: 'Aurora Small', window: 32_000 }),
  ];
  const found = (find: string) => filterModels(models, find).map(({ model }) => model.id);
  expect(found(' aurora  LARGE ')).toEqual(['a/large']);
  expect(found('a/ aurora')).toEqual(['a/large', 'a/small']);
  expect(found('32000')).toEqual([]);
  expect(found('')).toHaveLength(2);
});
