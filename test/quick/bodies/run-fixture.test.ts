import { describe, expect, test } from 'vitest';
import type { RunId } from '../../../shared/exchange/exchange.ts';
import type { FixtureChunk } from '../../../shared/run/run.ts';
import { FIXTURE_FORMAT } from '../../../sandbox/fixture/fixture.ts';
import { parseFixture } from '../../../sandbox/fixture/parse-fixture.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { createFakeKeychain } from '../../kit/gateway/fake-keychain.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { question, sendRequest } from '../../kit/gateway/request.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { AGENT_LOOPS, LOOP_MODEL, SESSION } from '../../kit/sandbox/agent-loops.ts';

const TASK = 'Do the task of 2026-11-21 in /home/somebody/project.';
const NEXT_TASK = 'Do the task of 2027-01-02 in /home/another/project.';

const script = parseFixture(
  JSON.stringify({ format: FIXTURE_FORMAT, models: [LOOP_MODEL], steps: SESSION }),
);

async function listRunIds({ gateway }: Harness): Promise<readonly RunId[]> {
  const { runs } = await gateway.bodies.listRuns({
    filter: { single: true },
    limit: 10,
    before: null,
  });
  return runs.map(({ id }) => id);
}

async function save({ gateway }: Harness, id: RunId) {
  const run = await gateway.bodies.readRun(id);
  if (run === null) throw new Error('The run is gone.');
  let text = '';
  let counts: Omit<FixtureChunk, 'text'> = { steps: 0, skipped: 0, masked: 0 };
  for await (const { text: piece, ...rest } of gateway.bodies.writeFixture(run)) {
    text += piece;
    counts = rest;
  }
  return { text, counts };
}

/** Writes the only run as a fixture. */
async function saveOnlyRun(harness: Harness) {
  const [id, ...others] = await listRunIds(harness);
  if (id === undefined || others.length > 0) throw new Error('There is not exactly one run.');
  return await save(harness, id);
}

describe.each(AGENT_LOOPS)('a run over $protocol (streamed: $isStreamed)', (loop) => {
  test('that is saved as a fixture gives the same session again', async () => {
    await using harness = await startHarness({ sandbox: { fixture: script } });
    const first = await loop.run({ url: harness.url, key: harness.localKey }, TASK);
    expect(first.texts).toHaveLength(3);
    const { text, counts } = await saveOnlyRun(harness);
    expect(counts).toEqual({ steps: 3, skipped: 0, masked: 0 });
    const fixture = parseFixture(text);
    expect(fixture.models).toEqual([LOOP_MODEL]);
    expect(fixture.steps.map(({ when }) => when.contains)).toEqual([
      'Do the task of',
      'The tool add computed',
      'The tool add computed',
    ]);
    await using player = await openSandbox({ fixture });
    expect(await loop.run(player, NEXT_TASK)).toEqual(first);
    expect(player.stepsLeft).toBe(0);
  });
});

/** Runs all agents at the same time, each with a task of its own. */
async function runAll(service: { readonly url: string; readonly key: string }) {
  return await Promise.all(
    AGENT_LOOPS.map(
      async (loop, place) =>
        await loop.run(service, `Agent ${'x'.repeat(place + 1)}: do the task.`),
    ),
  );
}

test('runs of several agents at the same time are played to agents at the same time', async () => {
  const steps = AGENT_LOOPS.flatMap(({ protocol, isStreamed }) =>
    SESSION.map(({ when, answer }) => ({
      when: { ...when, protocol, stream: isStreamed },
      answer,
    })),
  );
  const all = parseFixture(JSON.stringify({ format: FIXTURE_FORMAT, models: [LOOP_MODEL], steps }));
  await using harness = await startHarness({ sandbox: { fixture: all } });
  const first = await runAll({ url: harness.url, key: harness.localKey });
  const ids = await listRunIds(harness);
  const saved = await Promise.all(
    ids.map(async (id) => parseFixture((await save(harness, id)).text)),
  );
  const fixture = { models: [LOOP_MODEL], steps: saved.flatMap((one) => one.steps) };
  expect(fixture.steps).toHaveLength(3 * AGENT_LOOPS.length);
  await using player = await openSandbox({ fixture });
  expect(await runAll(player)).toEqual(first);
});

