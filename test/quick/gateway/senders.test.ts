import { assert, expect, test } from 'vitest';
import type { HistoryFilter } from '../../../shared/history/history.ts';
import { SILENT_SENDER } from '../../../shared/exchange/sender.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { question, sendRequest } from '../../kit/gateway/request.ts';

/** Sends a question with more header lines. Returns its record. */
async function ask(harness: Harness, headers: readonly string[], localKey = harness.localKey) {
  const asked = question('chat', { headers, text: 'Count the files.' });
  const response = await sendRequest({ port: harness.port, localKey }, asked);
  expect(response.status).toBe(200);
  return await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
}

const MAIN = ['x-claude-code-session-id: s1', 'x-claude-code-request-class: main'];
const AGENT = [
  'x-claude-code-session-id: s1',
  'x-claude-code-agent-id: a1',
  'x-claude-code-request-class: subagent',
  'x-claude-code-agent-type: Explore',
];

test('an exchange records the agent that sent it, and the run of its session', async () => {
  await using harness = await startHarness();
  const main = await ask(harness, MAIN);
  const agent = await ask(harness, AGENT);
  const other = await ask(harness, ['x-claude-code-session-id: s2']);
  expect(main).toMatchObject({ conversation: 's1', sender: { requestClass: 'main', agent: null } });
  expect(agent.sender).toMatchObject({ agent: 'a1', agentType: 'Explore' });
  expect(other.sender).toBeNull();
  expect(main.run).toMatch(/^run-[\da-f]{16}$/u);
  expect(agent.run).toBe(main.run);
  expect(other.run).not.toBe(main.run);
  const { history } = harness.gateway;
  const inRun = await history.page({ filter: { run: main.run ?? '' }, limit: 10 });
  expect(inRun.exchanges.map(({ id }) => id)).toEqual([agent.id, main.id]);
  // A run of the list has the same id.
  await expect
    .poll(async () => {
      const query = { filter: { single: true }, limit: 10, before: null };
      return (await harness.gateway.bodies.listRuns(query)).runs.map(({ id }) => id);
    })
    .toEqual([other.run, main.run]);
});

test('a session that only the body names counts, and one of the headers before it', async () => {
  await using harness = await startHarness();
  const askWith = async (headers: readonly string[]) => {
    const asked = question('messages', { headers });
    const body = JSON.stringify({
      ...JSON.parse(String(asked.body)),
      metadata: { user_id: JSON.stringify({ session_id: 's1' }) },
    });
    const response = await sendRequest(harness, { ...asked, body });
    expect(response.status).toBe(200);
    return await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
  };
  const main = await ask(harness, MAIN);
  const named = await askWith([]);
  const other = await askWith(['x-claude-code-session-id: s2']);
  expect([named.conversation, other.conversation]).toEqual(['s1', 's2']);
  expect(named.run).toBe(main.run);
  expect(other.run).not.toBe(main.run);
});

test('the sessions that agents start, and those of their agents, are of one run', async () => {
  await using harness = await startHarness();
  const [main, agent, inner] = [
    await ask(harness, ['x-session-id: s1']),
    await ask(harness, ['x-session-id: s2', 'x-parent-session-id: s1']),
    await ask(harness, ['x-session-id: s3', 'x-parent-session-id: s2']),
  ];
  expect([agent.run, inner.run]).toEqual([main.run, main.run]);
});

test('the run of a client that names none is recorded when it is recognised', async () => {
  await using harness = await startHarness();
  const { id, run } = await ask(harness, []);
  expect(run).toBeNull();
  const { bodies, history } = harness.gateway;
  const changes: number[] = [];
  history.on((written) => changes.push(written));
  await bodies.listRuns({ filter: { single: true }, limit: 1, before: null });
  const recognised = (await bodies.findPlace(id))?.run;
  assert(recognised !== undefined);
  await expect.poll(async () => (await harness.recordOf(id)).run).toBe(recognised);
  const { exchanges } = await history.page({ filter: { run: recognised }, limit: 10 });
  expect(exchanges.map((exchange) => exchange.id)).toEqual([id]);
  // An open window loads it again.
  expect(changes).toContain(0);
});

test('a request that is refused before it is sent is in the run of its session', async () => {
  await using harness = await startHarness();
  const main = await ask(harness, MAIN);
  const asked = question('chat', { headers: MAIN, model: 'aurora/none' });
  const { headers, status } = await sendRequest(harness, asked);
  expect(status).toBe(404);
  const refused = await harness.recordOf(headers.get('x-gatehouse-exchange'));
  expect(refused.run).toBe(main.run);
});

test('the requests for a repository are found by its address', async () => {
  await using harness = await startHarness();
  const workspaces = {
    '/work': { associated_remote_urls: { origin: 'git@example.com:a/shop.git' } },
  };
  const { id } = await ask(harness, [
    'session-id: s1',
    `x-codex-turn-metadata: ${JSON.stringify({ workspaces })}`,
  ]);
  await ask(harness, ['session-id: s1']);
  const find = async (filter: HistoryFilter) => {
    const { exchanges } = await harness.gateway.history.page({ filter, limit: 10 });
    return exchanges.map((exchange) => exchange.id);
  };
  expect(await find({ projects: ['git@example.com:A/shop.git'] })).toEqual([id]);
  expect(await find({ projects: ['*/shop*'] })).toEqual([id]);
  expect(await find({ not: { projects: ['*/shop*'] } })).toHaveLength(1);
});

test('the project that a program was started for is recorded, unless it says another', async () => {
  await using harness = await startHarness();
  const { clients } = harness.gateway;
  const { key } = await clients.addTemporaryKey('Editor (run)', 60_000, '/projects/shop');
  const workspaces = { '/work': { associated_remote_urls: { origin: 'x:a/other' } } };
  const says = `x-codex-turn-metadata: ${JSON.stringify({ workspaces })}`;
  expect((await ask(harness, [], key)).sender).toEqual({
    ...SILENT_SENDER,
    project: '/projects/shop',
  });
  expect((await ask(harness, AGENT, key)).sender).toMatchObject({
    agent: 'a1',
    project: '/projects/shop',
  });
  expect((await ask(harness, [says], key)).sender?.project).toBe('x:a/other');
  expect((await ask(harness, [])).sender).toBeNull();
});

test('what many requests of a program share is not taken for a session', async () => {
  await using harness = await startHarness();
  const asked = question('responses');
  const withKey = async (key: string) => {
    const body = JSON.stringify({ ...JSON.parse(String(asked.body)), prompt_cache_key: key });
    const response = await sendRequest(harness, { ...asked, body });
    return await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
  };
  expect((await withKey('my-program')).conversation).toBeNull();
  const thread = 'd9428888-122b-41e1-b85c-61c6ca1ca06e';
  expect((await withKey(thread)).conversation).toBe(thread);
});

test('a secret in what a client says of its agent is masked', async () => {
  await using harness = await startHarness();
  const { sender, conversation } = await ask(harness, [
    `x-claude-code-session-id: ${harness.localKey}`,
    `x-claude-code-agent-type: ${harness.localKey}`,
  ]);
  expect(JSON.stringify([sender, conversation])).not.toContain(harness.localKey);
  expect(sender?.agentType).not.toBeNull();
});
