import { expect, test } from 'vitest';
import { createDiagnostics } from '../../../gateway/api/procedures/diagnostics.ts';
import { startHarness } from '../../kit/gateway/harness.ts';

test('the sandbox is described as a part of Gatehouse, not as a service that nobody has contacted', async () => {
  await using harness = await startHarness({ baseUrl: null });
  const { reach } = await harness.gateway.status();
  expect(reach.sentence).toBe('It is built in and needs no connection.');
  const context = { ...harness, windowPort: null, ...harness.repositories };
  const diagnosis = await createDiagnostics(context);
  expect(diagnosis).toMatch(/^Upstream .*\(in use, sandbox, key: /mu);
  expect(diagnosis).not.toContain('vendor');
});
