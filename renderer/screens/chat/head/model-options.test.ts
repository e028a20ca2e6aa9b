import { expect, it } from 'vitest';
import type { ModelSummary } from '../../../../shared/model.ts';
import { filterOptions, toModelOptions } from './model-options.ts';

const known = (
  id: string,
  fields: object = {},
  lastUsedAt: number | null = null,
): ModelSummary => ({
  model: { ...fields, id },
  lastUsedAt,
  exchanges: 0,
  inputTokens: 0,
  outputTokens: 0,
});

const LIST = toModelOptions([
  known('h3', { tags: ['video'], title: 'H3 Video' }, 99),
  known('b/model-10', { display_name: 'Model Ten' }),
  known('b/model-9', { name: 'b/model-9' }),
  known('a/large', { label: 'Large (open weights)' }, 20),
  known('c/small', {}, 30),
]);

const found = (find: string) => filterOptions(LIST, find).map(({ id }) => id);

it('models are offered last used first, then by id, and those that make videos at the end', () => {
  expect(LIST.map(({ id }) => id)).toEqual(['c/small', 'a/large', 'b/model-9', 'b/model-10', 'h3']);
});

it('a model is found by any words of its id or its name, in any order', () => {
  expect(found('WEIGHTS large')).toEqual(['a/large']);
  expect(found('model')).toEqual(['b/model-9', 'b/model-10']);
  expect(found('ten b/')).toEqual(['b/model-10']);
  expect(found(' ')).toHaveLength(5);
  expect(found('nowhere')).toEqual([]);
});

it('a name that only says the id again is none', () => {
  expect(LIST.find(({ id }) => id === 'b/model-9')?.title).toBeNull();
});
