import { expect, test } from 'vitest';
import { DEFAULT_FIELDS, OTHER_FIELDS } from '../../../sandbox/fields.ts';
import { isObject, openSandboxClient, readJson } from '../../kit/sandbox/sandbox-client.ts';

test('the two sets of field names share no name', () => {
  const others = new Set(Object.values(OTHER_FIELDS));
  expect(Object.values(DEFAULT_FIELDS).filter((name) => others.has(name))).toEqual([]);
});

test('the model list has a wrapper that is not called data', async () => {
  await using caller = await openSandboxClient();
  const body = await readJson(await caller.get('/v1/models'));
  expect(Object.keys(body)).toEqual(['object', 'models']);
});

test.for([
  { how: 'by header', fields: DEFAULT_FIELDS, headers: { 'x-sandbox-fields': 'other' } },
  { how: 'when the sandbox opens', fields: OTHER_FIELDS, headers: {} },
])('the other names are chosen $how', async ({ fields, headers }) => {
  await using caller = await openSandboxClient({ fields });
  const body = await readJson(await caller.get('/v1/models', headers));
  const entries = body[OTHER_FIELDS.modelList];
  const [first]: unknown[] = Array.isArray(entries) ? entries : [];
  expect(isObject(first) && Object.keys(first)).toEqual([
    'id',
    'object',
    'created',
    'owned_by',
    OTHER_FIELDS.modelTitle,
    OTHER_FIELDS.modelContext,
    OTHER_FIELDS.modelTags,
  ]);
});

test('an unknown set of field names is refused', async () => {
  await using caller = await openSandboxClient();
  expect((await caller.get('/v1/models', { 'x-sandbox-fields': 'mine' })).status).toBe(400);
});

test('there are model ids with a provider, without one, and with two slashes', async () => {
  await using caller = await openSandboxClient();
  for (const id of ['aurora/aurora-large', 'ember-mini', 'h3', 'dune/open/dune-7b']) {
    expect(await readJson(await caller.get(`/v1/models/${id}`))).toHaveProperty('id', id);
    const encoded = await caller.get(`/v1/models/${encodeURIComponent(id)}`);
    expect(await readJson(encoded)).toHaveProperty('id', id);
  }
  expect((await caller.get('/v1/models/aurora-large')).status).toBe(404);
});
