import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadModelList, saveModelList } from './cached-model-list.ts';
import { openStore, type Store } from '../store/store.ts';
import { listIdLabels } from './name-matching.ts';
import { type Models, type ModelsOptions, openModels } from './models.ts';

const UPSTREAM = 'https://service.test';

let folder: string;
let store: Store;
let now: number;
let fetched: number;
const opened: Models[] = [];

const listOf = (...ids: string[]) =>
  Buffer.from(JSON.stringify({ data: ids.map((id) => ({ id })) }));

async function open(options: Partial<ModelsOptions> = {}): Promise<Models> {
  const models = await openModels({
    store,
    upstream: UPSTREAM,
    fetchList: async () => {
      fetched += 1;
      return listOf('acme/large');
    },
    now: () => now,
    log: () => undefined,
    ...options,
  });
  opened.push(models);
  return models;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-models-'));
  store = await openStore(join(folder, 'gatehouse.db'));
  now = 1_000_000;
  fetched = 0;
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((models) => models.close()));
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

describe('matching', () => {
  it('fetches the list once for simultaneous requests, and not again while it is recent', async () => {
    const models = await open();
    const matches = await Promise.all(['large', 'large', 'other'].map((id) => models.match(id)));
    expect(matches).toEqual([
      { kind: 'one', id: 'acme/large' },
      { kind: 'one', id: 'acme/large' },
      { kind: 'none', suggestions: [] },
    ]);
    now += 59_999;
    await models.match('other');
    expect(fetched).toBe(1);
    now += 1;
    await models.match('other');
    expect(fetched).toBe(2);
  });

  it('never fetches for an exact id', async () => {
    const models = await open();
    models.learn(listOf('acme/large'));
    now += 3_600_000;
    expect(await models.match('acme/large')).toEqual({ kind: 'exact' });
    expect(fetched).toBe(0);
  });

  it('uses the old list when the service cannot be reached, and does not retry at once', async () => {
    const models = await open({
      fetchList: async () => {
        fetched += 1;
        throw new Error('unreachable');
      },
    });
    models.learn(listOf('acme/old'));
    now += 60_000;
    expect(await models.match('old')).toEqual({ kind: 'one', id: 'acme/old' });
    await models.match('old');
    expect(fetched).toBe(1);
    now += 10_000;
    await models.match('old');
    expect(fetched).toBe(2);
    await expect(models.refresh()).rejects.toThrow('unreachable');
    expect(models.known()).toHaveLength(1);
  });

  it('does not wait forever for an unresponsive service', async () => {
    const models = await open({ fetchList: () => new Promise<Buffer>(() => undefined) });
    expect(await models.match('large')).toEqual({ kind: 'none', suggestions: [] });
  });
});

describe('the list', () => {
  it('is stored for the next start, for this upstream only', async () => {
    const models = await open();
    await models.refresh();
    await models.close();
    now += 5_000;
    const later = await open({ fetchList: () => Promise.reject(new Error('offline')) });
    expect(later.known()).toEqual([{ id: 'acme/large' }]);
    expect(later.age()).toBe(5_000);
    const elsewhere = await open({ upstream: 'https://other.test' });
    expect(elsewhere.known()).toEqual([]);
    expect(elsewhere.age()).toBeNull();
  });

  it('is learned from passing responses, but not from a page, an error or invalid data', async () => {
    const models = await open();
    models.learn(listOf('a', 'b'));
    const others = [
      '{"data":[{"id":"c"}],"has_more":true}',
      '{"result":{"items":[{"id":"c"}],"hasNextPage":true}}',
      '{"data":[{"id":"c"}],"has_more":false,"after":"b"}',
      '{"data":[{"id":"c"}],"next_page":2}',
      '{"data":[{"id":"c"}],"pagination":{"nextCursor":"x"}}',
      '{"data":[{"id":"c"}],"_links":{"next":{"href":"/v1/models?page=2"}}}',
      '{"data":[{"id":"c"}],"has_more":false,"first_id":"a","last_id":"c"}',
      '{"error":{"message":"no"}}',
      '<html>',
      '',
    ];
    for (const other of others) models.learn(Buffer.from(other));
    expect(models.known().map((model) => model.id)).toEqual(['a', 'b']);
  });

  it.each([
    { has_more: false, first_id: 'c', last_id: 'd' },
    { next: null, after: '', before: {}, pagination: { nextCursor: null, hasNextPage: false } },
    { total: 2, next_update: '2026-12-01', created_before: 5, cursors: 'none' },
  ])('is learned when its other members show no further page: %j', async (beside) => {
    const models = await open();
    const text = JSON.stringify({ data: [{ id: 'c', next: 'x' }, { id: 'd' }], ...beside });
    models.learn(Buffer.from(text));
    expect(models.known().map((model) => model.id)).toEqual(['c', 'd']);
  });

  it('is not replaced by a response that is not a list', async () => {
    const models = await open({ fetchList: async () => Buffer.from('<html>') });
    models.learn(listOf('a'));
    await expect(models.refresh()).rejects.toMatchObject({ code: 'upstream_invalid_answer' });
    expect(models.known()).toHaveLength(1);
  });

  it('is fetched before it is needed, once, unless it is known', async () => {
    const models = await open();
    models.fetchFirst();
    models.fetchFirst();
    expect(await models.match('large')).toEqual({ kind: 'one', id: 'acme/large' });
    models.fetchFirst();
    now += 60_000;
    models.fetchFirst();
    expect(fetched).toBe(1);
  });

  it('is not fetched again before it is needed when that failed', async () => {
    const models = await open({
      fetchList: async () => {
        fetched += 1;
        throw new Error('refused');
      },
    });
    models.fetchFirst();
    await models.match('large');
    now += 60_000;
    models.fetchFirst();
    expect(fetched).toBe(1);
    await models.match('large');
    expect(fetched).toBe(2);
  });

  it('is no longer fetched once the models are closed', async () => {
    const aborted = Promise.withResolvers<void>();
    const models = await open({
      fetchList: (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.resolve();
            reject(new Error('stopped'));
          });
        }),
    });
    const refreshing = models.refresh();
    await Promise.all([models.close(), aborted.promise, expect(refreshing).rejects.toThrow()]);
  });
});

