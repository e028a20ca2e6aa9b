import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Gateway } from '../../../gateway/gateway.ts';
import { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { createEngineSetup } from '../../kit/videos/engine-setup.ts';

/** Lets the database reject what a condition on `new.id` names, as a full disk does. Returns the function that ends it. */
function rejectExchanges(dataDir: string, condition = 'true'): () => void {
  using other = new DatabaseSync(join(dataDir, 'gatehouse.db'));
  other.exec(
    `create trigger full before insert on exchange when ${condition}
     begin select raise(abort, 'The disk is full.'); end`,
  );
  return () => {
    using again = new DatabaseSync(join(dataDir, 'gatehouse.db'));
    again.exec('drop trigger full');
  };
}

async function recordsOf({ history }: Gateway) {
  await history.flush();
  return (await history.list({ limit: 100 })).map(({ id, errorCode }) => ({ id, errorCode }));
}

test.each([
  ['the history is deleted', ({ history }: Gateway) => history.erase()],
  [
    'a run is recognised',
    ({ history }: Gateway) =>
      history.setSteps([
        { id: ExchangeId.parse('another'), run: RunId.parse('run-1'), tools: ['bash'] },
      ]),
  ],
])('what a full disk rejected is recorded at the next start, also when %s', async (_, change) => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  const first = await setup.start();
  const { key } = await first.repositories.clients.add('Test');
  const hasSpace = rejectExchanges(setup.dataDir);
  const answer = await fetch(`http://127.0.0.1:${first.gateway.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'ember-mini', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  await answer.text();
  expect(answer.status).toBe(200);
  expect(await recordsOf(first.gateway)).toEqual([]);
  await change(first.gateway);
  hasSpace();
  await first.stop();
  await using second = await setup.start();
  const id = answer.headers.get('x-gatehouse-exchange');
  expect(await recordsOf(second.gateway)).toEqual([{ id, errorCode: 'gateway_stopped' }]);
});

/** Writes the file of a process that was killed while it sent these. */
async function leaveOpen(dataDir: string, ids: readonly string[]): Promise<void> {
  const lines = ids.map((id) => {
    const facts = { id, startedAt: Date.now(), service: 'https://models.example.com' };
    const sent = { route: 'chat', method: 'POST', path: '/v1/chat/completions', model: 'm' };
    const size = { streamed: true, bytesIn: 10, input: 5, output: 7, video: null };
    const text = JSON.stringify({ ...facts, clientId: null, clientName: 'Test', ...sent, ...size });
    return `${text.padEnd(1023)}\n`;
  });
  await writeFile(join(dataDir, 'open-exchanges'), lines.join(''));
}

async function idsOf(gateway: Gateway): Promise<string[]> {
  return (await recordsOf(gateway)).map(({ id }) => id).toSorted();
}

test('of a killed run only what a start could not record is recorded at the next, although the history was deleted', async () => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  const first = await setup.start();
  first.gateway.history.record(anExchange('found', { startedAt: Date.now() }));
  await first.stop();
  await leaveOpen(setup.dataDir, ['found', 'missing', 'lost']);
  const hasSpace = rejectExchanges(setup.dataDir, "new.id = 'lost'");
  const second = await setup.start();
  expect(await idsOf(second.gateway)).toEqual(['found', 'missing']);
  await second.gateway.history.erase();
  await second.stop();
  hasSpace();
  const third = await setup.start();
  expect(await idsOf(third.gateway)).toEqual(['lost']);
  await third.gateway.history.erase();
  await third.stop();
  await using last = await setup.start();
  expect(await idsOf(last.gateway)).toEqual([]);
});

test('what a killed run left is recorded in one batch', async () => {
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  await (await setup.start()).stop();
  await leaveOpen(setup.dataDir, ['a', 'b', 'c']);
  using other = new DatabaseSync(join(setup.dataDir, 'gatehouse.db'));
  // The exchanges have one sum, which another batch would have to update.
  other.exec(
    `create trigger once before update on exchange_sum
     begin select raise(abort, 'There is another batch.'); end`,
  );
  await using second = await setup.start();
  expect(await idsOf(second.gateway)).toEqual(['a', 'b', 'c']);
});
