import { expect, test } from 'vitest';
import { videoStateLabel } from './video-state.ts';

test.each([
  ['queued', 'Queued'],
  ['IN_QUEUE', 'Queued'],
  ['task-pending', 'Queued'],
  ['in_progress', 'Rendering'],
  ['parked', 'Rendering'],
  [null, 'Rendering'],
])('a video of which the service says %s is labelled %s', (word, label) => {
  expect(videoStateLabel({ state: 'rendering', word, problem: null }, false).label).toBe(label);
});

test('the last word of the service is no label of a finished video', () => {
  expect(videoStateLabel({ state: 'done', word: 'queued', problem: null }, false).label).toBe(
    'Done',
  );
});

test('a video that waits during a pause says so, and another does not', () => {
  const { label, about } = videoStateLabel({ state: 'waiting', word: null, problem: null }, true);
  expect([label, about]).toEqual([
    'Waiting',
    'Gatehouse is paused. It starts when you resume Gatehouse.',
  ]);
  const running = { state: 'rendering', word: null, problem: null } as const;
  expect(videoStateLabel(running, true)).toEqual(videoStateLabel(running, false));
});

test('a video that a limit holds is not said to start automatically', () => {
  const problem = '“gatehouse limits” (limit-0123456789abcdef).';
  const held = { state: 'waiting', word: null, problem } as const;
  expect(videoStateLabel(held, false).about).toMatch(/^A limit holds it\./u);
  expect(videoStateLabel({ ...held, problem: null }, false).about).toMatch(/^It starts auto/u);
});
