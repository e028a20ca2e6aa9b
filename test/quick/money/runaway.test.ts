import { expect, test } from 'vitest';
import type { SettingsChange } from '../../../shared/settings.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { LOOP_PROTOCOLS, readLoopFixture, ToolLoop } from '../../kit/history/tool-loop.ts';

async function startLoopHarness(settings: SettingsChange, now = () => Date.now()) {
  const harness = await startHarness({ sandbox: { fixture: readLoopFixture() }, now });
  await harness.gateway.changeSettings({ runawayRepeats: 4, ...settings });
  return harness;
}

/** Gives all exchanges their place in a run. */
async function place({ gateway }: Harness): Promise<void> {
  await gateway.history.flush();
  await gateway.bodies.listRuns({ filter: { single: true }, limit: 1, before: null });
}

/** Sends a message of a person, then as many results of a tool. Returns the statuses. */
async function run(loop: ToolLoop, turns: number, toResult = (_turn: number) => 'again') {
  const statuses = [(await loop.ask(toResult(0))).status];
  for (let turn = 1; turn <= turns; turn += 1)
    statuses.push((await loop.goOn(toResult(turn))).status);
  return statuses;
}

const other = (turn: number) => `other <${turn}>`;

test.each(LOOP_PROTOCOLS)(
  'over %s an agent that repeats a call is stopped until it is let go on, and no other client is',
  async (protocol) => {
    await using harness = await startLoopHarness({ runawayAction: 'stop' });
    const { key } = await harness.repositories.clients.add('Diligent');
    const loop = new ToolLoop(harness.url, harness.localKey, protocol);
    const diligent = new ToolLoop(harness.url, key, protocol);
    const both = await Promise.all([run(loop, 4), run(diligent, 20, other)]);
    expect(new Set(both.flat())).toEqual(new Set([200]));
    await place(harness);
    const charges = harness.sandbox.charges;
    const answer = await loop.goOn('again');
    expect(answer.status).toBe(protocol === 'responses' ? 400 : 402);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(answer.headers.get('x-gatehouse-error')).toBe('local_agent_stopped');
    const text = await answer.text();
    expect(text).toContain('"code":"local_agent_stopped"');
    expect(text).toContain(
      'Gatehouse stopped Test. Its agent called bash with the same arguments 4 times in a row. Nothing was sent.',
    );
    expect(harness.sandbox.charges).toBe(charges);
    expect((await diligent.goOn(other(21))).status).toBe(200);
    const [runaway] = harness.gateway.runaways.list();
    expect(runaway).toMatchObject({ clientName: 'Test', stopped: true });
    expect(harness.gateway.runaways.resume(runaway?.clientId ?? '')).toBe(true);
    expect((await loop.goOn('again')).status).toBe(200);
  },
);

test('100 parallel requests of a stopped client are all refused, and those of another one pass', async () => {
  await using harness = await startLoopHarness({ runawayAction: 'stop' });
  const { key } = await harness.repositories.clients.add('Diligent');
  await run(new ToolLoop(harness.url, harness.localKey), 4);
  await place(harness);
  const charges = harness.sandbox.charges;
  const ask = async (localKey: string) => {
    const answer = await new ToolLoop(harness.url, localKey).ask('other <1>');
    await answer.text();
    return answer.status;
  };
  const [stopped, passed] = await Promise.all([
    Promise.all(Array.from({ length: 100 }, () => ask(harness.localKey))),
    Promise.all(Array.from({ length: 20 }, () => ask(key))),
  ]);
  expect(stopped).toEqual(Array.from({ length: 100 }, () => 402));
  expect(passed).toEqual(Array.from({ length: 20 }, () => 200));
  expect(harness.sandbox.charges).toBe(charges + 20);
  await place(harness);
  expect(harness.gateway.runaways.list()).toMatchObject([{ clientName: 'Test' }]);
  expect(
    await harness.gateway.history.attention({
      service: harness.sandbox.url,
      serviceName: 'Models',
      usedSince: 0,
      reachable: true,
      keyMendedAt: 0,
    }),
  ).toEqual([]);
});

test('to ask is the first choice: the requests pass, and the log has one line', async () => {
  await using harness = await startLoopHarness({});
  const loop = new ToolLoop(harness.url, harness.localKey);
  await run(loop, 8);
  await place(harness);
  expect((await loop.goOn('again')).status).toBe(200);
  const [runaway] = harness.gateway.runaways.list();
  expect(runaway).toMatchObject({ stopped: false, cause: { tools: 'bash', times: 9 } });
  expect(await harness.gateway.bodies.readRun(runaway?.run ?? fail())).toMatchObject({
    run: { clientName: 'Test' },
  });
  const lines = harness.logged.filter((line) => line.includes('in a row'));
  expect(lines).toHaveLength(1);
  await loop.ask('Do other <1> instead.');
  await place(harness);
  expect(harness.gateway.runaways.list()).toEqual([]);
});

function fail(): never {
  throw new Error('There is no run.');
}

test('many requests without a person are noticed, also when the clock is set back; a message of a person begins anew', async () => {
  let back = 0;
  await using harness = await startLoopHarness(
    { runawayAction: 'ask', runawayRequests: 6, runawayMinutes: 0 },
    () => Date.now() - back,
  );
  const loop = new ToolLoop(harness.url, harness.localKey);
  await run(loop, 5, other);
  await place(harness);
  back = 3_600_000;
  await run(loop, 5, (turn) => other(turn + 10));
  await place(harness);
  expect(harness.gateway.runaways.list()).toEqual([]);
  await loop.goOn(other(16));
  await place(harness);
  expect(harness.gateway.runaways.list()).toMatchObject([
    { cause: { kind: 'requests', requests: 6, minutes: 0 } },
  ]);
});

test('it is noticed while other requests keep coming, and only where requests and responses are kept', async () => {
  await using harness = await startLoopHarness({ runawayAction: 'stop' });
  const { client, key } = await harness.repositories.clients.add('Not kept');
  await harness.repositories.clients.setKeepBodies(client.id, 0);
  await run(new ToolLoop(harness.url, key), 4);
  await run(new ToolLoop(harness.url, harness.localKey), 4);
  const busy = await harness.repositories.clients.add('Busy');
  while (harness.gateway.runaways.list().length === 0)
    await (await new ToolLoop(harness.url, busy.key).ask('other <1>')).text();
  expect(harness.gateway.runaways.list().map(({ clientName }) => clientName)).toEqual(['Test']);
});
