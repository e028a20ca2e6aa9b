import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Model } from '../../../shared/model.ts';
import type { NewModelAlias } from '../../../shared/model-alias.ts';
import { ClientId } from '../../../shared/client.ts';
import { NO_PRICES } from '../../../shared/money/price.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { PROTOCOLS, question, sendRequest } from '../../kit/gateway/request.ts';
import { requestsAt } from '../../kit/gateway/sandbox-requests.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { jsonAnswer } from '../../kit/net/scripted-upstream.ts';

const TARGET = 'aurora/aurora-small';

async function set(harness: Harness, fields: Partial<NewModelAlias>) {
  return await harness.gateway.aliases.set({
    profile: null,
    clientId: null,
    name: 'main',
    model: TARGET,
    effort: null,
    ...fields,
  });
}

/** Sends a request and returns its record, and the body that the service got. */
async function exchange(harness: Harness, request: Parameters<typeof sendRequest>[1]) {
  const answer = await sendRequest(harness, request);
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  const sent = await requestsAt(harness).at(-1)?.body;
  return { answer, record, sent: JSON.parse(String(sent)) };
}

describe('an alias is applied and recorded', () => {
  test.each(PROTOCOLS.flatMap((protocol) => [false, true].map((stream) => ({ protocol, stream }))))(
    '$protocol, stream: $stream',
    async ({ protocol, stream }) => {
      await using harness = await startHarness();
      await set(harness, {});
      const { answer, record, sent } = await exchange(
        harness,
        question(protocol, { model: 'main', stream }),
      );
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-gatehouse-repairs')).toBe('model-alias');
      expect(sent).toMatchObject({ model: TARGET });
      expect(record).toMatchObject({ modelAsked: 'main', modelSent: TARGET });
      expect(record.repairs).toEqual([
        expect.objectContaining({ code: 'model-alias', before: 'main', after: TARGET }),
      ]);
    },
  );

  test('in strict mode, where a person asked for it all the same', async () => {
    await using harness = await startHarness({ strict: true });
    await set(harness, {});
    const { answer, record } = await exchange(harness, question('chat', { model: 'main' }));
    expect(answer.status).toBe(200);
    expect(record.repairs.map(({ code }) => code)).toEqual(['model-alias']);
  });

  test('in a compressed body', async () => {
    await using harness = await startHarness();
    await set(harness, {});
    const { body = '', headers = [], ...rest } = question('chat', { model: 'main' });
    const { sent, record } = await exchange(harness, {
      ...rest,
      headers: [...headers, 'Content-Encoding: gzip'],
      body: gzipSync(body),
    });
    expect(sent).toMatchObject({ model: TARGET });
    expect(record.repairs.map(({ code }) => code)).toEqual(['body-decoded', 'model-alias']);
  });

  test('with an effort, where the protocol has a field for it', async () => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    await set(harness, { model: 'm', effort: 'low' });
    const expected = {
      chat: { model: 'm', reasoning_effort: 'low' },
      responses: { model: 'm', reasoning: { effort: 'low' } },
      messages: { model: 'm' },
    };
    for (const protocol of PROTOCOLS) {
      const answering = sendRequest(harness, question(protocol, { model: 'main' }));
      const { body, connection } = await upstream.next();
      connection.send(jsonAnswer(200, {}));
      const answer = await answering;
      expect(JSON.parse(body)).toMatchObject(expected[protocol]);
      expect(body.includes('low')).toBe(protocol !== 'messages');
      const { repairs } = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
      expect(repairs[0]?.after).toBe(protocol === 'messages' ? 'm' : 'm, effort low');
    }
  });

  test('once: the model of an alias is no name for another one, but its id is completed', async () => {
    await using harness = await startHarness();
    await set(harness, { name: 'main', model: 'second' });
    await set(harness, { name: 'second' });
    await set(harness, { name: 'short', model: 'aurora-small' });
    const chained = await exchange(harness, question('chat', { model: 'main' }));
    expect(chained.record).toMatchObject({ modelSent: 'second', errorCode: 'model_not_found' });
    const short = await exchange(harness, question('chat', { model: 'short' }));
    expect(short.record.repairs.map(({ code }) => code)).toEqual(['model-alias', 'model-id']);
    expect(short.sent).toMatchObject({ model: TARGET });
  });
});

describe('the default of a client', () => {
  test('replaces names that the service does not list, and no other', async () => {
    await using harness = await startHarness();
    await set(harness, { name: '*' });
    const unknown = await exchange(harness, question('chat', { model: 'claude-haiku-9' }));
    expect(unknown.sent).toMatchObject({ model: TARGET });
    const listed = await exchange(harness, question('chat', { model: 'ember-mini' }));
    expect(listed.sent).toMatchObject({ model: 'ember-mini' });
    expect(listed.record.repairs).toEqual([]);
    await set(harness, { name: 'ember-mini' });
    const named = await exchange(harness, question('chat', { model: 'ember-mini' }));
    expect(named.sent).toMatchObject({ model: TARGET });
  });

  test('waits for the first list, which may have the model', async () => {
    await using harness = await startHarness();
    await set(harness, { name: '*' });
    expect(harness.gateway.models.fetchedAt()).toBeNull();
    const { sent } = await exchange(harness, question('chat', { model: 'ember-mini' }));
    expect(sent).toMatchObject({ model: 'ember-mini' });
  });

  test('holds for its client only', async () => {
    await using harness = await startHarness();
    const { client } = await harness.repositories.clients.add('Other');
    await set(harness, { name: '*', clientId: client.id });
    const { record } = await exchange(harness, question('chat', { model: 'claude-haiku-9' }));
    expect(record).toMatchObject({ errorCode: 'model_not_found', repairs: [] });
  });
});

