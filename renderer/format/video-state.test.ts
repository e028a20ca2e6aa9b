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
  expect(videoStateLabel({ state: 'rendering', word }).label).toBe(label);
});

test('the last word of the service is no label of a finished video', () => {
  expect(videoStateLabel({ state: 'done', word: 'queued' }).label).toBe('Done');
});
