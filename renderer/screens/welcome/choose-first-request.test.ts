import { expect, test } from 'vitest';
import { chooseFirstRequest, isAnyWorking, isWorking } from './choose-first-request.ts';

type Exchange = Parameters<typeof chooseFirstRequest>[0][number];

function exchange(startedAt: number, more: Partial<Exchange> = {}): Exchange {
  const ended = { status: 200, errorCode: null, endedBy: 'service' } as const;
  return { route: 'chat', ...ended, clientName: 'First client', startedAt, ...more };
}

const CREATED = { name: 'Cline', createdAt: 10 };

test('finding 17: a request of any client counts, also one from before the client was created', () => {
  const early = exchange(5);
  const list = [exchange(12), early, exchange(1, { route: 'models' })];
  expect(chooseFirstRequest(list, null)).toBe(early);
  expect(chooseFirstRequest(list, CREATED)).toBe(early);
});

test('the created client comes first: what worked, then what failed', () => {
  const worked = exchange(12, { clientName: 'Cline' });
  const failed = exchange(11, { clientName: null, status: 401 });
  expect(chooseFirstRequest([worked, failed, exchange(5)], CREATED)).toBe(worked);
  expect(chooseFirstRequest([failed, exchange(5)], CREATED)).toBe(failed);
});

test('a failure that is not of the created client does not hide what worked', () => {
  const worked = exchange(5);
  const failures = [
    exchange(12, { clientName: 'Zed', status: 500 }),
    exchange(6, { clientName: null, status: 401 }),
  ];
  expect(chooseFirstRequest([...failures, worked], CREATED)).toBe(worked);
  expect(chooseFirstRequest(failures, CREATED)).toBe(failures[0]);
  expect(chooseFirstRequest([], CREATED)).toBeUndefined();
});

test('an answer that is no JSON or was cut off does not count as working', () => {
  expect(isWorking(exchange(1))).toBe(true);
  expect(isWorking(exchange(1, { errorCode: 'unexpected_content_type' }))).toBe(false);
  expect(isWorking(exchange(1, { errorCode: 'upstream_connection_lost' }))).toBe(false);
  expect(isWorking(exchange(1, { endedBy: 'client' }))).toBe(false);
});

test('a request of any client works, but a list of models does not count', () => {
  const failed = exchange(12, { clientName: null, status: 401 });
  expect(isAnyWorking([failed, exchange(5)])).toBe(true);
  expect(isAnyWorking([failed, exchange(5, { route: 'models' })])).toBe(false);
  expect(isAnyWorking([])).toBe(false);
});
