import { expect, test } from 'vitest';
import { outcomeWords } from './outcome-words.ts';

const DONE = { status: 200, errorCode: null, endedBy: 'service' } as const;

test('a whole answer is good', () => {
  expect(outcomeWords(DONE)).toEqual({ tone: 'good', status: '200', words: 'done' });
});

test('a caller that left is nobody’s fault, before the answer and within it', () => {
  const left = { tone: 'none', words: 'the client left' };
  expect(outcomeWords({ ...DONE, endedBy: 'client' })).toMatchObject(left);
  expect(outcomeWords({ ...DONE, status: null, endedBy: 'client' })).toMatchObject(left);
});

test('an answer that broke off is bad, whatever its status says', () => {
  expect(outcomeWords({ ...DONE, errorCode: 'upstream_connection_lost' })).toEqual({
    tone: 'bad',
    status: '200',
    words: 'upstream connection lost',
  });
  expect(outcomeWords({ ...DONE, endedBy: 'gateway', errorCode: 'shutting_down' })).toMatchObject({
    tone: 'bad',
    words: 'shutting down',
  });
  expect(outcomeWords({ ...DONE, status: null })).toMatchObject({ tone: 'bad', status: '–' });
});

test('what Gatehouse answers by itself, such as an answer given before, is good and says so', () => {
  expect(outcomeWords({ ...DONE, endedBy: 'gateway' })).toMatchObject({
    tone: 'good',
    words: 'answered here',
  });
});

test('what the client could do better is a warning, what it cannot is bad', () => {
  expect(outcomeWords({ ...DONE, status: 429 })).toMatchObject({
    tone: 'warn',
    words: 'too many requests',
  });
  expect(outcomeWords({ ...DONE, status: 599 })).toMatchObject({
    tone: 'bad',
    words: 'the service failed',
  });
});

test('a code of the service goes before the status, and is not repeated without end', () => {
  const { words } = outcomeWords({ ...DONE, status: 404, errorCode: 'model_not_found' });
  expect(words).toBe('model not found');
  expect(
    outcomeWords({ ...DONE, status: 400, errorCode: 'x'.repeat(500) }).words.length,
  ).toBeLessThan(70);
});
