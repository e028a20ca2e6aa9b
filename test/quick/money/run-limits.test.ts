import { expect, test } from 'vitest';
import { openSpendLimits } from '../../../gateway/spend-limits/spend-limits.ts';
import { VIDEOS_CLIENT_ID } from '../../../shared/client.ts';
import { RunId } from '../../../shared/exchange/exchange.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { question, sendRequest } from '../../kit/gateway/request.ts';
import { limit } from './ask.ts';

/** Asks in a session of Claude Code, as one of its sub-agents where one is named. */
async function askAs(harness: Harness, session: string | null, subagent?: string) {
  const headers = [
    ...(session === null ? [] : [`x-claude-code-session-id: ${session}`]),
    ...(subagent === undefined ? [] : [`x-claude-code-agent-id: ${subagent}`]),
  ];
  return await sendRequest(harness, question('messages', { headers, text: 'Hi' }));
}

const statusesOf = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other);

test('of parallel requests of two runs each gets its own allowance, and no run more', async () => {
  await using harness = await startHarness();
  await limit(harness, { amount: 3, period: 'run' });
  const sessions = Array.from({ length: 20 }, (_, at) => `s${at % 2}`);
  const answers = await Promise.all(sessions.map((session) => askAs(harness, session)));
  expect(statusesOf(answers)).toEqual([...Array(6).fill(200), ...Array(14).fill(402)]);
  expect(harness.sandbox.charges).toBe(6);
  const refused = answers.find(({ status }) => status === 402);
  expect(refused?.body).toMatch(
    /The limit of all clients is 3 requests per run: 3 requests used by this run \(run-[\da-f]{16}\)\. A new session of the agent is another run\. Nothing was sent\./u,
  );
  // A sub-agent is of the run of its session, and another session is another run.
  expect((await askAs(harness, 's0', 'a1')).status).toBe(402);
  expect((await askAs(harness, 's2')).status).toBe(200);
});

test('what a run used before a limit for it was set counts', async () => {
  await using harness = await startHarness();
  expect((await askAs(harness, 's0')).status).toBe(200);
  expect((await askAs(harness, 's0')).status).toBe(200);
  await limit(harness, { amount: 2, period: 'run' });
  expect((await askAs(harness, 's0')).status).toBe(402);
  expect((await askAs(harness, 's1')).status).toBe(200);
});

test('a run goes on counting after a restart', async () => {
  await using harness = await startHarness();
  for (const session of ['s0', 's0', 's1']) {
    const { headers } = await askAs(harness, session);
    await harness.recordOf(headers.get('x-gatehouse-exchange'));
  }
  const { store, host } = harness.repositories;
  const reopened = await openSpendLimits({
    ...host,
    store,
    command: 'gatehouse',
    confirmedNow: host.now,
    currency: () => 'USD',
    refusesUnpriced: () => false,
  });
  const set = { clientId: null, measure: 'requests', period: 'run', rolling: false } as const;
  // Two that are set at once read the runs once.
  await Promise.all([
    reopened.set({ ...set, amount: 3 }),
    reopened.set({ ...set, measure: 'tokens', amount: 1e9 }),
  ]);
  const requests = reopened.list('services').find(({ measure }) => measure === 'requests');
  expect(requests).toMatchObject({ used: 2, resetsAt: null });
  expect(requests?.run).toMatch(/^run-[\da-f]{16}$/u);
  const request = {
    clientId: 'c',
    clientName: 'c',
    model: 'm',
    service: 'https://models.example.com',
    run: RunId.parse(requests?.run),
    subagent: null,
    scope: 'services',
    at: Date.now(),
    expected: () => ({ money: 0, tokens: 0 }),
  } as const;
  expect(reopened.findRefusal(request)).toBeNull();
  reopened.admit(request);
  expect(reopened.findRefusal(request)?.code).toBe('local_limit_reached');
  // The video queue is no agent.
  expect(reopened.findRefusal({ ...request, clientId: VIDEOS_CLIENT_ID })).toBeNull();
});

test('sub-agents at once are limited in each run, and the agent itself goes on', async () => {
  await using harness = await startHarness();
  await limit(harness, { measure: 'agents', amount: 2, period: 'run' });
  expect((await askAs(harness, 's0', 'a1')).status).toBe(200);
  expect((await askAs(harness, 's0', 'a2')).status).toBe(200);
  const third = await askAs(harness, 's0', 'a3');
  expect(third.status).toBe(429);
  expect(third.headers.get('retry-after')).toBe('5');
  expect(third.body).toContain('2 sub-agents at once in each run: 2 are at work');
  for (const [session, agent] of [
    ['s0', 'a1'],
    ['s0', undefined],
    ['s1', 'a3'],
  ] as const) {
    expect((await askAs(harness, session, agent)).status).toBe(200);
  }
});

test('requests of a client that names no session are of one run', async () => {
  await using harness = await startHarness();
  await limit(harness, { amount: 2, period: 'run' });
  const answers = await Promise.all(Array.from({ length: 5 }, () => askAs(harness, null)));
  expect(statusesOf(answers)).toEqual([200, 200, 402, 402, 402]);
  expect(answers.find(({ status }) => status === 402)?.body).toContain(
    'used by this run. The program names no session, so its next run begins half an hour after the last request that passed.',
  );
  expect((await askAs(harness, 's0')).status).toBe(200);
});

test('kinds of limits that there are not are refused with a reason', async () => {
  await using harness = await startHarness();
  await expect(limit(harness, { measure: 'agents' })).rejects.toThrow('limited in each run');
  await expect(limit(harness, { period: 'run', rolling: true })).rejects.toThrow('all of the run');
  const videos = { clientId: VIDEOS_CLIENT_ID, period: 'run' } as const;
  await expect(limit(harness, videos)).rejects.toThrow('has no runs');
});
