import { expect, test } from 'vitest';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { describeFirstCost, measureFirst, measureReplay } from '../../../shared/replay.ts';

function request(fields: Record<string, unknown>) {
  const text = JSON.stringify(fields);
  return { protocol: 'chat', path: '/v1/chat/completions', headers: [], text, fields } as const;
}

test('a request is measured as it will be sent, without its images', () => {
  const image = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${'A'.repeat(99)}` },
  };
  const content = [{ type: 'text', text: 'What is this?' }, image, { ...image, type: 'image' }];
  const first = request({ model: 'm', max_tokens: 50, messages: [{ role: 'user', content }] });
  const size = measureReplay(first, { changed: { user: 'me' }, removed: [] });
  expect(size).toMatchObject({ images: 2, maxTokens: 50 });
  expect(size.text).toContain('What is this?');
  expect(size.text).toContain('"user":"me"');
  expect(size.text).not.toContain('AAA');
  const changes = { changed: { messages: [] }, removed: ['max_tokens'] };
  expect(measureReplay(first, changes)).toMatchObject({ images: 0, maxTokens: null });
});

test.each([
  ['responses', { previous_response_id: 'resp_1' }, true],
  ['responses', { conversation: { id: 'conv_1' } }, true],
  ['responses', { previous_response_id: null }, false],
  ['messages', { thread: { type: 'continue', id: 'thread_1' } }, true],
  ['messages', { thread: { type: 'create' } }, false],
  ['chat', { previous_response_id: 'resp_1' }, false],
] as const)('a %s request with %j continues what is stored: %s', (protocol, fields, continues) => {
  const first = { ...request({ model: 'm', ...fields }), protocol };
  const exchange = {
    usage: UNKNOWN_USAGE,
    status: 200,
    errorCode: null,
    endedBy: 'service' as const,
  };
  expect(measureReplay(first, { changed: {}, removed: [] }).continues).toBe(continues);
  expect(measureFirst(first, exchange, (text) => text.length).continues).toBe(continues);
  expect(measureReplay(first, { changed: {}, removed: Object.keys(fields) }).continues).toBe(false);
});

test.each([
  [null, null, 'The tokens of the first request are not known.'],
  [null, 5_000, 'The tokens of the first request are not known. It cost $0.0050 (estimated).'],
  [1_200, null, 'The first request had 1,200 tokens in and 3 out.'],
  [1_200, 5_000, 'The first request had 1,200 tokens in and 3 out, and cost $0.0050 (estimated).'],
])('with %j tokens and the cost %j it is told: %s', (input, amount, words) => {
  const usage = { ...UNKNOWN_USAGE, input, output: 3 };
  const cost = { amount, source: 'estimated', priceId: 1 } as const;
  expect(describeFirstCost({ usage, cost, service: 'https://a.example' }, 'USD')).toBe(words);
});
