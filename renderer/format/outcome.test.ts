import { expect, test } from 'vitest';
import { describeErrors, describeOutcome } from './outcome.ts';

const DONE = { status: 200, errorCode: null, endedBy: 'service' } as const;

test('a whole answer is good', () => {
  expect(describeOutcome(DONE)).toEqual({ tone: 'good', status: '200', label: 'done' });
});

test('a caller that left is nobody’s fault, before the answer and within it', () => {
  const left = { tone: 'none', label: 'client left' };
  expect(describeOutcome({ ...DONE, endedBy: 'client' })).toMatchObject(left);
  expect(describeOutcome({ ...DONE, status: null, endedBy: 'client' })).toMatchObject(left);
});

test('an answer that broke off is bad, whatever its status says', () => {
  expect(describeOutcome({ ...DONE, errorCode: 'upstream_connection_lost' })).toEqual({
    tone: 'bad',
    status: '200',
    label: 'cut off',
  });
  expect(
    describeOutcome({ ...DONE, endedBy: 'gateway', errorCode: 'shutting_down' }),
  ).toMatchObject({
    tone: 'bad',
    label: 'cut off',
  });
  expect(describeOutcome({ ...DONE, status: null })).toMatchObject({ tone: 'bad', status: '–' });
});

test('an answer of Gatehouse itself, such as a response that is given again, is good and says so', () => {
  expect(describeOutcome({ ...DONE, endedBy: 'gateway' })).toMatchObject({
    tone: 'good',
    label: 'answered by Gatehouse',
  });
});

test('an error that the client can mend is a warning, any other is bad', () => {
  expect(describeOutcome({ ...DONE, status: 429 })).toMatchObject({
    tone: 'warn',
    label: 'too many requests',
  });
  expect(describeOutcome({ ...DONE, status: 599 })).toMatchObject({
    tone: 'bad',
    label: 'service error',
  });
});

test('a code of the service goes before the status, and is not repeated without end', () => {
  const { label } = describeOutcome({ ...DONE, status: 404, errorCode: 'model_not_found' });
  expect(label).toBe('model not found');
  expect(
    describeOutcome({ ...DONE, status: 400, errorCode: 'x'.repeat(500) }).label.length,
  ).toBeLessThan(70);
});

test('a repeated video order does not look like the one that was charged', () => {
  const order = { ...DONE, endedBy: 'gateway', route: 'video-submit', attempts: 0 } as const;
  expect(describeOutcome(order)).toMatchObject({ tone: 'good', label: 'repeated, not charged' });
  expect(describeOutcome({ ...order, endedBy: 'service', attempts: 1 }).label).toBe('done');
});

test.each([
  [{ exchanges: 0, errors: 0, refused: 0 }, 'no requests yet'],
  [{ exchanges: 9, errors: 0, refused: 0 }, 'none failed'],
  [{ exchanges: 300, errors: 1, refused: 0 }, '0.3% of requests'],
  [{ exchanges: 3, errors: 1, refused: 1 }, '33% of requests, refused by a limit'],
  [{ exchanges: 4, errors: 2, refused: 2 }, '50% of requests, refused by limits'],
  [{ exchanges: 9, errors: 3, refused: 2 }, '33% of requests, 2 of the 3 errors refused by limits'],
])('the share of errors of %j is named', (sums, text) => {
  expect(describeErrors(sums)).toBe(text);
});
