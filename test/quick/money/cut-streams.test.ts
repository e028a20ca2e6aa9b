import OpenAI from 'openai';
import Anthropic from '@anthropic-ai/sdk';
import * as fc from 'fast-check';
import { assert, expect, test } from 'vitest';
import { findLastEventEnd } from '../../../gateway/proxy/response/stream-limit.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { chunk, jsonAnswer, LAST_CHUNK, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';
import { ask, limit } from './ask.ts';

const TEXT = `[scenario echo] ${'word '.repeat(4_000)}`;
const messages = [{ role: 'user' as const, content: TEXT }];
const ANSWER = {
  choices: [{ message: { content: 'Hi' } }],
  usage: { prompt_tokens: 10, completion_tokens: 5 },
};
/** A request with 20 kB, about 5,000 tokens, whose answer is as long. */
const LONG = { max_tokens: 100_000, stream: true, messages };

async function startLimited(cuts: boolean): Promise<Harness> {
  const harness = await startHarness();
  await harness.gateway.changeSettings({ cutsStreams: cuts });
  await limit(harness, { measure: 'tokens', amount: 7_500 });
  return harness;
}

test.each(['chat', 'messages', 'responses'] as const)(
  'a stream of %s that exceeds a limit is ended with an error of its protocol, after a whole event',
  async (route) => {
    await using harness = await startLimited(true);
    const input = { stream: true, input: messages, messages: undefined };
    const answer = await ask(harness, route, route === 'responses' ? input : LONG);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text.length).toBeLessThan(600_000);
    const events = text.split('\n\n').filter((event) => event.trim() !== '');
    for (const event of events) {
      const data = /^data: (.*)$/mu.exec(event)?.[1];
      if (data !== undefined) expect(() => JSON.parse(data)).not.toThrow();
    }
    expect(events.at(-1)).toContain('"code":"local_limit_reached"');
    expect(events.at(-1)).toMatch(
      /The limit of all clients is 7,500 tokens per day: others used 0 tokens, and this response about [\d,]+ tokens so far, so it was ended\./u,
    );
    const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
    expect(record).toMatchObject({
      status: 200,
      endedBy: 'gateway',
      errorCode: 'local_limit_reached',
      usage: { source: 'estimated' },
    });
  },
);

test('a stream finishes when streams are not cut, and the next request is refused', async () => {
  await using harness = await startLimited(false);
  const answer = await ask(harness, 'chat', LONG);
  expect(await answer.text()).toContain('[DONE]');
  expect((await ask(harness)).status).toBe(402);
});

test('an answer whose last chunk exceeds a limit is whole', async () => {
  await using harness = await startLimited(true);
  const answer = await ask(harness, 'chat', {
    ...LONG,
    messages: [{ role: 'user', content: `${TEXT} [scenario burst]` }],
  });
  const text = await answer.text();
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  expect(text.includes('[DONE]')).toBe(record.errorCode === null);
  expect(text.includes('local_limit_reached')).toBe(record.errorCode !== null);
});

test('a stream that an exception let pass is not cut', async () => {
  await using harness = await startLimited(true);
  const limits = await harness.repositories.openSpendLimits();
  const [only] = limits.list('services');
  if (only !== undefined) await limits.allow(only.id, 'hour');
  expect(await (await ask(harness, 'chat', LONG)).text()).toContain('[DONE]');
});

test('of parallel streams each is ended, and others that fit are not', async () => {
  await using harness = await startHarness();
  await harness.gateway.changeSettings({ cutsStreams: true });
  await limit(harness, { measure: 'tokens', amount: 16_500 });
  const short = { ...LONG, messages: [{ role: 'user', content: 'Hi' }] };
  const texts = await Promise.all(
    [LONG, short, LONG].map(async (more) => {
      const answer = await ask(harness, 'chat', more);
      return answer.text();
    }),
  );
  expect(texts[1]).toContain('[DONE]');
  for (const text of [texts[0], texts[2]]) expect(text).toContain('local_limit_reached');
});

