import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { openTestMachine, type TestMachine } from '../../kit/process/test-machine.ts';

let machine: TestMachine;
beforeEach(async () => {
  machine = await openTestMachine();
});
afterEach(async () => await machine[Symbol.asyncDispose]());

async function runWell(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await machine.run(args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

async function refusal(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await machine.run(args);
  expect([code === 0, stdout]).toEqual([false, '']);
  return stderr;
}

const Limits = z.object({ limits: z.array(z.object({ id: z.string(), amount: z.number() })) });

async function listLimits() {
  return Limits.parse(await machine.json(['limits', 'list', '--json'])).limits;
}

test('a limit is set, replaced, left out, and removed', async () => {
  expect(await runWell('limits', 'list')).toContain('There is no limit yet');
  await runWell('clients', 'add', 'Editor');
  expect(await runWell('limits', 'set', '--client', 'editor', '--money', '5')).toBe(
    'Editor: at most $5.00 per day. A running Gatehouse knows within a second.\n',
  );
  await runWell('limits', 'set', '--client', 'Editor', '--money', '2.50');
  const [limit, ...more] = await listLimits();
  expect([limit?.amount, more]).toEqual([2_500_000, []]);
  const id = limit?.id ?? '';
  expect(await runWell('limits', 'allow', id, '--once')).toContain('lets the next request pass');
  expect(await runWell('limits', 'list')).toContain('one more allowed');
  await runWell('limits', 'allow', id, '--hour');
  expect(await runWell('limits', 'list')).toMatch(/off until \d\d:\d\d/u);
  await runWell('limits', 'allow', id, '--none');
  expect(await runWell('limits', 'list')).not.toMatch(/off until/u);
  await runWell('limits', 'set', '--client', 'Editor', '--money', '$3');
  expect(await refusal('limits', 'allow', id)).toContain('Name one of --once, --hour and --none.');
  expect(await refusal('limits', 'allow', id, '--once', '--hour')).toContain('Name one of');
  expect(await refusal('limits', 'set')).toContain('The amount is missing: give one of --money');
  expect(await refusal('limits', 'set', 'Editor')).toContain('limits set --client NAME --money 5');
  expect(await refusal('limits', 'set', '--money', '1', '--tokens', '1')).toContain('Give only');
  expect(await runWell('limits', 'list')).toContain('Used: by requests to the sandbox');
  expect(await machine.json(['limits', 'list'])).toMatchObject({ of: 'sandbox' });
  const environment = { GATEHOUSE_UPSTREAM_URL: 'https://models.example.com' };
  const atServices = await machine.run(['limits', 'list'], { environment });
  expect(atServices.stdout).toContain('Used: by requests to services.');
  await runWell('limits', 'remove', id);
  expect(await refusal('limits', 'allow', id, '--once')).toContain('removed or replaced');
});

test('limits for each run, and of sub-agents at once', async () => {
  expect(await runWell('limits', 'set', '--run', '--money', '2')).toBe(
    'All clients: at most $2.00 per run. A running Gatehouse knows within a second.\n',
  );
  expect(await runWell('limits', 'set', '--agents', '3')).toBe(
    'All clients: at most 3 sub-agents at once per run. A running Gatehouse knows within a second.\n',
  );
  await runWell('limits', 'set', '--money', '2');
  expect(await listLimits()).toHaveLength(3);
  expect(await runWell('limits', 'list')).toMatch(/\$2\.00 +per run +\$0\.00 +0% +–/u);
  expect(await refusal('limits', 'set', '--run', '--money', '2', '--per', 'day')).toContain(
    'A limit for each run has no period',
  );
  expect(await refusal('limits', 'set', '--agents', '2', '--rolling')).toContain('has no period');
});

test('the models of a client are limited, and all are allowed again', async () => {
  await runWell('clients', 'add', 'Editor');
  expect(await runWell('clients', 'models', 'editor', 'gpt-*', 'ember-mini')).toBe(
    '"Editor" may use gpt-*, ember-mini only. A running Gatehouse knows within a second.\n',
  );
  expect(await machine.json(['clients', 'list', '--json'])).toMatchObject({
    clients: [{ name: 'Editor', models: ['gpt-*', 'ember-mini'] }],
  });
  expect(await runWell('clients', 'models', 'Editor')).toBe(
    '"Editor" may use gpt-*, ember-mini only.\n',
  );
  expect(await refusal('clients', 'models', 'Editor', 'x', '--all')).toContain('Name models');
  expect(await runWell('clients', 'models', 'Editor', '--all')).toContain('all models');
});