test('limits, allowed models and costs are those of the model that is sent', async () => {
  await using harness = await startHarness();
  const prices = { ...NO_PRICES, input: 1_000_000_000, output: 1_000_000_000 };
  await harness.repositories.prices.add([
    { service: null, model: TARGET, validFrom: 0, prices, tiers: [], origin: 'entered' },
  ]);
  await set(harness, {});
  const first = await exchange(harness, question('chat', { model: 'main' }));
  expect(first.record.cost).toMatchObject({ source: 'reported' });
  expect(first.record.cost?.amount).toBeGreaterThan(0);
  const limits = await harness.repositories.openSpendLimits();
  const { cost } = first.record;
  const amount = (cost?.amount ?? 0) + 1;
  await limits.set({ clientId: null, measure: 'money', amount, period: 'day', rolling: false });
  expect((await sendRequest(harness, question('chat', { model: 'main' }))).status).toBe(402);
  // It has no price.
  expect((await sendRequest(harness, question('chat', { model: 'ember-mini' }))).status).toBe(200);
  await harness.repositories.clients.setModels('Test', ['main']);
  const refused = await sendRequest(harness, question('chat', { model: 'main' }));
  expect(refused.headers.get('x-gatehouse-error')).toBe('local_model_refused');
  expect(refused.body).toContain(TARGET);
});

test('each of many requests has the model of one profile, before and after a switch between them', async () => {
  await using harness = await startHarness();
  const models = { fast: TARGET, good: 'ember-mini' };
  for (const [profile, model] of Object.entries(models)) await set(harness, { profile, model });
  await harness.gateway.useProfile('fast');
  const ask = async () => {
    const answer = await sendRequest(harness, question('chat', { model: 'main', stream: true }));
    expect(answer.status).toBe(200);
    return await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  };
  const before = Array.from({ length: 8 }, ask);
  const switching = harness.gateway.useProfile('good');
  const during = Array.from({ length: 8 }, ask);
  await switching;
  const after = await Promise.all(Array.from({ length: 8 }, ask));
  for (const record of [...(await Promise.all([...before, ...during])), ...after]) {
    expect(Object.values(models)).toContain(record.modelSent);
    expect(record.repairs).toHaveLength(1);
    expect(record.repairs[0]?.after).toBe(record.modelSent);
  }
  expect(after.every(({ modelSent }) => modelSent === models.good)).toBe(true);
  await harness.gateway.useProfile(null);
  expect(await ask().catch(() => 'not found')).toBe('not found');
});

test('a request in flight keeps its model when the profile is switched', async () => {
  await using scripted = await startScriptedHarness();
  const { harness, upstream } = scripted;
  await set(harness, { profile: 'one', model: 'm' });
  await set(harness, { profile: 'two', model: 'm', name: 'other' });
  await harness.gateway.useProfile('one');
  const answering = sendRequest(harness, question('chat', { model: 'main' }));
  const { body, connection } = await upstream.next();
  await harness.gateway.useProfile('two');
  connection.send(jsonAnswer(200, { ok: true }));
  const answer = await answering;
  expect([JSON.parse(body).model, answer.status]).toEqual(['m', 200]);
});

test('the model list has the whole names with the facts of their models, and so has each of them', async () => {
  await using harness = await startHarness();
  await harness.gateway.models.refresh();
  await set(harness, {});
  await set(harness, { name: 'MAIN', clientId: ClientId.parse('nobody'), model: 'ember-mini' });
  await set(harness, { name: 'claude-*' });
  await set(harness, { name: 'ember-mini' });
  const answer = await sendRequest(harness, { path: '/v1/models' });
  const { data } = z.object({ data: z.array(Model) }).parse(JSON.parse(answer.body));
  const target = data.find(({ id }) => id === TARGET);
  expect(data.filter(({ id }) => id === 'main')).toEqual([{ ...target, id: 'main' }]);
  expect(data.filter(({ id }) => id === 'ember-mini')).toHaveLength(1);
  expect(data.some(({ id }) => id.includes('*') || id === 'MAIN')).toBe(false);
  // Gatehouse itself learns the list of the service.
  expect(harness.gateway.models.has('main')).toBe(false);
  for (const name of ['main', 'claude-haiku-9']) {
    const one = await sendRequest(harness, { path: `/v1/models/${name}` });
    expect(JSON.parse(one.body)).toMatchObject({ ...target, id: name });
  }
});