describe('a hostile list', () => {
  const SLASHES = '/'.repeat(60 * 1024);
  const LEFT_OUT =
    'One entry was omitted from the service’s model list: 1 with an id of more than 256 characters.';

  it('loses its overlong ids, which is logged, and they are not stored', async () => {
    const logged: string[] = [];
    const models = await open({ log: (level, message) => logged.push(`${level} ${message}`) });
    models.learn(listOf('acme/large', SLASHES, 'x'.repeat(256)));
    expect(models.known().map(({ id }) => id)).toEqual(['acme/large', 'x'.repeat(256)]);
    expect(models.omitted()).toBe(LEFT_OUT);
    expect(await models.match('LARGE')).toEqual({ kind: 'one', id: 'acme/large' });
    models.learn(listOf('acme/large', SLASHES, 'x'.repeat(256)));
    expect(logged).toEqual([`warn ${LEFT_OUT}`]);
    await models.close();
    const stored = await loadModelList(store, UPSTREAM);
    expect(stored?.body.length).toBeLessThan(1000);
    models.learn(listOf('acme/large'));
    expect(models.omitted()).toBeNull();
  });

  it('stored by an earlier version is limited when it is loaded, and stored so', async () => {
    const body = listOf('acme/large', SLASHES).toString();
    await saveModelList(store, UPSTREAM, { body, fetchedAt: 5 });
    const models = await open();
    expect(models.known()).toEqual([{ id: 'acme/large' }]);
    expect([models.omitted(), models.fetchedAt()]).toEqual([LEFT_OUT, 5]);
    await models.close();
    const stored = await loadModelList(store, UPSTREAM);
    expect([stored?.body.includes('//'), stored?.fetchedAt]).toEqual([false, 5]);
  });

  it('is accepted up to 10,000 models', async () => {
    const models = await open();
    models.learn(listOf(...Array.from({ length: 10_002 }, (_, n) => `acme/model-${n}`)));
    expect(models.known()).toHaveLength(10_000);
    expect(models.omitted()).toContain('2 beyond the first 10000');
  });

  it('of 100,001 models keeps 10,000 and logs the number of omitted ones', async () => {
    const models = await open();
    const data = Array.from({ length: 100_001 }, (_, n) => ({
      id: `acme/model-${n}`,
      object: 'model',
      created: n,
      owned_by: 'acme',
    }));
    const list = { object: 'list', data, first_id: 'acme/model-0', last_id: 'acme/model-100000' };
    models.learn(Buffer.from(JSON.stringify(list)));
    expect(models.known()).toHaveLength(10_000);
    expect(models.known()[9_999]).toEqual(data[9_999]);
    expect(models.omitted()).toMatch(
      /^90001 entries were omitted .*: 90001 beyond the first 10000/u,
    );
    expect(models.has('acme/model-1')).toBe(true);
  });

  it('loses invalid, overlong and deeply nested entries and keeps the others', async () => {
    const models = await open();
    const endless = `{"id":"${'x'.repeat(9 * 1024 * 1024)}"}`;
    const deep = `{"id":"deep","a":${'['.repeat(300)}${']'.repeat(300)}}`;
    const text = `{"a, [b":"]","data":[null, 7,{"id":""},${endless},${deep},{"id":"a,\\"]"},{"n":[1,2]}, {"id":"b","tags":[]}],"object":"list"}`;
    models.learn(Buffer.from(text));
    expect(models.known().map(({ id }) => id)).toEqual(['a,"]', 'b']);
    expect(models.omitted()).toBe(
      '6 entries were omitted from the service’s model list: 4 without an id in text; 2 larger than any model.',
    );
  });

  it('of models with many values keeps as many as can be parsed', async () => {
    const models = await open();
    const tags = Array.from({ length: 100 }, (_, n) => n);
    const data = Array.from({ length: 5000 }, (_, n) => ({ id: `m-${n}`, tags }));
    models.learn(Buffer.from(JSON.stringify({ data })));
    expect(models.known().length).toBeGreaterThan(2000);
    expect(models.omitted()).toContain('beyond the size limit');
  });

  it('that is too long or too deeply nested is rejected', async () => {
    const long = listOf('acme/large', 'x'.repeat(17 * 1024 * 1024));
    const models = await open({ fetchList: () => Promise.resolve(long) });
    await expect(models.refresh()).rejects.toThrow('is too long');
    models.learn(Buffer.alloc(4 * 1024 * 1024, '['));
    expect(models.known()).toEqual([]);
  });

  it('has few names for each id, however many slashes it contains', () => {
    expect(listIdLabels('a/b/c')).toEqual(['a/b/c', 'b/c', 'c']);
    expect(listIdLabels('/'.repeat(256))).toHaveLength(5);
  });
});
