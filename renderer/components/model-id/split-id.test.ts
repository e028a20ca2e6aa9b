import { expect, test } from 'vitest';
import { splitId } from './split-id.ts';

test.each([
  ['openai/gpt-5.1', ''],
  ['qwen/qwen3-coder-480b-a35b-instruct-fp8', '-instruct-fp8'],
  ['meta-llama/llama-4-maverick-17b-128e-instruct', '-128e-instruct'],
  ['a-model-without-any-more/separatorsinthewholerest', 'atorsinthewholerest'.slice(-16)],
  [`an-id-that-ends-with-a-separat${'o'.repeat(15)}-`, `${'o'.repeat(15)}-`],
  ['😀'.repeat(30), '😀'.repeat(8)],
  [`${'😀'.repeat(30)}x`, `${'😀'.repeat(7)}x`],
  ['', ''],
])('%s may be cut before “%s”', (id, end) => {
  const [start, last] = splitId(id);
  expect(last).toBe(end);
  expect(start + last).toBe(id);
});