test('the official SDKs report the end of a stream as an error with its text', async () => {
  await using harness = await startLimited(true);
  const openai = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: harness.localKey });
  const chat = async () => {
    const stream = await openai.chat.completions.create({
      model: 'ember-mini',
      stream: true,
      messages,
    });
    for await (const _ of stream);
  };
  await expect(chat()).rejects.toThrow('so it was ended');
  const limits = await harness.repositories.openSpendLimits();
  for (const { id } of limits.list('services')) await limits.remove(id);
  await limit(harness, { measure: 'tokens', amount: 14_800 });
  const anthropic = new Anthropic({ baseURL: harness.url, apiKey: harness.localKey });
  const message = async () => {
    const stream = await anthropic.messages.create({
      model: 'ember-mini',
      max_tokens: 100_000,
      stream: true,
      messages,
    });
    for await (const _ of stream);
  };
  await expect(message()).rejects.toThrow('so it was ended');
});

const WORDS = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word' } }] })}\n\n`;

test('a stream that grows beyond what was reserved for it counts as it grows, and in the end as it was reported', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  await limit(harness, { measure: 'tokens', amount: 1_000 });
  const asking = ask(harness, 'chat', { model: 'm', stream: true, max_tokens: 100 });
  const { connection } = await upstream.next();
  connection.send(STREAM_HEAD);
  const reader = (await asking).body?.getReader();
  assert(reader !== undefined);
  const first = ask(harness, 'chat', { model: 'm' });
  (await upstream.next()).connection.send(jsonAnswer(200, ANSWER));
  expect((await first).status).toBe(200);
  // About 1,200 tokens.
  connection.send(chunk(WORDS.repeat(4_600)));
  for (let read = 0; read < 200_000;) read += (await reader.read()).value?.length ?? 0;
  const refused = await ask(harness, 'chat', { model: 'm' });
  expect(refused.status).toBe(402);
  expect(await refused.text()).toMatch(/1,000 tokens per day: 1,[1-4]\d\d tokens used/u);
  const end = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 60 } };
  connection.send(chunk(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`));
  connection.send(LAST_CHUNK);
  while (!(await reader.read()).done);
  await harness.recordOf((await asking).headers.get('x-gatehouse-exchange'));
  const last = ask(harness, 'chat', { model: 'm' });
  (await upstream.next()).connection.send(jsonAnswer(200, ANSWER));
  expect((await last).status).toBe(200);
  const [state] = (await harness.repositories.openSpendLimits()).list('services');
  expect(state?.used).toBe(69 + 2 * 15);
});

test('a limit that is set while a stream comes counts and ends it', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  await harness.gateway.changeSettings({ cutsStreams: true });
  const asking = ask(harness, 'chat', { model: 'm', stream: true });
  const { connection } = await upstream.next();
  connection.send(STREAM_HEAD);
  const answer = await asking;
  await limit(harness, { measure: 'tokens', amount: 1_000 });
  await expect.poll(() => harness.gateway.limits.list('services')).toHaveLength(1);
  connection.send(chunk(WORDS.repeat(4_600)));
  expect(await answer.text()).toContain('"code":"local_limit_reached"');
});

test('nothing of what had come before a cut follows it', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  await harness.gateway.changeSettings({ cutsStreams: true });
  await limit(harness, { measure: 'tokens', amount: 100 });
  const asking = ask(harness, 'chat', { model: 'm', stream: true, max_tokens: 10 });
  const arrived = await upstream.next();
  // One write, whose pieces come before the first is passed on.
  const pieces = Array.from({ length: 40 }, () => chunk(WORDS.repeat(80)));
  arrived.connection.send(Buffer.concat([Buffer.from(STREAM_HEAD), ...pieces]));
  const answer = await asking;
  const text = await answer.text();
  expect(text.split('local_limit_reached')).toHaveLength(2);
  expect(text.trimEnd().endsWith('}')).toBe(true);
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  expect(record).toMatchObject({ endedBy: 'gateway', errorCode: 'local_limit_reached' });
  const { returned } = await harness.gateway.readBodies(record.id);
  expect(returned?.bytes).toBe(Buffer.byteLength(text));
});

test('the last whole event of a chunk ends where only a part of another follows', () => {
  const event = fc.constantFrom('data: a\n\n', 'event: b\ndata: c\n\n', 'data: d\r\n\r\n');
  fc.assert(
    fc.property(fc.array(event), fc.constantFrom('', 'da', 'data: x', 'data: x\n'), (all, rest) => {
      const whole = all.join('');
      const end = findLastEventEnd(Buffer.from(whole + rest));
      expect(end).toBe(whole === '' ? -1 : whole.length);
    }),
  );
});
