import { expect, test } from 'vitest';
import { PauseState } from './pause-state.ts';

test('finding 12: a second pause at the same moment keeps the time of the first, and changes nothing', () => {
  let time = 1_000;
  let changes = 0;
  const pause = new PauseState({
    now: () => time,
    resumeHint: 'here.',
    onChange: () => (changes += 1),
  });
  expect([pause.paused, pause.pausedAt]).toEqual([false, null]);
  pause.set(true);
  time = 2_000;
  pause.set(true);
  expect([pause.paused, pause.pausedAt, changes]).toEqual([true, 1_000, 1]);
  pause.set(false);
  pause.set(false);
  expect([pause.paused, pause.pausedAt, changes]).toEqual([false, null, 2]);
  expect(pause.problem().message).toBe('Gatehouse is paused. Nothing was sent. Resume it here.');
});
