import { expect, test } from 'vitest';
import { NO_PRICES } from '../../../shared/money/price.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { ask, limit } from './ask.ts';

test('the log says once each when 80, 95 and 100 percent of a limit are used, also of parallel requests', async () => {
  await using harness = await startHarness();
  await limit(harness, { amount: 20 });
  const spend = async (count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(harness)));
    await Promise.all(answers.map((answer) => answer.text()));
    await harness.gateway.history.flush();
  };
  const findLines = () => harness.logged.filter((line) => /limit of all clients/u.test(line));
  await spend(15);
  expect(findLines()).toEqual([]);
  await spend(1);
  await expect.poll(findLines).toHaveLength(1);
  expect(findLines()[0]).toMatch(
    /^warn 80% of the limit of all clients is used\. 16 requests of 20 requests per day are used\. It resets at /u,
  );
  await spend(1);
  await spend(2);
  await expect.poll(findLines).toHaveLength(2);
  await spend(30);
  await expect.poll(findLines).toHaveLength(3);
  expect(findLines()[2]).toContain('The limit of all clients is used up.');
  await spend(3);
  expect(findLines()).toHaveLength(3);
});

test('a refusal in the sandbox is one of the sandbox only, and the log of the services says nothing', async () => {
  await using harness = await startHarness({ baseUrl: null, serviceKey: null });
  await limit(harness, { amount: 1 });
  expect((await ask(harness)).status).toBe(200);
  expect((await ask(harness)).status).toBe(402);
  await harness.recorded(2);
  const { limits } = harness.gateway;
  expect(limits.list('sandbox')).toMatchObject([{ used: 1, refusedAt: expect.any(Number) }]);
  expect(limits.list('services')).toMatchObject([{ used: 0, refusedAt: null }]);
  expect(harness.logged.filter((line) => line.includes('The limit of'))).toEqual([]);
});

test('the log names the same amount of money as the refusal', async () => {
  await using harness = await startHarness();
  const prices = { ...NO_PRICES, input: 2_000_000, output: 20_000_000 };
  await harness.repositories.prices.add([
    { service: null, model: '*', validFrom: 0, prices, tiers: [], origin: 'entered' },
  ]);
  await limit(harness, { measure: 'money', amount: 20_000 });
  let sent = 1;
  let answer = await ask(harness);
  while (answer.status === 200 && sent < 100) {
    await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
    answer = await ask(harness);
    sent += 1;
  }
  expect(answer.status).toBe(402);
  const used = / per day: (\$[\d.]+) used/u.exec(await answer.text())?.[1];
  expect(used).toMatch(/^\$0\.\d*[1-9]/u);
  await harness.recorded(sent);
  const findLine = () => harness.logged.findLast((line) => line.includes('The limit of all'));
  await expect.poll(findLine).toContain(`${used} of $0.020 per day are used.`);
});
