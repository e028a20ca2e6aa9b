import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { question, sendRequest } from '../../kit/gateway/request.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';

test('an exchange is recorded with the service that it began with', async () => {
  await using service = await openUpstream({ models: ['m'] });
  await using harness = await startHarness({ baseUrl: null });
  await sendRequest(harness, question('chat'));
  const { id } = await harness.gateway.addUpstream(upstreamFormFor(service.url));
  await harness.gateway.useUpstream(id);
  await sendRequest(harness, question('chat'));
  const records = await harness.recorded(2);
  expect(records.map((record) => record.service)).toEqual([service.url, SANDBOX_ID]);
});

test('finding 2: after switching from a dead service, no alarm says that the new one cannot be reached', async () => {
  const dead = await openUpstream();
  await dead[Symbol.asyncDispose]();
  await using fine = await openUpstream({ models: ['m'] });
  await using harness = await startHarness({ baseUrl: dead.url });
  const { gateway } = harness;
  for (let time = 0; time < 3; time += 1) await sendRequest(harness, { path: '/v1/files/1' });
  await harness.recorded(3);
  const attentionAt = async (service: string) =>
    (
      await gateway.history.attention({
        service,
        serviceName: 'Models',
        usedSince: gateway.upstreamTimes.usedSince,
        reachable: false,
        keyMendedAt: 0,
      })
    ).map(({ kind }) => kind);
  expect(await attentionAt(dead.url)).toEqual(['unreachable']);
  const { id } = await gateway.addUpstream(upstreamFormFor(fine.url));
  await gateway.useUpstream(id);
  expect(await attentionAt(fine.url)).toEqual([]);
  const [old] = (await gateway.listUpstreams()).filter(({ baseUrl }) => baseUrl === dead.url);
  await gateway.useUpstream(old?.id ?? '');
  expect(await attentionAt(dead.url)).toEqual([]);
});

/** Starts with a service whose use began an hour ago and that refuses the key. */
async function startRefused() {
  let time = Date.UTC(2026, 10, 21, 12);
  const closing = new AsyncDisposableStack();
  const service = closing.use(await openUpstream());
  const harness = closing.use(await startHarness({ baseUrl: service.url, now: () => time }));
  time += 3_600_000;
  const fetched = harness.gateway.models.refresh().catch(() => undefined);
  (await service.next()).connection.send(jsonAnswer(401, { error: { message: 'No.' } }));
  await fetched;
  const facts = async () => {
    const { keyRefusedAt, reach } = await harness.gateway.status();
    return { keyRefusedAt, reach, since: harness.gateway.upstreamTimes.usedSince };
  };
  const before = await facts();
  expect(before.keyRefusedAt).toBeTypeOf('number');
  return { service, harness, before, facts, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

test('a new name of the service in use keeps its alarms', async () => {
  await using refused = await startRefused();
  const { service, harness, before, facts } = refused;
  const own = (await harness.gateway.listUpstreams()).find(({ active }) => active);
  const form = { ...upstreamFormFor(service.url), name: 'Another name' };
  await harness.gateway.changeUpstream(own?.id ?? '', form);
  expect(await harness.gateway.status()).toMatchObject({ upstream: { name: 'Another name' } });
  expect(await facts()).toEqual(before);
});

test('a switch that cannot be saved keeps the alarms of the service in use', async () => {
  await using refused = await startRefused();
  const { harness, before, facts } = refused;
  const { db } = harness.repositories.store;
  await sql`create trigger block before update of active on upstream
    begin select raise(fail, 'not now'); end`.execute(db);
  await expect(harness.gateway.useUpstream(SANDBOX_ID)).rejects.toThrow();
  expect(await facts()).toEqual(before);
});

test('a key that the service accepts after a refusal is mended from then on', async () => {
  await using refused = await startRefused();
  const { service, harness } = refused;
  const { gateway } = harness;
  expect(gateway.upstreamTimes.keyMendedAt).toBe(0);
  const fetched = gateway.models.refresh();
  const list = { object: 'list', data: [{ id: 'acme/one', object: 'model' }] };
  (await service.next()).connection.send(jsonAnswer(200, list));
  await fetched;
  expect((await gateway.status()).keyRefusedAt).toBeNull();
  expect(gateway.upstreamTimes.keyMendedAt).toBe(Date.UTC(2026, 10, 21, 13));
});
