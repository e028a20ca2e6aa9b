import { expect, test } from 'vitest';
import { type Harness, startHarness } from '../../../kit/gateway/harness.ts';
import { ask, limit } from '../../money/ask.ts';

const COMMAND = 'npm run -s gatehouse --';

async function refusal({ url }: Harness, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(`${url}/v1/models`, { headers });
  expect(answer.status).toBe(401);
  return await answer.text();
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

test('refusals of keys name the command with which this Gatehouse is started', async () => {
  await using harness = await startHarness({ command: COMMAND });
  const { clients } = harness.gateway;
  expect(await refusal(harness, {})).toContain(`or with: ${COMMAND} clients add NAME`);
  const wrong = await refusal(harness, bearer('gh-wrong'));
  expect(wrong).toContain(`or with: ${COMMAND} clients add NAME`);
  const own = await refusal(harness, bearer(harness.keys.current() ?? ''));
  expect(own).toContain(`or with: ${COMMAND} clients add NAME`);
  const { client, key } = await clients.add('Editor');
  await clients.revoke(client.id);
  const revoked = await refusal(harness, bearer(key));
  expect(revoked).toContain(`or with: ${COMMAND} connect)`);
  expect(revoked).toContain(`with: ${COMMAND} clients add Editor`);
});

test('refusals by limits name the command with which this Gatehouse is started', async () => {
  await using harness = await startHarness({ command: COMMAND });
  const { clients } = harness.gateway;
  const { id } = await limit(harness, { amount: 1 });
  expect((await ask(harness)).status).toBe(200);
  const refused = await ask(harness);
  expect(refused.status).toBe(402);
  expect(await refused.text()).toContain(`with the command “${COMMAND} limits” (limit-`);
  await (await harness.repositories.openSpendLimits()).remove(id);
  const [client] = await clients.list();
  await clients.setModels(client!.id, ['claude-*']);
  const other = await ask(harness);
  expect(other.status).toBe(403);
  expect(await other.text()).toContain(`with the command “${COMMAND} clients models”`);
});
