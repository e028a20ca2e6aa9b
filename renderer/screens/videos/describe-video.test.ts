import { expect, test } from 'vitest';
import { UpstreamId } from '../../../shared/upstream.ts';
import { describeSentCharge, describeLive, formatElapsed } from './describe-video.ts';

const JOB = {
  state: 'rendering',
  stateSince: 40_000,
  submittedAt: 20_000,
  askedAt: 188_000,
  nextAt: 206_000,
  progress: null,
  word: 'in_queue',
  origin: 'window',
  problem: null,
} as const;

const HELD =
  'The limit of Videos is used up. Change it with “gatehouse limits” (limit-0123456789abcdef).';

test('progress is described in words and numbers', () => {
  expect(describeLive(JOB, 200_000)).toEqual([
    '“in_queue”',
    'checked 12 s ago',
    'next check in 6 s',
    'ordered 3 min ago',
  ]);
  expect(describeLive({ ...JOB, progress: 0.429 }, 206_500)).toEqual([
    '“in_queue” 42 %',
    'checked 19 s ago',
    'next check now',
    'ordered 3 min ago',
  ]);
  expect(describeLive({ ...JOB, state: 'waiting', nextAt: null }, 200_000)).toEqual([]);
  expect(describeLive({ ...JOB, state: 'done' }, 200_000)).toEqual([]);
});

test('a video that waits says when it continues, and of one that a limit holds nothing is promised', () => {
  const waiting = { ...JOB, state: 'waiting' } as const;
  expect(describeLive(waiting, 200_000)).toEqual(['continues in 6 s']);
  expect(describeLive({ ...waiting, problem: 'No key.' }, 200_000)).toEqual(['next check in 6 s']);
  expect(describeLive({ ...waiting, problem: HELD }, 200_000)).toEqual([]);
});

test('a clock that was set back names no negative time', () => {
  expect(describeLive(JOB, 0)).toContain('checked 0 s ago');
});

test('spans grow coarser as they grow', () => {
  const minute = 60_000;
  expect(
    [400, 59_400, minute, 61 * minute, 120 * minute, 72 * 60 * minute].map(formatElapsed),
  ).toEqual(['0 s', '59 s', '1 min', '1 h 1 min', '2 h', '3 d']);
});

function serviceOf(id: string) {
  return { id: UpstreamId.parse(id), name: id, gone: false, address: id };
}

test('what was not sent has no charge', () => {
  const job = { charged: 'no', cost: null, computedCost: null } as const;
  for (const service of [serviceOf('sandbox'), serviceOf('u1')]) {
    expect(describeSentCharge({ ...job, state: 'draft', service }, 'USD')).toBeNull();
    expect(describeSentCharge({ ...job, state: 'waiting', service }, 'USD')).toBeNull();
  }
  const failed = { ...job, state: 'failed', service: serviceOf('u1') } as const;
  expect(describeSentCharge(failed, 'USD')).toBe('not charged');
});
