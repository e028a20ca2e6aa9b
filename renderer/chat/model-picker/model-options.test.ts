import { expect, it } from 'vitest';
import type { ModelSummary } from '../../../shared/model.ts';
import { filterOptions, toModelOptions } from './model-options.ts';

const toSummary = (id: string, fields: object = {}): ModelSummary => ({
  model: { ...fields, id },
  lastUsedAt: null,
  exchanges: 0,
  inputTokens: 0,
  outputTokens: 0,
});

const MODELS = [
  toSummary('h3', { tags: ['video'], title: 'H3 Video' }),
  toSummary('b/model-10', { display_name: 'Model Ten' }),
  toSummary('b/model-9', { name: 'b/model-9' }),
  toSummary('a/large', { label: 'Large (open weights)' }),
  // Used by traffic a moment ago, but never chosen.
  { ...toSummary('z/failed'), lastUsedAt: 99 },
  toSummary('c/small'),
];
const LIST = toModelOptions(MODELS, ['c/small', 'a/large', 'gone', 'h3']);

const found = (find: string) => filterOptions(LIST, find).map(({ id }) => id);

it('the picker lists the latest deliberate choices first, never what traffic used, and models that make videos at the end', () => {
  expect(LIST.map(({ id }) => id)).toEqual([
    'c/small',
    'a/large',
    'b/model-9',
    'b/model-10',
    'z/failed',
    'h3',
  ]);
});

it('a model is found by any words of its id or its name, in any order', () => {
  expect(found('WEIGHTS large')).toEqual(['a/large']);
  expect(found('model')).toEqual(['b/model-9', 'b/model-10']);
  expect(found('ten b/')).toEqual(['b/model-10']);
  expect(found(' ')).toHaveLength(6);
  expect(found('nowhere')).toEqual([]);
});

it('a name that only says the id again is none', () => {
  expect(LIST.find(({ id }) => id === 'b/model-9')?.title).toBeNull();
});
