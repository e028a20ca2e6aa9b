import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSandbox } from '../../../sandbox/server.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { HistoryFilter } from '../../../shared/history/history.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { createEngineSetup } from '../../kit/videos/engine-setup.ts';
import { LOOP_PROTOCOLS, readLoopFixture, ToolLoop } from '../../kit/history/tool-loop.ts';

const toId = (answer: Response) => ExchangeId.parse(answer.headers.get('x-gatehouse-exchange'));

/** Gives all exchanges their place in a run. */
async function place({ gateway }: Pick<Harness, 'gateway'>): Promise<void> {
  await gateway.history.flush();
  await gateway.bodies.listRuns({ filter: { single: true }, limit: 1, before: null });
}

async function find(
  { gateway }: Pick<Harness, 'gateway'>,
  filter: HistoryFilter,
): Promise<ExchangeId[]> {
  const { exchanges } = await gateway.history.page({ filter, limit: 10 });
  return exchanges.map(({ id }) => id).toReversed();
}

test.each(LOOP_PROTOCOLS)(
  'over %s a call of a tool is found by its name, and the request that brings its result',
  async (protocol) => {
    await using harness = await startHarness({ sandbox: { fixture: readLoopFixture() } });
    const loop = new ToolLoop(harness.url, harness.localKey, protocol);
    const calls = toId(await loop.ask('again'));
    const brings = toId(await loop.goOn('ready'));
    const follows = toId(await loop.ask('Thanks.'));
    await expect
      .poll(async () => await find(harness, { tools: ['BASH'] }))
      .toEqual([calls, brings]);
    expect(await find(harness, { not: { tools: ['ba*'] } })).toEqual([follows]);
    expect((await harness.gateway.history.names()).tools).toEqual(['bash']);
    await harness.gateway.deleteExchange(calls);
    await harness.gateway.bodies.erase();
    expect(await find(harness, { tools: ['bash'] })).toEqual([brings]);
  },
);

test('tools become known while nobody looks, and those that a crash kept out of the history at the next start', async () => {
  await using sandbox = await openSandbox({ fixture: readLoopFixture() });
  await using setup = await createEngineSetup(sandbox);
  const first = await setup.start();
  const { key } = await first.repositories.clients.add('Test');
  const loop = new ToolLoop(`http://127.0.0.1:${first.gateway.port}`, key);
  const calls = toId(await loop.ask('again'));
  await expect.poll(async () => await find(first, { tools: ['bash'] })).toEqual([calls]);
  await first.stop();
  using database = new DatabaseSync(join(setup.dataDir, 'gatehouse.db'));
  database.exec('delete from exchange_tool; delete from exchange_index');
  await using second = await setup.start();
  expect(await find(second, { tools: ['bash'] })).toEqual([]);
  // The bodies are opened by their first use.
  await place(second);
  await expect.poll(async () => await find(second, { tools: ['bash'] })).toEqual([calls]);
});

test('an exchange whose request and response are not kept has no tools', async () => {
  await using harness = await startHarness({ sandbox: { fixture: readLoopFixture() } });
  await harness.gateway.changeSettings({ keepBodiesDays: 0 });
  const loop = new ToolLoop(harness.url, harness.localKey);
  const calls = toId(await loop.ask('again'));
  await place(harness);
  expect(await find(harness, { tools: ['*'] })).toEqual([]);
  expect(await find(harness, { not: { tools: ['*'] } })).toEqual([calls]);
});
