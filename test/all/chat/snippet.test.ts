import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TextProtocol } from '../../../shared/chat/chat.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { NASTY } from '../../kit/nasty-text.ts';
import { runShell, runTypescript, SHELL } from '../../kit/process/run-code.ts';
import { type ChatClient, createChatClient, lane } from '../../kit/chat/chat-client.ts';

let harness: Harness;
let chatClient: ChatClient;
beforeAll(async () => {
  harness = await startHarness();
  chatClient = createChatClient(harness);
});
afterAll(() => harness[Symbol.asyncDispose]());

describe.each(TextProtocol.options)('over %s', (protocol) => {
  test('a snippet with the official client sends a request equal to that of the lane', async () => {
    const id = await chatClient.begin([lane(protocol)], { system: NASTY, maxTokens: 500 });
    const { text } = await chatClient.ask(id, `Echo: ${NASTY}`);
    const asked: unknown = JSON.parse(String(await harness.sandbox.requests.at(-1)?.body));
    const source = await (
      await harness.gateway.chat()
    ).snippet({ id, lane: 0, language: 'typescript' });
    expect(source).not.toContain('gh-');
    expect(await runTypescript(source, harness.localKey)).toBe(text);
    expect(JSON.parse(String(await harness.sandbox.requests.at(-1)?.body))).toEqual(asked);
  });

  test.runIf(SHELL)('the curl snippet sends a request equal to that of the lane', async () => {
    const id = await chatClient.begin([lane(protocol)]);
    await chatClient.ask(id, 'Hello curl');
    const asked: unknown = JSON.parse(String(await harness.sandbox.requests.at(-1)?.body));
    const command = await (await harness.gateway.chat()).snippet({ id, lane: 0, language: 'curl' });
    expect(await runShell(command, harness.localKey)).toContain('curl');
    const latest = harness.sandbox.requests.at(-1);
    expect(JSON.parse(String(await latest?.body))).toEqual(asked);
    const record = (await harness.recorded(1))[0];
    expect(record).toMatchObject({ clientName: 'Test', status: 200, repairs: [] });
  });
});

test('a snippet needs a message, and images are placeholders', async () => {
  const id = await chatClient.begin([lane()]);
  const empty = (await harness.gateway.chat()).snippet({ id, lane: 0, language: 'curl' });
  await expect(empty).rejects.toThrow('There are no messages yet');
  const elsewhere = (await harness.gateway.chat()).snippet({ id, lane: 2, language: 'curl' });
  await expect(elsewhere).rejects.toHaveProperty('name', 'NotFoundError');
});
