import { generateText } from 'ai';
import { describe, expect } from 'vitest';
import type { RepairCode } from '../../../shared/exchange/repair.ts';
import { latestRequest } from '../../kit/gateway/sandbox-requests.ts';
import { testsIn } from '../../kit/gateway/harness-test.ts';
import { anthropic, MESSAGES, MODEL, ONCE, openai, QUESTION, VERCEL } from './sdks.ts';

const test = testsIn();

/** A suffix that a user typed after the address of Gatehouse, and the repairs that it causes. */
type Base = readonly [typed: string, ...repairs: RepairCode[]];

const DOUBLED = 'path-doubled';
const SLASHES = 'path-slashes';

/** Suffixes for clients that append `/chat/completions` and similar paths: the correct base ends in `/v1`. */
const WITH_V1: readonly Base[] = [
  ['/v1'],
  ['', 'path-missing-v1'],
  ['/', 'path-missing-v1'],
  ['/v1/'],
  ['/v1//', SLASHES],
  ['/v1/v1', DOUBLED],
  ['/v1/chat/completions', DOUBLED],
  ['/v1/responses', DOUBLED],
  ['/v1/messages', DOUBLED],
  ['/chat/completions', DOUBLED],
  ['/openai/v1', 'path-prefix'],
  ['/api/v1', 'path-prefix'],
  ['/V1', 'path-case'],
];

/** Suffixes for clients that append `/v1/messages`: the correct base is the bare address. */
const WITHOUT_V1: readonly Base[] = [
  [''],
  ['/'],
  ['/v1', DOUBLED],
  ['/v1/', DOUBLED],
  ['/v1/messages', DOUBLED],
  ['/anthropic', 'path-prefix'],
  ['/anthropic/v1', DOUBLED],
];

/** Each client gets an answer, whichever way its base address was typed. */
describe('The openai SDK', () => {
  test.for(WITH_V1)(
    'works with the base address http://…%s',
    async ([typed, ...codes], { harness }) => {
      const client = openai(harness, { baseURL: harness.url + typed });
      const chat = await client.chat.completions
        .create({ model: MODEL, messages: MESSAGES })
        .withResponse();
      expect(chat.data.choices[0]?.message.content).toContain(QUESTION);
      expect(latestRequest(harness).url).toBe('/v1/chat/completions');
      const record = await harness.recordOf(chat.response.headers.get('x-gatehouse-exchange'));
      expect(withoutSlashes(record.repairs)).toEqual(codes.filter((code) => code !== SLASHES));
      const { output_text: text } = await client.responses.create({
        model: MODEL,
        input: QUESTION,
      });
      expect(text).toContain(QUESTION);
      expect(latestRequest(harness).url).toBe('/v1/responses');
      const { data } = await client.models.list();
      expect(data.map(({ id }) => id)).toContain(MODEL);
    },
  );
});

describe('The Anthropic SDK', () => {
  test.for(WITHOUT_V1)(
    'works with the base address http://…%s',
    async ([typed, ...codes], { harness }) => {
      const client = anthropic(harness, { baseURL: harness.url + typed });
      const ask = { model: MODEL, messages: MESSAGES, max_tokens: 100 };
      const { data, response } = await client.messages.create(ask).withResponse();
      expect(data.content[0]).toMatchObject({ text: expect.stringContaining(QUESTION) });
      expect(latestRequest(harness).url).toBe('/v1/messages');
      const record = await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
      expect(withoutSlashes(record.repairs)).toEqual(codes);
      await client.messages.countTokens({ model: MODEL, messages: MESSAGES });
      expect(latestRequest(harness).url).toBe('/v1/messages/count_tokens');
      const models = await client.models.list();
      expect(models.data.map(({ id }) => id)).toContain(MODEL);
    },
  );
});

describe.for(VERCEL)('The Vercel provider $name', ({ pick }) => {
  test.for(WITH_V1)('works with the base address http://…%s', async ([typed], { harness }) => {
    const model = pick(harness.url + typed, harness.localKey);
    const { text } = await generateText({ model, prompt: QUESTION, ...ONCE });
    expect(text).toContain(QUESTION);
  });
});

/** Some SDKs remove a trailing slash, others do not. */
function withoutSlashes(repairs: readonly { readonly code: RepairCode }[]): RepairCode[] {
  return repairs.map(({ code }) => code).filter((code) => code !== SLASHES);
}
