import { expect, test } from 'vitest';
import {
  isObject,
  MODEL,
  openSandboxClient,
  parseEvents,
  readJson,
  type SandboxClient,
} from '../../kit/sandbox/sandbox-client.ts';

const SCENARIO = { 'x-sandbox-scenario': 'explains-cache' };
const TASK = { role: 'user', content: 'Mend the parser.' };
const MORE = [
  { role: 'assistant', content: 'It is mended.' },
  { role: 'user', content: 'Mend the lexer.' },
];
const FIRST = { model: MODEL, max_tokens: 500, system: 'Work well.', messages: [TASK] };

async function askMessages(caller: SandboxClient, body: object) {
  return await readJson(await caller.post('/v1/messages', body, SCENARIO));
}

test.for([
  ['the same with more', { messages: [TASK, ...MORE] }, null],
  ['another model', { model: 'aurora/aurora-small' }, 'model_changed'],
  ['tools', { tools: [{ name: 'read', input_schema: {} }] }, 'tools_changed'],
  ['another system prompt', { system: 'Work fast.' }, 'system_changed'],
  ['another task', { messages: [MORE[1]] }, 'messages_changed'],
] as const)('Messages: %s is compared with the request before', async ([, change, reason]) => {
  await using caller = await openSandboxClient();
  const first = await askMessages(caller, {
    ...FIRST,
    diagnostics: { previous_message_id: null },
  });
  expect(first['diagnostics']).toBeNull();
  const diagnostics = { previous_message_id: first['id'] };
  const second = await askMessages(caller, { ...FIRST, ...change, diagnostics });
  const missed = reason === 'messages_changed' ? 4 : 6;
  const found = { type: reason, cache_missed_input_tokens: missed };
  expect(second['diagnostics']).toEqual(reason === null ? null : { cache_miss_reason: found });
});

test('Messages: a request that does not ask is not remembered, and what is no id is refused', async () => {
  await using caller = await openSandboxClient();
  const first = await askMessages(caller, FIRST);
  expect(first).not.toHaveProperty('diagnostics');
  const ask = (id: unknown) => ({ ...FIRST, diagnostics: { previous_message_id: id } });
  expect((await askMessages(caller, ask(first['id'])))['diagnostics']).toEqual({
    cache_miss_reason: { type: 'previous_message_not_found' },
  });
  const refused = await caller.post('/v1/messages', ask('another-id'), SCENARIO);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('previous_message_id');
});

test('Responses: the last event of a stream has the result', async () => {
  await using caller = await openSandboxClient();
  const body = { model: MODEL, instructions: 'Work well.', input: [TASK] };
  const ask = async (more: object, id?: unknown) => {
    const options =
      id === undefined ? {} : { prompt_cache_options: { comparison_response_id: id } };
    const sent = { ...body, ...more, ...options, stream: true };
    const events = parseEvents(await (await caller.post('/v1/responses', sent, SCENARIO)).text());
    const last = events.at(-1)?.['response'];
    if (!isObject(last)) throw new Error('No response.');
    return last;
  };
  const first = await ask({});
  expect(first).not.toHaveProperty('prompt_cache_diagnostics');
  const same = await ask({ input: [TASK, ...MORE] }, first['id']);
  expect(same['prompt_cache_diagnostics']).toEqual({ type: 'cache_hit' });
  const other = await ask({ instructions: 'Work fast.' }, same['id']);
  expect(other['prompt_cache_diagnostics']).toMatchObject({
    type: 'cache_miss',
    reason: 'input_changed',
  });
  const unknown = await ask({}, 'resp_unknown');
  expect(unknown['prompt_cache_diagnostics']).toEqual({ type: 'comparison_response_not_found' });
});

test.for([
  ['/v1/messages', { ...FIRST, diagnostics: { previous_message_id: null } }],
  [
    '/v1/responses',
    { model: MODEL, input: 'Hi', prompt_cache_options: { comparison_response_id: 'resp_1' } },
  ],
] as const)(
  '%s: the question is refused by name under a scenario, and ignored usually',
  async ([path, body]) => {
    await using caller = await openSandboxClient();
    const refused = await caller.post(path, body, {
      'x-sandbox-scenario': 'rejects-cache-question',
    });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toMatch(/diagnostics|prompt_cache_options/u);
    const usual = await readJson(await caller.post(path, body));
    expect(usual).not.toHaveProperty('diagnostics');
    expect(usual).not.toHaveProperty('prompt_cache_diagnostics');
  },
);