/** Asks with a stream. Returns what came, and how it ended. */
async function ask(
  { url, key }: { readonly url: string; readonly key: string },
  content: string,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'aurora/aurora-large',
      stream: true,
      messages: [{ role: 'user', content }],
    }),
  });
  const chunks: Buffer[] = [];
  const reading = (async () => {
    for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk));
  })();
  const end = await reading.then(
    () => 'ended',
    () => 'broken',
  );
  return { end, text: Buffer.concat(chunks).toString() };
}

test('a broken stream breaks again', async () => {
  await using harness = await startHarness();
  const service = { url: harness.url, key: harness.localKey };
  const first = await ask(service, 'Hello', { 'x-sandbox-scenario': 'cut-stream' });
  expect(first.end).toBe('broken');
  const { text } = await saveOnlyRun(harness);
  await using player = await openSandbox({ fixture: parseFixture(text) });
  expect(await ask(player, 'Hello')).toEqual(first);
});

const toQuestion = (key: string) => `Is ${key} a key?`;

test('masked secrets stay masked, and are no condition', async () => {
  await using harness = await startHarness();
  const service = { url: harness.url, key: harness.localKey };
  const first = await ask(service, toQuestion(harness.localKey), {
    'x-sandbox-scenario': 'burst=1',
  });
  const { text } = await saveOnlyRun(harness);
  expect(text).not.toContain(harness.localKey);
  const fixture = parseFixture(text);
  expect(fixture.steps[0]?.when.contains).toBe('a key?');
  await using player = await openSandbox({ fixture });
  expect(await ask(player, toQuestion('another one'))).toEqual(first);
});

test('a secret that became known after it was stored is masked', async () => {
  const canary = 'canary-of-another-account-0123456789';
  await using harness = await startHarness({ secrets: createFakeKeychain() });
  const messages = [{ role: 'user', content: toQuestion(canary) }];
  await sendRequest(harness, {
    ...question('chat'),
    body: JSON.stringify({ model: 'aurora/aurora-small', messages }),
  });
  expect((await saveOnlyRun(harness)).text).toContain(canary);
  const form = upstreamFormFor('https://other.example');
  const { id } = await harness.gateway.addUpstream(form);
  await harness.gateway.saveKey(id, canary, 'keychain');
  const { text, counts } = await saveOnlyRun(harness);
  expect(text).not.toContain(canary);
  expect(counts.masked).toBeGreaterThan(0);
  expect(parseFixture(text).steps[0]?.when.contains).toBe('a key?');
});

test('a run without a whole response is refused', async () => {
  await using harness = await startHarness();
  const response = await fetch(`${harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${harness.localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox/huge-answer',
      messages: [{ role: 'user', content: 'Hello there' }],
    }),
  });
  await response.text();
  await expect(saveOnlyRun(harness)).rejects.toThrow('No response of this run is kept whole');
});

/** Asks twice, the second time by the id of the first response. Returns the responses. */
const continueResponses = async ({ url, key }: { readonly url: string; readonly key: string }) => {
  const texts: unknown[] = [];
  let previous: string | undefined;
  for (const input of ['The first question of the day.', 'The second question of the day.']) {
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'aurora/aurora-large',
        input,
        previous_response_id: previous,
      }),
    });
    const text = await response.text();
    previous = /"id":"(resp_\w+)"/u.exec(text)?.[1];
    texts.push(text);
  }
  return texts;
};

test('a run that continues stored responses is played again, also without what the service has stored', async () => {
  await using harness = await startHarness();
  const first = await continueResponses({ url: harness.url, key: harness.localKey });
  const fixture = parseFixture((await saveOnlyRun(harness)).text);
  expect(fixture.steps).toHaveLength(2);
  await using player = await openSandbox({ fixture });
  expect(await continueResponses(player)).toEqual(first);
});
