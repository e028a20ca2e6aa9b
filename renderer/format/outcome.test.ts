import { expect, test } from 'vitest';
import { describeOutcome } from './outcome.ts';

const DONE = { status: 200, errorCode: null, endedBy: 'service' } as const;

test('a whole answer is good', () => {
  expect(describeOutcome(DONE)).toEqual({ tone: 'good', status: '200', label: 'done' });
});

test('a caller that left is nobody’s fault, before the answer and within it', () => {
  const left = { tone: 'none', label: 'client disconnected' };
  expect(describeOutcome({ ...DONE, endedBy: 'client' })).toMatchObject(left);
  expect(describeOutcome({ ...DONE, status: null, endedBy: 'client' })).toMatchObject(left);
});

test('an answer that broke off is bad, whatever its status says', () => {
  expect(describeOutcome({ ...DONE, errorCode: 'upstream_connection_lost' })).toEqual({
    tone: 'bad',
    status: '200',
    label: 'upstream connection lost',
  });
  expect(
    describeOutcome({ ...DONE, endedBy: 'gateway', errorCode: 'shutting_down' }),
  ).toMatchObject({
    tone: 'bad',
    label: 'shutting down',
  });
  expect(describeOutcome({ ...DONE, status: null })).toMatchObject({ tone: 'bad', status: '–' });
});

test('what Gatehouse answers by itself, such as an answer given before, is good and says so', () => {
  expect(describeOutcome({ ...DONE, endedBy: 'gateway' })).toMatchObject({
    tone: 'good',
    label: 'answered by Gatehouse',
  });
});

test('what the client could do better is a warning, what it cannot is bad', () => {
  expect(describeOutcome({ ...DONE, status: 429 })).toMatchObject({
    tone: 'warn',
    label: 'too many requests',
  });
  expect(describeOutcome({ ...DONE, status: 599 })).toMatchObject({
    tone: 'bad',
    label: 'the service failed',
  });
});

test('a code of the service goes before the status, and is not repeated without end', () => {
  const { label } = describeOutcome({ ...DONE, status: 404, errorCode: 'model_not_found' });
  expect(label).toBe('model not found');
  expect(
    describeOutcome({ ...DONE, status: 400, errorCode: 'x'.repeat(500) }).label.length,
  ).toBeLessThan(70);
});
