import { expect, test } from 'vitest';
import type { ModelSummary } from '../../../shared/model.ts';
import { type CatalogSort, toCatalogRows, filterModels, findProvider } from './catalog-rows.ts';

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
  const lines = toCatalogRows(models, { sort: 'name', favourites: [] }).map((line) =>
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

function order(models: readonly ModelSummary[], sort: CatalogSort, favourites: readonly string[]) {
  return toCatalogRows(models, { sort, favourites }).map((line) =>
    line.kind === 'group' ? `# ${line.name}` : `${line.row} ${line.summary.model.id}`,
  );
}

const SOME = [
  { ...summary({ id: 'a/old', context_window: 8_000 }), lastUsedAt: 1 },
  { ...summary({ id: 'b/new' }), lastUsedAt: 2 },
  summary({ id: 'c/never', context_window: '128000' }),
  summary({ id: 'd/huge', context_window: Number.MAX_VALUE }),
];

test('favourites come first in every order, and one that the service does not list is left out', () => {
  expect(order(SOME, 'name', ['gone', 'c/never'])).toEqual([
    '# Favourites',
    '0 c/never',
    '# a',
    '1 a/old',
    '# b',
    '2 b/new',
    '# d',
    '3 d/huge',
  ]);
  expect(order(SOME, 'used', ['c/never']).slice(0, 3)).toEqual([
    '# Favourites',
    '0 c/never',
    '# Last used first',
  ]);
});

test('sorts by last use and by context, and what is unknown or absurd comes last', () => {
  expect(order(SOME, 'used', [])).toEqual([
    '# Last used first',
    '0 b/new',
    '1 a/old',
    '2 c/never',
    '3 d/huge',
  ]);
  expect(order(SOME, 'context', [])).toEqual([
    '# Largest context first',
    '0 c/never',
    '1 a/old',
    '2 b/new',
    '3 d/huge',
  ]);
});

test('the provider __proto__ is a group like any other, and ten thousand models are sorted', () => {
  const many = Array.from({ length: 10_000 }, (_, at) =>
    summary({ id: `__proto__/model-${at}`, context_window: at, constructor: 'x' }),
  );
  const lines = toCatalogRows(many, { sort: 'name', favourites: ['toString'] });
  expect(lines).toHaveLength(10_001);
  expect(lines[0]).toEqual({ kind: 'group', name: '__proto__', count: 10_000 });
  expect(toCatalogRows(many, { sort: 'context', favourites: [] }).at(1)).toMatchObject({
    summary: { model: { context_window: 9_999 } },
  });
});
