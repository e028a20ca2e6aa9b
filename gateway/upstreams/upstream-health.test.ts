import { expect, test } from 'vitest';
import { UpstreamHealth } from './upstream-health.ts';

test('only a whole answer ends the doubt whether it is the service that answers', () => {
  let changes = 0;
  const health = new UpstreamHealth(
    () => (changes += 1),
    () => 1_000,
  );
  health.recordDoubt('A page.', 1);
  // The head of each page looks like that of an answer.
  health.recordSuccess();
  health.recordDoubt('A page.', 2);
  expect(health.snapshot.reach.state).toBe('doubtful');
  expect(changes).toBe(1);
  health.recordAnswer(200, 3);
  expect(health.snapshot.reach.state).toBe('reachable');
});
