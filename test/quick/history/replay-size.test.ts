import { expect, test } from 'vitest';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { describeFirstCost, measureReplay } from '../../../shared/replay.ts';

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
  [null, null, 'The tokens of the first request are not known.'],
  [null, 5_000, 'The tokens of the first request are not known. It cost $0.0050 (estimated).'],
  [1_200, null, 'The first request had 1,200 tokens in and 3 out.'],
  [1_200, 5_000, 'The first request had 1,200 tokens in and 3 out, and cost $0.0050 (estimated).'],
])('with %j tokens and the cost %j it is told: %s', (input, amount, words) => {
  const usage = { ...UNKNOWN_USAGE, input, output: 3 };
  const cost = { amount, source: 'estimated', priceId: 1 } as const;
  expect(describeFirstCost({ usage, cost, service: 'https://a.example' }, 'USD')).toBe(words);
});
