import { expect, test } from 'vitest';
import type { LiveEvent } from '../../../shared/status.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';

test('many exchanges are told a few times only, and every one is counted', async () => {
  await using harness = await startHarness();
  const events: LiveEvent[] = [];
  harness.gateway.on((event) => events.push(event));
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 100 }, () => sendRequest(harness, question('chat'))));
  await harness.recorded(100);
  const written = () =>
    events.reduce((sum, event) => sum + (event.kind === 'history' ? event.written : 0), 0);
  await expect.poll(written).toBe(100);
  const most = 2 + (performance.now() - startedAt) / 250;
  for (const kind of ['history', 'running'] as const) {
    expect(events.filter((event) => event.kind === kind).length).toBeLessThanOrEqual(most);
  }
});
