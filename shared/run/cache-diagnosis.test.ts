import { expect, test } from 'vitest';
import {
  describeDiagnosis,
  readMessageDiagnosis,
  readResponseDiagnosis,
} from './cache-diagnosis.ts';

const TOOLS = 'The service says: the tools changed (12,340 tokens missed).';

test.each([
  [{ type: 'tools_changed', cache_missed_input_tokens: 12_340 }, TOOLS],
  ['model_changed', 'The service says: the model changed.'],
  [{ type: 'moon_phase', cache_missed_input_tokens: -1 }, 'The service says: “moon_phase”.'],
  [
    { type: 'previous_message_not_found' },
    'The service says: it does not know the request before any more.',
  ],
  [{ type: 'unavailable' }, 'The service says: it has no explanation.'],
  [
    null,
    'The service says: it does not know yet, because it had not compared the requests when it answered.',
  ],
  [{ type: 7 }, null],
  [[], null],
])('Messages: %j is put into words', (reason, words) => {
  const diagnosis = readMessageDiagnosis({ cache_miss_reason: reason });
  expect(describeDiagnosis(diagnosis, true)).toBe(words);
});

test.each([
  [{ type: 'cache_miss', reason: 'tools_changed', cache_missed_tokens: 12_340 }, TOOLS],
  [{ type: 'cache_hit' }, 'The service says: it found the request before in its cache.'],
  [
    { type: 'comparison_response_not_found' },
    'The service says: it does not know the request before any more.',
  ],
  [{ type: 'unavailable' }, 'The service says: it has no explanation.'],
  [{ type: 'x'.repeat(99) }, null],
  [{ type: 'cache_miss', reason: 'two\nlines' }, null],
  [{ type: 'cache_miss', reason: '<b>' }, null],
  [undefined, null],
  ['cache_hit', null],
])('Responses: %j is put into words', (value, words) => {
  expect(describeDiagnosis(readResponseDiagnosis(value), true)).toBe(words);
});

test.each([null, undefined, {}, [], 'none'])('Messages: %j says nothing', (diagnostics) => {
  expect(readMessageDiagnosis(diagnostics)).toBeNull();
});

test('only a change is worth a sentence where nothing was missed', () => {
  expect(describeDiagnosis(readResponseDiagnosis({ type: 'cache_hit' }), false)).toBeNull();
  const change = { type: 'cache_miss', reason: 'tools_changed', cache_missed_tokens: 12_340 };
  expect(describeDiagnosis(readResponseDiagnosis(change), false)).toBe(TOOLS);
});
