import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDefinedError, ORPCError, safe } from '@orpc/client';
import { afterAll, assert, beforeAll, describe, expect, test } from 'vitest';
import type { BodySearchResult } from '../../../shared/exchange/body.ts';
import type { AnswerState, ChatEvent, UserMessage } from '../../../shared/chat/chat.ts';
import { ClientId } from '../../../shared/client.ts';
import { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import { type NewPrice, NO_PRICES } from '../../../shared/money/price.ts';
import type { RecostProgress } from '../../../shared/money/recost.ts';
import { MAX_SAVED_FILTERS } from '../../../shared/saved-filter.ts';
import type { LiveEvent } from '../../../shared/status.ts';
import { type UpstreamForm, UpstreamId } from '../../../shared/upstream.ts';
import { EMPTY_FIELD_MAP } from '../../../shared/video/video.ts';
import { sendRequest, beginRequest, question } from '../../kit/gateway/request.ts';
import { orderBody, sendOrder } from '../../kit/videos/video-order.ts';
import { startWindow, type WindowHarness } from '../../kit/gateway/window.ts';
import { anId } from '../../kit/videos/video-id.ts';
import { whenState } from '../../kit/videos/queue.ts';
import { listCallNames, recordCalls } from './record-calls.ts';
import { type Client, type Connection, TRANSPORTS } from './transports.ts';

const FORM: UpstreamForm = {
  name: 'Example',
  baseUrl: 'https://models.example.com/v1/chat/completions',
  versionVendor: 'anthropic',
  caFile: null,
  proxyUrl: null,
};
const DAY = 24 * 3_600_000;
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.each(TRANSPORTS)('over $name', (transport) => {
  const called = new Set<string>();
  let window: WindowHarness;
  let connection: Connection;
  let client: Client;
  beforeAll(async () => {
    window = await startWindow();
    connection = await transport.connect(window);
    client = recordCalls(connection.client, called);
  });
  afterAll(async () => {
    connection.close();
    await window[Symbol.asyncDispose]();
  });

  describe('status', () => {
    test('the status is complete', async () => {
      const status = await client.status.get();
      expect(status).toMatchObject({
        port: window.harness.port,
        baseUrls: { chat: `${window.harness.url}/v1`, messages: window.harness.url },
        upstream: { active: true },
        repairs: true,
        running: 0,
      });
      expect(Number.isInteger(status.startedAt)).toBe(true);
    });

    test('diagnostics report versions and states, and no secret', async () => {
      const text = await client.status.diagnostics();
      expect(text).toMatch(/^Gatehouse +\S+\nNode\.js +v24\.\d+\.\d+\nSQLite +3\.\d+/u);
      expect(text).toContain(`Ports       proxy ${window.harness.port}, window ${window.port}`);
      expect(text).toMatch(/^Videos {6}\S+/mu);
      expect(text).toMatch(/^Connection {2}direct$/mu);
      expect(text).not.toContain(window.harness.sandbox.key);
      expect(text).not.toContain(window.harness.localKey);
    });

    test('events start with hello, and a recorded exchange is emitted', async () => {
      await using events = await follow(client);
      const { engine } = await client.status.get();
      expect(await events.next()).toEqual({ kind: 'hello', engine });
      const event = events.first('history');
      await sendRequest(window.harness, question('chat'));
      expect(await event).toEqual({ kind: 'history', written: 1 });
    });

    test('a running exchange and a change are emitted', async () => {
      await using events = await follow(client);
      await events.next();
      expect(await events.next()).toEqual({ kind: 'running', exchanges: [], total: 0 });
      const slow = question('chat', { headers: ['x-sandbox-scenario: slow-first-byte=60000'] });
      const { socket } = await beginRequest(window.harness, slow);
      const running = await events.first('running');
      expect(running).toMatchObject({ total: 1, exchanges: [{ route: 'chat', status: null }] });
      socket.destroy();
      await events.first('history');
      await window.harness.repositories.clients.add(`Heard over ${transport.name}`);
      await events.whenChanged('clients');
    });

    test('clients are rejected during a pause, and each change is emitted', async () => {
      await using events = await follow(client);
      await events.next();
      await client.status.pause();
      await events.whenChanged('status');
      expect((await client.status.get()).paused).toBe(true);
      expect(await client.status.diagnostics()).toMatch(/^Running .*, paused$/mu);
      expect((await sendRequest(window.harness, question('chat'))).status).toBe(503);
      await client.status.resume();
      await events.whenChanged('status');
      expect((await client.status.get()).paused).toBe(false);
      expect((await sendRequest(window.harness, question('chat'))).status).toBe(200);
    });

    test('a window cannot end Gatehouse', async () => {
      await expect(client.status.stop()).rejects.toThrow('cannot be ended by a command');
    });

    test('the status reports a reached limit and the latest failure', async () => {
      expect(await client.status.get()).toMatchObject({ limitedAt: null, lastError: null });
      // A video order is not retried, so the test does not wait for retries.
      const limited = ['x-sandbox-scenario: rate-limit-forever'];
      const order = orderBody('https://files.example.com/cat.png');
      const { headers } = await sendOrder(window.harness, order, limited);
      const exchangeId = headers.get('x-gatehouse-exchange');
      expect(await window.harness.recordOf(exchangeId)).toMatchObject({ status: 429 });
      const { limitedAt, lastError } = await client.status.get();
      expect(limitedAt).toBeTypeOf('number');
      expect(lastError).toEqual({ sentence: expect.any(String), at: limitedAt, exchangeId });
      const well = await sendRequest(window.harness, question('chat'));
      await window.harness.recordOf(well.headers.get('x-gatehouse-exchange'));
      expect(await client.status.get()).toMatchObject({ limitedAt: null, lastError });
    });

    test('a closed window is removed from the listeners', async () => {
      const events = await follow(client);
      await events.next();
      await window.whenListeners(1);
      await events[Symbol.asyncDispose]();
      await window.whenListeners(0);
    });
  });

  test('a broken connection is removed from the listeners', async () => {
    const breaking = await transport.connect(window);
    const events = await breaking.client.status.events();
    await events.next();
    await window.whenListeners(1);
    breaking.close();
    await events.return?.(undefined).catch(() => undefined);
    await window.whenListeners(0);
  });

  describe('home and history', () => {
    beforeAll(async () => {
      await window.harness.gateway.history.erase();
      await sendRequest(window.harness, question('chat'));
      await sendRequest(window.harness, question('messages', { model: 'AURORA-small' }));
      await sendRequest(window.harness, question('responses', { stream: true }));
      await window.harness.recorded(3);
    });

    test('the last 30 days end with today', async () => {
      const days = await client.home.days();
      expect(days).toHaveLength(30);
      expect(days.at(-1)).toMatchObject({ exchanges: 3, errors: 0 });
      expect(days.at(0)).toMatchObject({ exchanges: 0, input: null });
    });

    test('the usage of a period has its steps, and its groups', async () => {
      const [today] = (await client.home.days()).slice(-1);
      const day = today?.day ?? '';
      const period = { since: day, until: day };
      const overview = await client.usage.overview(period);
      expect(overview.totals).toMatchObject({ exchanges: 3, errors: 0, cost: null });
      expect(overview.before.exchanges).toBe(0);
      expect(overview.steps.reduce((sum, { exchanges }) => sum + exchanges, 0)).toBe(3);
      const routes = await client.usage.groups({ ...period, by: 'route' });
      expect(routes.groups.map(({ name }) => name).toSorted()).toEqual([
        'chat',
        'messages',
        'responses',
      ]);
      expect(await client.usage.groups({ ...period, by: 'tag' })).toEqual({ groups: [], more: 0 });
      await client.usage.groups({ ...period, by: 'run' });
      expect(await client.usage.priceable(period)).toEqual({ exchanges: 0, since: null });
      const [error] = await safe(client.usage.overview({ since: day, until: '2000-01-01' }));
      expect(error?.message).toBe('The period ends before it begins.');
    });

    test('a repair or two with the sandbox need no attention', async () => {
      await client.home.dismiss({ id: 'nothing', at: 0 });
      const kinds = (await client.home.attention()).map(({ kind }) => kind);
      expect(kinds).not.toContain('key');
      expect(kinds).not.toContain('dropped');
    });

    test('pages follow each other, newest first', async () => {
      const first = await client.history.page({ filter: {}, limit: 2 });
      expect(first.exchanges.map(({ route }) => route)).toEqual(['responses', 'messages']);
      assert(first.next !== null);
      const last = await client.history.page({ filter: {}, limit: 2, before: first.next });
      expect(last.exchanges.map(({ route }) => route)).toEqual(['chat']);
      expect(last.next).toBeNull();
      const repaired = await client.history.page({ filter: { repaired: true }, limit: 10 });
      expect(repaired.exchanges.map(({ route }) => route)).toEqual(['messages']);
    });

    test('an exchange has all its fields: nulls, numbers and repairs', async () => {
      const { exchanges } = await client.history.page({ filter: { repaired: true }, limit: 1 });
      const id = exchanges[0]?.id ?? ExchangeId.parse('none');
      const { exchange } = await client.history.get({ id });
      expect(exchange).toMatchObject({ modelAsked: 'AURORA-small', errorCode: null, status: 200 });
      expect(exchange.modelSent).toBe('aurora/aurora-small');
      expect(exchange.repairs[0]?.advice).toContain('model id');
      expect(exchange.durationMs).toBeGreaterThan(0);
    });

    test('a missing exchange is a problem of the contract', async () => {
      const result = await safe(client.history.get({ id: ExchangeId.parse('none') }));
      assert(isDefinedError(result.error));
      expect(result.error.code).toBe('NOT_FOUND');
      expect(result.error.message).toContain('not in the history');
    });

    test('exchanges are counted by client, and models are listed by name', async () => {
      expect(await client.history.count({ filter: {}, upTo: 100 })).toBe(3);
      expect(await client.history.count({ filter: {}, upTo: 2 })).toBe(2);
      const names = await client.history.names();
      expect(names.clients).toEqual(['Test']);
      expect(names.models).toContain('aurora/aurora-small');
      expect(names.tools).toEqual([]);
    });

    test('filters are saved, renamed and removed, and only a few that mean something', async () => {
      const { filters } = client.history;
      await filters.save({ name: 'Broken', text: 'failed' });
      await filters.save({ name: 'Broken', text: 'failed client:Test' });
      await filters.save({ name: 'Again', text: 'repaired' });
      await filters.rename({ name: 'Broken', to: 'Zed' });
      expect(await filters.list()).toEqual([
        { name: 'Again', text: 'repaired' },
        { name: 'Zed', text: 'failed client:Test' },
      ]);
      const taken = await errorOf(filters.rename({ name: 'Zed', to: 'Again' }));
      expect(taken).toMatchObject({ code: 'REFUSED', data: { field: 'to' } });
      const gone = await errorOf(filters.rename({ name: 'Broken', to: 'New' }));
      expect(gone).toMatchObject({ code: 'NOT_FOUND' });
      const wrong = await errorOf(filters.save({ name: 'x', text: 'modle:x' }));
      expect(wrong.message).toContain('Did you mean model?');
      const more = Array.from({ length: MAX_SAVED_FILTERS - 2 }, (_, at) => `m${at}`);
      for (const name of more) await filters.save({ name, text: 'failed' });
      const many = await errorOf(filters.save({ name: 'one more', text: 'failed' }));
      expect(many.message).toContain('Delete one first');
      await filters.save({ name: 'm1', text: 'stream' });
      for (const name of [...more, 'Again', 'Zed', 'never was']) await filters.remove({ name });
      expect(await filters.list()).toEqual([]);
    });

    test('the requests of an agent are grouped in runs', async () => {
      const all = { filter: { single: true }, limit: 10 };
      const { runs } = await client.history.runs(all);
      expect(runs.map(({ title }) => title)).toContain('Hallo, wie geht es?');
      const id = runs[0]?.id ?? RunId.parse('none');
      const { run, sequences, isInHistory, costs } = await client.history.run({ id });
      expect(runs[0]).toMatchObject(run);
      expect(runs[0]?.money).toMatchObject({ isFree: false });
      expect(isInHistory).toBe(true);
      const found = await client.history.page({ filter: { run: id }, limit: 10 });
      expect(found.exchanges).toHaveLength(run.steps);
      const services = new Set(found.exchanges.map(({ service }) => service));
      expect(new Set(Object.values(costs).map(({ service }) => service))).toEqual(services);
      const step = sequences[0]?.steps[0];
      assert(step !== undefined);
      expect(await client.history.step({ id: step.id })).toMatchObject({ run: id, number: 1 });
      expect(await client.history.step({ id: ExchangeId.parse('none') })).toBeNull();
      let fixture = '';
      for await (const { text, steps } of await client.history.fixture({ id })) {
        fixture += text;
        expect(steps).toBe(1);
      }
      expect(JSON.parse(fixture)).toMatchObject({ steps: [{ when: { tools: false } }] });
      const missing = await errorOf(client.history.run({ id: RunId.parse('none') }));
      expect(missing.message).toContain('not stored');
    });

    test('exchanges are found by the texts of their requests and responses', async () => {
      const found: BodySearchResult[] = [];
      for await (const result of await client.history.searchBodies({ texts: ['hello'] })) {
        found.push(result);
      }
      const [last] = found.slice(-1);
      assert(last !== undefined);
      expect(last.state).toBe('done');
      expect(last.ids.length).toBeGreaterThan(0);
      const filter = { single: true, exchanges: last.ids };
      const { runs, matches } = await client.history.runs({ filter, limit: 10 });
      expect(runs.length).toBeGreaterThan(0);
      expect(Object.keys(matches).toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
      const { exchanges } = await client.history.page({ filter: { ids: last.ids }, limit: 10 });
      expect(exchanges.length).toBeGreaterThan(0);
      expect(await client.history.count({ filter: { ids: [] }, upTo: 10 })).toBe(0);
    });

    test('requests and responses are returned, measured and deleted', async () => {
      const { exchanges } = await client.history.page({ filter: {}, limit: 1 });
      const id = exchanges[0]?.id ?? ExchangeId.parse('ex-0000000000000000');
      const bodies = await client.history.bodies({ id });
      expect(bodies).toMatchObject({ state: 'kept', returned: { binary: false } });
      expect((await client.history.bodiesSize()).exchanges).toBeGreaterThan(0);
      await client.history.eraseBodies();
      expect(await client.history.bodies({ id, isRebuilt: false })).toMatchObject({
        state: 'absent',
      });
      expect(await client.history.bodiesSize()).toMatchObject({
        exchanges: 0,
        plain: 0,
        stored: 0,
      });
    });

    test('an export arrives in chunks of complete lines', async () => {
      const csv = await gather(client.history.export({ filter: {}, format: 'csv' }));
      expect(csv.text.trim().split('\n')).toHaveLength(4);
      const lines = await gather(client.history.export({ filter: {}, format: 'jsonl' }));
      const read = lines.text
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      expect(read).toHaveLength(3);
      expect([csv.exchanges, lines.exchanges]).toEqual([3, 3]);
      const { exchanges } = await client.history.page({ filter: {}, limit: 1 });
      const id = exchanges[0]?.id ?? ExchangeId.parse('none');
      const only = { kind: 'exchange', id } as const;
      const one = await gather(client.history.export({ filter: {}, format: 'har', only }));
      expect([one.exchanges, one.text.includes(id)]).toEqual([1, true]);
      const run = { kind: 'run', id: RunId.parse('none') } as const;
      const missing = client.history.export({ filter: {}, format: 'md', only: run });
      expect((await errorOf(gather(missing))).message).toContain('This run is not stored');
    });

    test('invalid input is rejected before anything is done', async () => {
      const error = await errorOf(client.history.page({ filter: {}, limit: 0 }));
      expect(error).toMatchObject({ code: 'BAD_REQUEST', defined: false });
      expect(JSON.stringify(error.data)).toContain('limit');
    });
  });

  describe('marks and deletion', () => {
    beforeAll(async () => {
      await window.harness.gateway.history.erase();
      await window.harness.gateway.bodies.erase();
      await sendRequest(window.harness, question('chat', { text: 'Guten Morgen' }));
      await sendRequest(window.harness, question('messages', { text: 'Gute Nacht' }));
      await window.harness.recorded(2);
    });

    test('an exchange is pinned, noted and tagged, and every window is told', async () => {
      await using events = await follow(client);
      await events.next();
      const { exchanges } = await client.history.page({ filter: {}, limit: 1 });
      const id = exchanges[0]?.id ?? ExchangeId.parse('none');
      const change = { pinned: true, note: ' Look again. ', addTags: ['bug'] };
      const mark = await client.history.mark({ id, change });
      await events.whenChanged('exchanges');
      expect(mark).toMatchObject({ pinned: true, note: 'Look again.', tags: ['bug'] });
      expect((await client.history.get({ id })).mark).toEqual(mark);
      const summary = { pinned: true, tags: ['bug'], hasNote: true };
      const none = ExchangeId.parse('none');
      expect(await client.history.marks({ ids: [none, id] })).toEqual([{ id, mark: summary }]);
      const filter = { pinned: true, tags: ['b*'], notes: ['again'] };
      expect((await client.history.page({ filter, limit: 9 })).exchanges).toMatchObject([
        { id, mark: summary },
      ]);
      expect((await client.history.names()).tags).toEqual(['bug']);
      await client.history.mark({ id, change: { pinned: false, note: '', removeTags: ['bug'] } });
      expect((await client.history.get({ id })).mark).toBeNull();
    });

    test.each([
      [{ note: 'x'.repeat(2_001) }, 'at most 2000 characters'],
      [{ addTags: ['two words'] }, 'no spaces'],
      [{ addTags: ['x'.repeat(41)] }, '1 to 40 characters'],
      [{ addTags: Array.from({ length: 21 }, (_, at) => `t${at}`) }, 'At most 20 tags'],
    ])('a mark that is too large is refused: %j', async (change, words) => {
      const { exchanges } = await client.history.page({ filter: {}, limit: 1 });
      const id = exchanges[0]?.id ?? ExchangeId.parse('none');
      const error = await errorOf(client.history.mark({ id, change }));
      expect(error.code).toBe('BAD_REQUEST');
      expect(JSON.stringify(error.data)).toContain(words);
    });

    test('a run is pinned and deleted with all its exchanges, once', async () => {
      const { history } = client;
      const { runs } = await history.runs({ filter: { single: true }, limit: 10 });
      const { id = RunId.parse('none'), steps } = runs[0] ?? {};
      expect(await history.pinRun({ id, pinned: true })).toBe(steps);
      expect((await history.run({ id })).run.pinned).toBe(steps);
      expect(await history.count({ filter: { pinned: true }, upTo: 9 })).toBe(steps);
      expect(await history.pinRun({ id, pinned: false })).toBe(steps);
      expect((await history.run({ id })).run.pinned).toBe(0);
      const before = await history.bodiesSize();
      const both = [safe(history.deleteRun({ id })), safe(history.deleteRun({ id }))];
      const [deleted, again] = (await Promise.all(both)).toSorted(
        (a, b) => Number(a.error !== null) - Number(b.error !== null),
      );
      expect(deleted?.data).toBe(steps);
      expect(again?.error?.message).toContain('This run is not stored, or was deleted.');
      expect((await history.bodiesSize()).exchanges).toBe(before.exchanges - (steps ?? 0));
      expect(await history.count({ filter: {}, upTo: 9 })).toBe(2 - (steps ?? 0));
      const gone = await errorOf(history.pinRun({ id, pinned: true }));
      expect(gone).toMatchObject({ code: 'NOT_FOUND' });
    });

    test('an exchange is deleted with its bodies, once, and not while it is in flight', async () => {
      const answer = await sendRequest(window.harness, question('chat'));
      const id = ExchangeId.parse(answer.headers.get('x-gatehouse-exchange'));
      await window.harness.recordOf(id);
      await client.history.mark({ id, change: { pinned: true } });
      await using events = await follow(client);
      await events.next();
      const both = [safe(client.history.delete({ id })), safe(client.history.delete({ id }))];
      const errors = (await Promise.all(both)).map(({ error }) => error?.message ?? '');
      expect(errors.toSorted()).toEqual(['', expect.stringContaining('was deleted')]);
      expect(await events.first('history')).toEqual({ kind: 'history', written: 0 });
      expect(await client.history.bodies({ id })).toMatchObject({ state: 'absent' });
      expect(await errorOf(client.history.get({ id }))).toMatchObject({ code: 'NOT_FOUND' });
      const slow = question('chat', { headers: ['x-sandbox-scenario: slow-first-byte=60000'] });
      const { socket } = await beginRequest(window.harness, slow);
      let flying = ExchangeId.parse('none');
      while (flying === 'none') {
        const { exchanges } = await events.first('running');
        flying = exchanges[0]?.id ?? flying;
      }
      const refused = await errorOf(client.history.delete({ id: flying }));
      expect(refused).toMatchObject({ code: 'REFUSED' });
      expect(refused.message).toContain('still in progress');
      const marked = await errorOf(client.history.mark({ id: flying, change: { pinned: true } }));
      expect(marked.message).toContain('still in progress');
      socket.destroy();
      expect(await window.harness.recordOf(flying)).toMatchObject({ endedBy: 'client' });
      await client.history.delete({ id: flying });
    });
  });

  describe('models', () => {
    test('the list is fetched, and contains the used models', async () => {
      const list = await client.models.refresh();
      expect(list.problem).toBeNull();
      expect(list.fetchedAt).toBeGreaterThan(Date.now() - DAY);
      expect(await client.models.list()).toEqual(list);
      const used = list.models.find(({ model }) => model.id === 'aurora/aurora-small');
      expect(used?.exchanges).toBeGreaterThan(0);
      expect(used?.model['display_name']).toBe('Aurora Small');
    });

    test.each([
      ['aurora/aurora-small', 'exact', 'exact id'],
      ['aurora-small', 'one', 'prefix aurora/ is missing'],
      ['Aurora/Aurora-Small', 'one', 'letter case'],
      ['AURORA-small', 'one', 'prefix aurora/ is missing, and the letter case'],
      ['Aurora Small', 'one', 'display name'],
      ['aurora-smull', 'none', 'no permission for it, it is offline'],
    ])('the name %s is explained', async (name, kind, words) => {
      const meaning = await client.models.explain({ name });
      expect(meaning).toMatchObject({ kind });
      expect(meaning.sentence).toContain(words);
    });

    test('an inexact model name is not resolved while repairs are off', async () => {
      await client.settings.change({ repairs: false });
      const { sentence } = await client.models.explain({ name: 'aurora-small' });
      expect(sentence).toContain('repairs are off, so the name is sent unchanged');
      await client.settings.change({ repairs: true });
      const again = await client.models.explain({ name: 'aurora-small' });
      expect(again.sentence).toContain('Gatehouse sends the exact id instead');
    });

    test('a model is tested by one call of the window, which is recorded', async () => {
      const trial = await client.models.try({ model: 'aurora/aurora-small' });
      expect(trial).toMatchObject({ works: true, status: 200 });
      expect(trial.text).not.toBe('');
      const record = await window.harness.recordOf(trial.exchangeId);
      expect(record).toMatchObject({ clientName: 'Window', modelSent: 'aurora/aurora-small' });
    });

    test('a stored request is sent again', async () => {
      const { exchanges } = await client.history.page({
        filter: { clients: ['Window'] },
        limit: 1,
      });
      const id = exchanges[0]?.id ?? ExchangeId.parse('none');
      const replayed = { id, changed: { model: 'isle/isle-pro' }, removed: [] };
      const replay = async (input: typeof replayed) => {
        const events = [];
        for await (const event of await client.history.replay(input)) events.push(event);
        return events;
      };
      expect(await replay(replayed)).toMatchObject([
        { kind: 'started' },
        { kind: 'ended', response: { status: 200, exchange: { clientName: 'Replay' } } },
      ]);
      const size = { bytes: 5, images: 0, maxTokens: null, continues: true };
      const first = { bytes: 5, images: 0, continues: true, input: 2, output: null };
      const draft = { models: ['never/heard-of'], ...size, first };
      expect(await client.history.estimateReplay(draft)).toEqual([
        { model: 'never/heard-of', sent: 'never/heard-of', amount: null },
      ]);
      const missing = await errorOf(replay({ ...replayed, id: ExchangeId.parse('none') }));
      expect(missing.message).toContain('not in the history');
    });

    test('a failing model is reported with the message of the service', async () => {
      const trial = await client.models.try({ model: 'no-such-model' });
      expect(trial).toMatchObject({ works: false, status: 404 });
      expect(trial.text).toContain('no-such-model');
    });
  });

  describe('clients', () => {
    test('a client is added, renamed, given another key and revoked', async () => {
      const added = await client.clients.add({ name: '  My editor ' });
      expect(added.client).toMatchObject({ name: 'My editor', revokedAt: null });
      const { id } = added.client;
      expect(await statusWith(added.key)).toBe(200);
      await client.clients.rename({ id, name: 'My other editor' });
      await client.clients.setExpiry({ id, expiresAt: Date.now() + 3_600_000 });
      await client.clients.setKeepBodies({ id, days: 0 });
      await client.clients.setModels({ id, models: ['ember-*'] });
      expect(await statusWith(added.key)).toBe(200);
      await client.clients.setModels({ id, models: null });
      expect((await client.clients.list()).find((one) => one.id === id)?.expired).toBe(false);
      const renewed = await client.clients.renew({ id, expiresAt: null });
      expect(renewed.client).toMatchObject({ id, name: 'My other editor' });
      expect([await statusWith(added.key), await statusWith(renewed.key)]).toEqual([401, 200]);
      const limit = { measure: 'requests', amount: 9, period: 'day', rolling: false } as const;
      const { amount: _, ...kind } = limit;
      expect(await client.clients.limits.used({ ...kind, clientId: id })).toEqual({ used: 0 });
      await client.clients.limits.set({ ...limit, clientId: id });
      const [set] = await client.clients.limits.list();
      expect(set).toMatchObject({ ...limit, clientName: 'My other editor' });
      if (set !== undefined) {
        await client.clients.limits.allow({ id: set.id, exception: 'once' });
        const [allowed] = await client.clients.limits.list();
        expect(allowed?.allowedOnceAt).toBeTypeOf('number');
        await client.clients.limits.remove({ id: set.id });
      }
      expect(await client.clients.limits.list()).toEqual([]);
      await client.clients.stop({ id });
      expect(await client.home.attention()).toMatchObject([
        { kind: 'runaway', clientId: id, run: null, cause: null, stopped: true },
      ]);
      expect(await client.clients.resume({ id })).toBe(true);
      expect(await client.clients.resume({ id })).toBe(false);
      await client.clients.hold.next({ id, seconds: 30 });
      expect(await client.clients.hold.list()).toEqual({
        next: [{ clientId: id, clientName: 'My other editor', seconds: 30 }],
        held: [],
      });
      expect(await client.clients.hold.cancel({ id })).toBe(true);
      expect((await client.clients.terminal()).key).toMatch(/^gh-/u);
      await client.clients.revoke({ id });
      expect(await statusWith(renewed.key)).toBe(401);
      const listed = (await client.clients.list()).find((one) => one.id === id);
      expect(listed).toMatchObject({ name: 'My other editor', kind: 'stored' });
      expect(listed?.revokedAt).toBeTypeOf('number');
      expect(JSON.stringify(await client.clients.list())).not.toContain(renewed.key);
    });

    test('a duplicate name is rejected at its field', async () => {
      const result = await safe(client.clients.add({ name: 'test' }));
      assert(isDefinedError(result.error) && result.error.code === 'REFUSED');
      expect(result.error.status).toBe(422);
      expect(result.error.data.field).toBe('name');
      expect(result.error.message).toContain('already');
    });

    test('a missing client is a problem of the contract', async () => {
      const id = ClientId.parse('none');
      const calls = [
        client.clients.rename({ id, name: 'x' }),
        client.clients.renew({ id, expiresAt: null }),
        client.clients.revoke({ id }),
        client.clients.stop({ id }),
        client.clients.hold.next({ id }),
        client.clients.hold.read({ id: ExchangeId.parse('none') }),
        client.clients.hold.extend({ id: ExchangeId.parse('none'), seconds: 60 }),
        client.clients.hold.send({ id: ExchangeId.parse('none') }),
        client.clients.hold.refuse({ id: ExchangeId.parse('none'), reason: '' }),
      ];
      for (const error of await Promise.all(calls.map(errorOf))) {
        expect(error).toMatchObject({ defined: true });
      }
    });

    test.each(['', '  ', 'two\nlines', 'x'.repeat(65)])('%j is not a valid name', async (name) => {
      expect(await errorOf(client.clients.add({ name }))).toMatchObject({ code: 'BAD_REQUEST' });
    });
  });

  describe('doctor', () => {
    test('all parts are checked, each with its findings', async () => {
      const parts = ['gatehouse', 'service', 'programs'] as const;
      const runs = await Promise.all(parts.map((part) => client.doctor.run({ part })));
      const [own, service, programs] = runs.map(({ groups }) => groups);
      expect(own?.map(({ id, title }) => [id, title])).toEqual([['gatehouse', 'Gatehouse']]);
      const port = own?.[0]?.findings.find(({ check }) => check === 'port');
      expect(port).toMatchObject({ state: 'ok', advice: '', command: null, action: null });
      expect(service?.[0]?.findings.find(({ check }) => check === 'service')?.state).toBe('ok');
      expect(programs).toEqual([]);
    });

    test('calls at the same moment from two windows get the same result', async () => {
      const other = await transport.connect(window);
      const both = [client, other.client].map((one) => one.doctor.run({ part: 'gatehouse' }));
      const [one, second] = await Promise.all(both);
      expect(second).toEqual(one);
      other.close();
    });

    test('a model is tried with each protocol, under a name only', async () => {
      const found = await client.doctor.try({ model: 'aurora/aurora-small' });
      expect(found.map(({ check, state }) => `${check} ${state}`)).toEqual([
        'chat ok',
        'responses ok',
        'messages ok',
      ]);
      expect(await errorOf(client.doctor.try({ model: '' }))).toMatchObject({
        code: 'BAD_REQUEST',
      });
    });

    test('a report has the findings and the state, and no secret', async () => {
      const text = await client.doctor.report();
      expect(text).toContain('ok    Gatehouse is running at');
      expect(text).toMatch(/^Gatehouse +\S+\nNode\.js +v24/mu);
      expect(text).not.toContain(window.harness.sandbox.key);
      expect(text).not.toContain(window.harness.localKey);
    });
  });

  describe('connections', () => {
    const choice = { program: 'claude-code', model: 'aurora/aurora-large' } as const;
    let file: string;
    beforeAll(() => {
      file = join(window.harness.home, '.claude', 'settings.json');
    });
    const find = async () =>
      (await client.connections.list()).find(({ id }) => id === choice.program);

    test('a program is connected as its preview says, and disconnected', async () => {
      expect(await find()).toMatchObject({
        foundAt: join(window.harness.home, 'bin', 'claude'),
        connection: null,
      });
      const { token, files } = await client.connections.preview(choice);
      expect(files).toMatchObject([{ path: file, change: 'create' }]);
      const made = await client.connections.connect({ ...choice, token });
      expect(made).toMatchObject({ client: { name: 'Claude Code' }, files: [file] });
      expect(JSON.stringify(made)).not.toContain('gh-');
      const key = /gh-[\w-]{43}/u.exec(await readFile(file, 'utf8'))?.[0] ?? '';
      expect(await statusWith(key)).toBe(200);
      expect(await find()).toMatchObject({
        connection: {
          client: made.client,
          address: window.harness.url,
          files: [{ state: 'as-written' }],
        },
      });
      const late = await errorOf(client.connections.connect({ ...choice, token }));
      expect(late).toMatchObject({ code: 'REFUSED', defined: true });
      const { addresses, key: found } = await client.connections.diagnose({
        program: 'claude-code',
      });
      expect([addresses, found]).toMatchObject([[{ state: 'right' }], { state: 'valid' }]);
      const undo = await client.connections.previewUndo({ program: 'claude-code' });
      expect(undo.files).toMatchObject([{ path: file, change: 'delete' }]);
      const undone = await client.connections.disconnect({ program: 'claude-code' });
      expect(undone).toMatchObject({ complete: true, files: [{ result: 'deleted' }] });
      expect(await statusWith(key)).toBe(401);
      const gone = await errorOf(client.connections.disconnect({ program: 'claude-code' }));
      expect(gone).toMatchObject({ code: 'NOT_FOUND', defined: true });
    });

    test('a revoked client takes the settings of its program back', async () => {
      const { token } = await client.connections.preview(choice);
      const made = await client.connections.connect({ ...choice, token });
      await client.clients.revoke({ id: made.client.id });
      expect(await find()).toMatchObject({ connection: null });
      await expect(readFile(file, 'utf8')).rejects.toThrow('ENOENT');
    });
  });

  describe('upstreams', () => {
    test('an address is parsed as users paste it', async () => {
      const read = await client.upstreams.read({ text: FORM.baseUrl });
      expect(read.url).toBe('https://models.example.com');
      expect(read.corrections).toHaveLength(1);
      const error = await errorOf(client.upstreams.read({ text: 'nonsense' }));
      expect(error).toMatchObject({ code: 'REFUSED', defined: true, data: { field: 'text' } });
    });

    test('an upstream is added, changed, activated and removed', async () => {
      const { upstream: added } = await client.upstreams.add(FORM);
      if (added === null) throw new Error('Not added.');
      expect(added).toMatchObject({ baseUrl: 'https://models.example.com', active: false });
      const { id } = added;
      const form = { ...FORM, name: 'Renamed', versionVendor: 'vendor', asksCacheReason: true };
      expect(await client.upstreams.change({ id, form })).toMatchObject({ name: 'Renamed' });
      expect(await errorOf(client.upstreams.add(FORM))).toMatchObject({
        code: 'REFUSED',
        data: { field: 'baseUrl' },
      });
      const listed = await client.upstreams.list();
      expect(listed.find((upstream) => upstream.id === id)).toMatchObject({
        versionVendor: 'vendor',
        asksCacheReason: true,
        key: { name: 'missing' },
      });
      expect(listed.at(-1)).toMatchObject({ kind: 'sandbox' });
      const before = (await client.status.get()).upstream;
      await client.upstreams.use({ id });
      expect(await client.status.get()).toMatchObject({ upstream: { id, active: true } });
      // Nothing works without a key, so this comes first.
      expect((await client.home.attention())[0]).toMatchObject({ kind: 'key', at: null });
      await client.upstreams.use({ id: before.id });
      expect((await client.status.get()).upstream).toEqual(before);
      await client.upstreams.remove({ id });
      expect((await client.upstreams.list()).some((upstream) => upstream.id === id)).toBe(false);
    });

    test('the places for a service key are listed, the file among them', async () => {
      const places = await client.upstreams.keyPlaces();
      expect(places).toContainEqual({ place: 'file', works: true, reason: null });
    });

    test('adding a service is all or nothing: nothing is added when its test fails', async () => {
      const before = await client.upstreams.list();
      const form = { ...FORM, baseUrl: 'http://127.0.0.1:9', key: 'sk-a-key-of-the-service' };
      const { upstream, test: report } = await client.upstreams.add(form);
      expect([upstream, report?.works]).toEqual([null, false]);
      expect(await client.upstreams.list()).toEqual(before);
    });

    test('without a keychain a key is rejected with the reason, and an invalid key at its field', async () => {
      const { upstream } = await client.upstreams.add(FORM);
      if (upstream === null) throw new Error('Not added.');
      const { id } = upstream;
      const key = 'sk-a-key-of-the-service';
      const place = 'keychain';
      expect(await errorOf(client.upstreams.saveKey({ id, key, place }))).toMatchObject({
        code: 'REFUSED',
        message: expect.stringContaining('no keychain'),
      });
      const spaced = await errorOf(client.upstreams.saveKey({ id, key: 'two words', place }));
      expect(spaced).toMatchObject({ code: 'REFUSED', data: { field: 'key' } });
      expect(JSON.stringify(spaced)).not.toContain('two words');
      expect(await client.upstreams.readKey({ id })).toMatchObject({ name: 'missing' });
      expect(await client.upstreams.forgetKey({ id })).toMatchObject({ name: 'missing' });
      await client.upstreams.remove({ id });
    });

    test('a missing upstream cannot be activated, changed or removed', async () => {
      const id = UpstreamId.parse('none');
      const calls = [
        client.upstreams.use({ id }),
        client.upstreams.remove({ id }),
        client.upstreams.readKey({ id }),
        client.upstreams.change({ id, form: FORM }),
      ];
      const errors = await Promise.all(calls.map(errorOf));
      expect(errors.map(({ code }) => code)).toEqual(calls.map(() => 'NOT_FOUND'));
    });

    test('a connection test reports a readable result', async () => {
      const form = { ...FORM, baseUrl: 'http://127.0.0.1:1' };
      const verdict = await client.upstreams.test({ form, key: 'some-key-to-try' });
      expect(verdict).toMatchObject({ works: false, models: null });
      expect(verdict.sentence).not.toContain('some-key-to-try');
      const works = { ...FORM, baseUrl: window.harness.sandbox.url };
      const good = await client.upstreams.test({ form: works, key: window.harness.sandbox.key });
      expect(good).toMatchObject({ works: true, models: expect.any(Number) });
    });
  });

  describe('videos', () => {
    const request = { model: 'h3', task: 'ref2va', seconds: '4', resolution: '480p', more: {} };
    const video = { ...request, prompt: 'A fox runs', image: null, waitMinutes: 30 };

    test('an image arrives in chunks, and only a complete one is stored', async () => {
      const bytes = Buffer.from(PNG, 'base64');
      const { upload } = await client.videos.image.begin({ name: 'fox.png', bytes: bytes.length });
      const first = bytes.subarray(0, 30).toString('base64');
      await client.videos.image.append({ upload, base64: first });
      const error = await errorOf(client.videos.image.finish({ upload }));
      expect(error).toMatchObject({ code: 'REFUSED', defined: true });
      const again = await client.videos.image.begin({ name: 'fox.png', bytes: bytes.length });
      await client.videos.image.append({ ...again, base64: bytes.toString('base64') });
      const image = await client.videos.image.finish(again);
      expect(image).toMatchObject({ name: 'fox.png', type: 'image/png', bytes: bytes.length });
      const drafted = { ...video, image: image.hash };
      const draft = await client.videos.add({ id: anId(), video: drafted, confirmed: false });
      expect(draft).toMatchObject({ state: 'draft', image, service: { gone: false } });
      const { data, error: none } = await safe(
        client.videos.media({ kind: 'image', hash: image.hash }),
      );
      // Only a browser loads files by an address.
      if (transport.name === 'HTTP') expect(data?.url).toMatch(/^\/media\//u);
      else expect(none).toMatchObject({ code: 'REFUSED' });
      await client.videos.remove({ id: draft.id, deleteFile: false });
    });

    test('a draft is changed and removed, and both are emitted', async () => {
      await using events = await follow(client);
      await events.next();
      const event = events.whenChanged('videos');
      const { id } = await client.videos.add({ id: anId(), video, confirmed: false });
      await event;
      const changed = await client.videos.change({ id, video: { ...video, seconds: '8' } });
      expect(changed.request.seconds).toBe('8');
      const { job, answers } = await client.videos.get({ id });
      expect({ job, answers }).toEqual({ job: changed, answers: [] });
      expect(await client.videos.ofExchange({ id: ExchangeId.parse('none') })).toBeNull();
      const page = await client.videos.page({ filter: { states: ['draft'] }, limit: 10 });
      expect(page).toMatchObject({ jobs: [{ id }], next: null, counts: { draft: 1, done: 0 } });
      await client.videos.remove({ id, deleteFile: false });
      expect(await errorOf(client.videos.get({ id }))).toMatchObject({ code: 'NOT_FOUND' });
    });

    test('a confirmed call that arrives several times at once, over every transport, adds one video', async () => {
      const call = { id: anId(), video: { ...video, prompt: `By ${transport.name}` } };
      const connections = await Promise.all(TRANSPORTS.map((way) => way.connect(window)));
      const calls = [...connections, ...connections].map(async (way) => {
        return await way.client.videos.add({ ...call, confirmed: true });
      });
      const jobs = await Promise.all(calls);
      expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set([call.id]));
      for (const way of connections) way.close();
      await whenState(window.harness.repositories, call.id, 'failed');
      expect((await client.videos.add({ ...call, confirmed: true })).state).toBe('failed');
      const sent = await Promise.all(window.harness.sandbox.requests.map(({ body }) => body));
      expect(sent.filter((body) => body.includes(call.video.prompt))).toHaveLength(1);
      const other = { ...call, video: { ...video, prompt: 'Another one' } };
      const error = await errorOf(client.videos.add({ ...other, confirmed: true }));
      expect(error).toMatchObject({ code: 'REFUSED', message: expect.stringContaining('id') });
      await client.videos.remove({ id: call.id, deleteFile: false });
      const late = await errorOf(client.videos.add({ ...call, confirmed: true }));
      expect(late).toMatchObject({ code: 'REFUSED', message: expect.stringContaining('removed') });
    });

    test('a draft is not confirmed by adding it again', async () => {
      const id = anId();
      const { state } = await client.videos.add({ id, video, confirmed: false });
      expect(state).toBe('draft');
      const error = await errorOf(client.videos.add({ id, video, confirmed: true }));
      expect(error).toMatchObject({ code: 'REFUSED', defined: true });
      await client.videos.remove({ id, deleteFile: false });
    });

    test('an action that a state does not allow is rejected with a message', async () => {
      const { id } = await client.videos.add({ id: anId(), video, confirmed: false });
      for (const type of ['submit-again', 'fetch-again', 'cancel'] as const) {
        const error = await errorOf(client.videos.act({ id, action: { type } }));
        expect(error).toMatchObject({ code: 'REFUSED', defined: true });
      }
      expect(await errorOf(client.videos.move({ id, before: null }))).toMatchObject({
        code: 'REFUSED',
      });
      expect(await errorOf(client.videos.reveal({ id }))).toMatchObject({ code: 'NOT_FOUND' });
      await client.videos.remove({ id, deleteFile: false });
    });

    test('invalid input is rejected before anything is stored', async () => {
      const error = await errorOf(
        client.videos.add({ id: anId(), video: { ...video, seconds: 'four' }, confirmed: true }),
      );
      expect(error.code).toBe('BAD_REQUEST');
      expect(JSON.stringify(error.data)).toContain('A number of seconds');
    });

    test('presets and fields are stored', async () => {
      await client.videos.presets.save({ name: 'usual', request });
      expect(await client.videos.presets.list()).toEqual([{ name: 'usual', request }]);
      await client.videos.presets.remove({ name: 'usual' });
      expect(await client.videos.presets.list()).toEqual([]);
      const { id } = (await client.status.get()).upstream;
      expect(await client.videos.fields.get({ id })).toEqual(EMPTY_FIELD_MAP);
      const map = { ...EMPTY_FIELD_MAP, words: { queued: 'working' as const } };
      expect(await client.videos.fields.set({ id, map })).toEqual(map);
      expect(await client.videos.fields.get({ id })).toEqual(map);
      const none = client.videos.fields.get({ id: UpstreamId.parse('none') });
      expect(await errorOf(none)).toMatchObject({ code: 'NOT_FOUND' });
    });
  });

  describe('chat', () => {
    const settings = { system: '', temperature: null, maxTokens: null, imagesAnyway: false };
    const lanes = [{ model: 'sandbox/echo', protocol: null }];

    /** Creates a conversation and follows its events until the listener is aborted. */
    async function openConversation() {
      const { id } = await client.chat.add({ settings, lanes });
      const stopping = new AbortController();
      const events = await client.chat.follow({ id }, { signal: stopping.signal });
      /** Resolves with the next event that matches. */
      const first = async (wanted: (event: ChatEvent) => boolean): Promise<ChatEvent> => {
        for (;;) {
          const { value, done } = await events.next();
          assert(done !== true && value !== undefined);
          if (wanted(value)) return value;
        }
      };
      return { id, events, first, stop: () => stopping.abort() };
    }

    test('a message is sent, answered, streamed, and found by a search', async () => {
      const { id, first, events } = await openConversation();
      const [started] = await client.chat.send({
        id,
        content: userMessage('Hello fox'),
        replaces: [],
      });
      assert(started !== undefined);
      expect(started).toMatchObject({ conversation: id, text: '', answer: { protocol: 'chat' } });
      const whole = await first(isDone);
      expect(whole).toMatchObject({ message: { id: started.id, text: 'Hello fox' } });
      const { conversation, paths } = await client.chat.open({ id });
      expect(conversation).toMatchObject({ title: 'Hello fox', lanes: [{ at: started.id }] });
      const ids = paths[0]?.map((entry) => entry.id) ?? [];
      const messages = await client.chat.messages({ ids });
      expect(messages.map(({ text }) => text)).toEqual(['Hello fox', 'Hello fox']);
      const asked = { id, message: started.id, plain: true, protocol: 'messages' as const };
      const again = await client.chat.retry(asked);
      await first((event) => isDone(event) && messageIn(event) === again.id);
      const back = await client.chat.goTo({ id, lane: 0, message: started.id });
      expect(back.lanes[0]?.at).toBe(started.id);
      await client.chat.change({ id, change: { title: 'Foxes' } });
      const page = await client.chat.page({ find: 'fox', limit: 5 });
      expect(page.conversations.map(({ title, running }) => [title, running])).toEqual([
        ['Foxes', false],
      ]);
      await client.chat.remove({ id });
      await first(({ kind }) => kind === 'removed');
      expect(await events.next()).toMatchObject({ done: true });
      expect(await errorOf(client.chat.open({ id }))).toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    test('a running answer is in the list, delays nothing, and is stopped', async () => {
      await using live = await follow(client);
      await live.next();
      const { id, first, stop } = await openConversation();
      const slow = userMessage('One two three four five six [scenario slow-stream=60000]');
      const [message] = await client.chat.send({ id, content: slow, replaces: [] });
      assert(message !== undefined);
      await live.whenChanged('chat');
      const [listed] = (await client.chat.page({ find: '', limit: 1 })).conversations;
      expect(listed).toMatchObject({ id, running: true });
      const error = await errorOf(
        client.chat.send({ id, content: userMessage('More'), replaces: [] }),
      );
      expect(error).toMatchObject({ code: 'REFUSED', defined: true });
      await client.chat.stop({ message: message.id });
      await first((event) => stateIn(event) === 'stopped');
      stop();
    });

    test('a protocol, a code snippet and files are returned', async () => {
      const { id, first, stop } = await openConversation();
      const drafted = {
        id: null,
        models: ['never/heard-of'],
        bytes: 5,
        images: 0,
        maxTokens: null,
      };
      expect(await client.chat.estimate(drafted)).toEqual({ amount: null });
      expect(await client.chat.findProtocol({ model: 'never/heard-of' })).toEqual({
        protocol: 'chat',
      });
      const nothing = client.chat.snippet({ id, lane: 0, language: 'curl' });
      expect(await errorOf(nothing)).toMatchObject({ code: 'REFUSED' });
      await client.chat.send({ id, content: userMessage('Hello'), replaces: [] });
      await first(isDone);
      const { text } = await client.chat.snippet({ id, lane: 0, language: 'curl' });
      expect(text).toContain(`http://127.0.0.1:${window.harness.port}/v1/`);
      let markdown = '';
      for await (const piece of await client.chat.export({ id, format: 'markdown' })) {
        markdown += piece.text;
      }
      expect(markdown).toContain('sandbox/echo');
      stop();
    });

    test('an image arrives in chunks, and a browser finds it', async () => {
      const bytes = Buffer.from(PNG, 'base64');
      const started = await client.chat.image.begin({ name: 'fox.png', bytes: bytes.length });
      await client.chat.image.append({ ...started, base64: PNG });
      const { hash } = await client.chat.image.finish(started);
      const { data, error } = await safe(client.chat.image.url({ hash }));
      if (transport.name === 'HTTP') expect(data?.url).toMatch(/^\/media\//u);
      else expect(error).toMatchObject({ code: 'REFUSED' });
    });

    test('invalid input is rejected with a message, and everything is deleted permanently', async () => {
      const { id, stop } = await openConversation();
      const empty = client.chat.send({ id, content: userMessage('  '), replaces: [] });
      expect(await errorOf(empty)).toMatchObject({ code: 'BAD_REQUEST' });
      stop();
      expect(await client.chat.erase()).toBeGreaterThan(1);
      expect(await client.chat.page({ find: '', limit: 5 })).toMatchObject({ conversations: [] });
    });
  });

  describe('prices', () => {
    const acme: NewPrice = {
      service: null,
      model: 'acme/*',
      validFrom: 0,
      prices: { ...NO_PRICES, input: 3_000_000, output: 15_000_000 },
      tiers: [],
      origin: 'entered',
    };

    test('a price is added, found, exported and removed', async () => {
      await using events = await follow(client);
      await events.next();
      const changed = events.whenChanged('prices');
      await client.prices.add({ prices: [acme] });
      await changed;
      expect(await client.prices.find({ model: 'acme/large' })).toMatchObject(acme);
      const { prices, matches, total } = await client.prices.list({ text: 'ACME', limit: 10 });
      expect([prices.length, matches, total]).toEqual([1, 1, 1]);
      expect(await client.prices.list({ text: 'none', limit: 10 })).toMatchObject({ matches: 0 });
      expect(await client.prices.export({ format: 'csv' })).toContain('acme/*,,,,3,15,');
      expect(JSON.parse(await client.prices.export({ format: 'json' }))).toMatchObject({
        currency: 'USD',
      });
      const price = { ...acme, origin: 'entered' };
      expect(await client.prices.set({ price, replaces: null })).toEqual(prices[0]);
      expect(await client.prices.set({ price, replaces: prices[0]?.id ?? 0 })).toBeNull();
      const { id = 0 } = (await client.prices.find({ model: 'acme/large' })) ?? {};
      await client.prices.remove({ id });
      expect((await errorOf(client.prices.remove({ id }))).code).toBe('NOT_FOUND');
    });

    test('a file comes in pieces, is shown, and is imported', async () => {
      const { upload } = await client.prices.import.begin();
      const text = 'model,input,output\nacme/large,3,15\nacme/small,1,2\n';
      for (const piece of [text.slice(0, 20), text.slice(20)]) {
        await client.prices.import.append({ upload, text: piece });
      }
      const choice = { upload, provider: null, validFrom: 0 };
      expect(await client.prices.import.preview(choice)).toMatchObject({
        format: 'csv',
        count: 2,
        replaced: 0,
        first: [{ model: 'acme/large' }, { model: 'acme/small' }],
      });
      expect(await client.prices.import.adopt(choice)).toEqual({ added: 2 });
      expect((await errorOf(client.prices.import.adopt(choice))).code).toBe('NOT_FOUND');
      const wrong = await client.prices.import.begin();
      await client.prices.import.append({ ...wrong, text: 'model,input\nm,x' });
      const error = await errorOf(client.prices.import.preview({ ...choice, ...wrong }));
      expect([error.code, error.message]).toEqual([
        'REFUSED',
        'Line 2, input: "x" is not an amount.',
      ]);
    });

    test('models without a price are listed, and costs are computed again', async () => {
      const unpriced = await client.prices.unpriced();
      expect(unpriced.map(({ model }) => model)).toContain('ember-mini');
      expect(await client.history.cost({ id: ExchangeId.parse('ex-absent') })).toBeNull();
      let last: RecostProgress | null = null;
      const stream = await client.prices.recost({ since: 0, dryRun: true });
      for await (const progress of stream) last = progress;
      expect(last).toMatchObject({ changed: 0, ended: true });
    });
  });

  describe('usage export', () => {
    test('a file comes in chunks, its columns are proposed, compared and remembered', async () => {
      const calls = client.usage.reconcile;
      const model = `exported-${transport.name}`;
      const text = `at,model,in,out\n2001-02-03T04:05:06Z,${model},10,5\n`;
      const { upload } = await calls.begin({ bytes: text.length });
      for (const piece of [text.slice(0, 20), text.slice(20)]) {
        await calls.append({ upload, base64: Buffer.from(piece).toString('base64') });
      }
      const sample = await calls.sample({ upload, service: null });
      expect(sample).toMatchObject({
        format: 'csv',
        columns: [
          { name: 'at', values: ['2001-02-03T04:05:06Z'] },
          { name: 'model', values: [model] },
          { name: 'in' },
          { name: 'out' },
        ],
        more: 0,
        proposal: { time: 'at', model: 'model', rows: 'request' },
      });
      assert(sample.proposal !== null);
      const columns = { ...sample.proposal, input: ['in'], output: ['out'] };
      const choice = { upload, service: null, since: null, until: null };
      expect(await calls.compare({ ...choice, columns })).toMatchObject({
        since: Date.UTC(2001, 1, 3),
        until: Date.UTC(2001, 1, 4),
        export: { requests: 1, input: 10, output: 5 },
        history: { requests: 0 },
        difference: { requests: 1, input: 10, output: 5 },
        equal: 0,
        onlyInExport: { count: 1, first: [{ place: 2, model, exchange: null, until: null }] },
        onlyInHistory: { count: 0 },
        different: { count: 0 },
      });
      expect((await calls.sample({ upload, service: null })).remembered).toEqual(columns);
      const wrong = await errorOf(calls.compare({ ...choice, columns: { ...columns, time: 'x' } }));
      expect([wrong.code, wrong.message]).toEqual([
        'REFUSED',
        'The file has no column "x". It has: at, model, in, out.',
      ]);
      await calls.forget({ upload });
      expect((await errorOf(calls.sample({ upload, service: null }))).code).toBe('NOT_FOUND');
    });
  });

  describe('aliases', () => {
    const alias = { profile: 'Fast', clientId: null, name: 'main', model: 'h3', effort: null };

    test('an alias is set in a profile, which is used, changed and removed', async () => {
      await using events = await follow(client);
      await events.next();
      const changed = events.whenChanged('aliases');
      const set = await client.aliases.set(alias);
      await changed;
      expect(set).toMatchObject(alias);
      const again = await client.aliases.set({ ...alias, name: 'MAIN', effort: 'low' });
      expect(again.id).toBe(set.id);
      await client.aliases.profiles.save({ name: 'fast', upstreamId: null });
      expect(await client.aliases.list()).toEqual({
        aliases: [{ ...alias, id: set.id, name: 'MAIN', effort: 'low' }],
        profiles: [{ name: 'Fast', upstreamId: null, used: false }],
      });
      await client.aliases.profiles.use({ name: 'fast' });
      expect(await client.status.get()).toMatchObject({ profile: 'Fast', profiles: ['Fast'] });
      await client.aliases.profiles.use({ name: null });
      expect(await client.status.get()).toMatchObject({ profile: null });
      await client.aliases.remove({ id: set.id });
      expect((await errorOf(client.aliases.remove({ id: set.id }))).code).toBe('NOT_FOUND');
      await client.aliases.profiles.remove({ name: 'Fast' });
      const missing = await errorOf(client.aliases.profiles.use({ name: 'Fast' }));
      expect(missing.message).toBe('There is no profile “Fast”. There are no profiles yet.');
    });

    test('a profile switches to its service, or nothing changes', async () => {
      const before = (await client.status.get()).upstream;
      const { upstream } = await client.upstreams.add({ ...FORM, untested: true });
      assert(upstream !== null);
      await client.aliases.profiles.save({ name: 'Away', upstreamId: upstream.id });
      await client.aliases.profiles.use({ name: 'Away' });
      expect(await client.status.get()).toMatchObject({
        profile: 'Away',
        upstream: { id: upstream.id },
      });
      await client.upstreams.use({ id: before.id });
      await client.aliases.profiles.use({ name: null });
      await client.upstreams.remove({ id: upstream.id });
      const gone = await errorOf(client.aliases.profiles.use({ name: 'Away' }));
      expect(gone.code).toBe('NOT_FOUND');
      expect(await client.status.get()).toMatchObject({ profile: null, upstream: before });
      await client.aliases.profiles.remove({ name: 'Away' });
    });
  });

  describe('settings', () => {
    test('a setting is changed and stored', async () => {
      const before = await client.settings.get();
      const { settings } = await client.settings.change({ keepDays: 30 });
      expect(settings).toEqual({ ...before.settings, keepDays: 30 });
      expect((await client.settings.get()).settings.keepDays).toBe(30);
    });

    test('invalid input is rejected with the message of the schema', async () => {
      const error = await errorOf(client.settings.change({ keepDays: 0 }));
      expect(error.code).toBe('BAD_REQUEST');
      expect(JSON.stringify(error.data)).toContain('At least one day.');
    });

    test('a further listener is added, named in the status, and removed', async () => {
      const address = '10.254.253.252';
      const { settings } = await client.settings.listeners.add({ name: 'Docker', address });
      expect(settings.furtherListeners).toEqual([{ name: 'Docker', address }]);
      expect((await client.status.get()).furtherListeners).toMatchObject([{ name: 'Docker' }]);
      const { settings: after } = await client.settings.listeners.remove({ address });
      expect(after.furtherListeners).toEqual([]);
      expect(Array.isArray(await client.settings.listeners.possible())).toBe(true);
    });

    test('the data folder is listed with its files', async () => {
      const folder = await client.settings.data();
      expect(folder.path).toBe(window.harness.dataDir);
      expect(folder.files.map(({ name }) => name)).toContain('gatehouse.db');
    });
  });

  test('an internal error reports only that, and the log has the reason', async () => {
    const folder = window.harness.repositories.store;
    await folder.db.schema.alterTable('model_list').renameTo('hidden').execute();
    await folder.db.schema.alterTable('exchange').renameTo('hidden_exchange').execute();
    const error = await errorOf(client.history.count({ filter: {}, upTo: 1 }));
    await folder.db.schema.alterTable('hidden_exchange').renameTo('exchange').execute();
    await folder.db.schema.alterTable('hidden').renameTo('model_list').execute();
    expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', defined: false });
    expect(error.message).toBe('Gatehouse had an internal error. Its log says why.');
    expect(window.harness.logged.join('\n')).toContain('A call of the window failed.');
  });

  test('everything is deleted on request', async () => {
    expect(await client.history.erase()).toBeGreaterThan(0);
    expect(await client.history.count({ filter: {}, upTo: 10 })).toBe(0);
  });

  test('every call of the contract was made', () => {
    expect([...called].toSorted()).toEqual(listCallNames());
  });

  async function statusWith(key: string): Promise<number> {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${window.harness.url}/v1/models`, { headers });
    await answer.text();
    return answer.status;
  }
});

function userMessage(text: string): UserMessage {
  return { text, files: [] };
}

function stateIn(event: ChatEvent): AnswerState | null {
  return event.kind === 'message' ? (event.message.answer?.state ?? null) : null;
}

function isDone(event: ChatEvent): boolean {
  return stateIn(event) === 'done';
}

function messageIn(event: ChatEvent): string | null {
  return event.kind === 'message' ? event.message.id : null;
}

/** Returns the error of a call. */
async function errorOf(call: Promise<unknown>): Promise<ORPCError<string, unknown>> {
  const { error } = await safe(call);
  assert(error instanceof ORPCError);
  return error;
}

async function gather(
  pieces: Promise<AsyncIterable<{ readonly text: string; readonly exchanges: number }>>,
) {
  let all = { text: '', exchanges: 0 };
  for await (const { text, exchanges } of await pieces) all = { text: all.text + text, exchanges };
  return all;
}

type Of<Kind extends LiveEvent['kind']> = Extract<LiveEvent, { kind: Kind }>;

function isKind<Kind extends LiveEvent['kind']>(event: LiveEvent, kind: Kind): event is Of<Kind> {
  return event.kind === kind;
}

/** Yields events in order. Disposing stops the stream, like a closed window. */
async function follow(client: Client) {
  const stopping = new AbortController();
  const events = await client.status.events(undefined, { signal: stopping.signal });
  const next = async (): Promise<LiveEvent> => {
    const { value, done } = await events.next();
    assert(done !== true && value !== undefined);
    return value;
  };
  const first = async <Kind extends LiveEvent['kind']>(kind: Kind): Promise<Of<Kind>> => {
    for (;;) {
      const event = await next();
      if (isKind(event, kind)) return event;
    }
  };
  return {
    next,
    first,
    /** Resolves at a change of this topic. Changes of others may come before it, from work of an earlier test. */
    whenChanged: async (topic: Of<'changed'>['topic']): Promise<void> => {
      while ((await first('changed')).topic !== topic);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await events.return?.(undefined).catch(() => undefined);
    },
  };
}
