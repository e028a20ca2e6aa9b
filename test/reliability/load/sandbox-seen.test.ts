import { expect, test } from 'vitest';
import { openSandboxClient } from '../../kit/sandbox/sandbox-client.ts';

test('the list holds 1,000 requests, or fewer when their bodies are large', async () => {
  await using caller = await openSandboxClient();
  for (let n = 0; n < 1010; n += 1) await (await caller.get(`/v1/models/${n}`)).body?.cancel();
  expect(caller.sandbox.requests).toHaveLength(1000);
  expect(caller.sandbox.requests.at(-1)?.url).toBe('/v1/models/1009');
  for (let n = 0; n < 40; n += 1) {
    await (await caller.post('/v1/nowhere', { padding: 'x'.repeat(2 ** 20) })).text();
  }
  expect(caller.sandbox.requests).toHaveLength(32);
});
