import { expect, test } from 'vitest';
import { z } from 'zod';
import { openSandbox } from '../../../sandbox/server.ts';
import {
  openTestMachine,
  type RunningServer,
  sandboxEnvironment,
} from '../../kit/process/test-machine.ts';

const Report = z.object({
  id: z.string().nullable(),
  model: z.string(),
  status: z.number().nullable(),
  text: z.string(),
  problem: z.string().nullable(),
});
const Reports = z.object({ first: Report, replays: z.array(Report) });
const Shown = z.object({
  exchange: z.object({ clientName: z.string() }),
  bodies: z.object({ sent: z.object({ text: z.string() }) }),
});

/** Asks as a client. Returns the id of the exchange. */
async function ask(
  { port, localKey }: RunningServer,
  content: string,
  fields: object = {},
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'aurora/aurora-small',
      messages: [{ role: 'user', content }],
      ...fields,
    }),
  });
  await response.text();
  return response.headers.get('x-gatehouse-exchange') ?? '';
}

test('a request is sent again, to other models and with other fields', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const id = await ask(serving, 'Which way is \u001b[31mnorth\u001b[0m?', { stream: true });
  const again = async (...args: string[]) => await machine.run(['replay', id, ...args]);
  await expect.poll(async () => (await again()).code).toBe(0);
  const printed = await again();
  expect(printed.stderr).toMatch(
    /^Asking aurora\/aurora-small\. The first request had \d+ tokens? in and \d+ out, and cost \$[\d.]+ \(sandbox, not charged\)\.\naurora\/aurora-small: about \$[\d.]+ \(sandbox, not charged\)\.\n$/u,
  );
  expect(printed.stdout).toMatch(/^First answer, aurora\/aurora-small, ex-/u);
  expect(printed.stdout.match(/standing in for aurora\/aurora-small/gu)).toHaveLength(2);
  expect(printed.stdout).not.toContain('\u001b[31m');
  const models = ['--model', 'isle/isle-pro', '--model', 'borealis/borealis-chat'];
  const { stdout } = await again(
    ...models,
    '--set',
    'temperature=0.5',
    '--set',
    'user=me',
    '--json',
  );
  const { first, replays } = Reports.parse(JSON.parse(stdout));
  expect(first).toMatchObject({ id, model: 'aurora/aurora-small', problem: null });
  expect(replays).toMatchObject([
    { model: 'isle/isle-pro', status: 200, problem: null },
    { model: 'borealis/borealis-chat', status: 200, problem: null },
  ]);
  expect(replays[0]?.text).toContain('standing in for isle/isle-pro');
  const show = async () =>
    Shown.safeParse(await machine.json(['show', replays[0]?.id ?? ''])).data ?? null;
  await expect.poll(show).not.toBeNull();
  const shown = await show();
  expect(shown?.exchange.clientName).toBe('Replay');
  expect(JSON.parse(shown?.bodies.sent.text ?? '')).toMatchObject({
    model: 'isle/isle-pro',
    temperature: 0.5,
    user: 'me',
    stream: true,
  });
});

test('before a service is asked, the cost at each model is named by the prices, or how to set one', async () => {
  await using machine = await openTestMachine();
  await using sandbox = await openSandbox();
  const priced = ['prices', 'set', 'aurora/*', '--input', '1000', '--output', '1000'];
  await machine.run(priced);
  await using serving = await machine.serve([], { environment: sandboxEnvironment(sandbox) });
  const id = await ask(serving, 'Hello');
  const again = async () =>
    await machine.run(['replay', id, '--model', 'aurora/aurora-small', '--model', 'isle/isle-pro']);
  await expect.poll(async () => (await again()).code).toBe(0);
  const { stderr } = await again();
  expect(stderr).toMatch(
    /The first request had \d+ tokens? in and \d+ out, and cost \$0\.\d+ \(from known counts\)\./u,
  );
  expect(stderr).toMatch(/aurora\/aurora-small: about \$[\d.]+ by your prices\.\n/u);
  expect(stderr).toContain(
    'No price is known for isle/isle-pro. To set one:\n  gatehouse prices set isle/isle-pro --input AMOUNT --output AMOUNT\n',
  );
});

test('a failed answer beside a good one is named, with exit code 1', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const id = await ask(serving, 'Hello');
  const models = ['--model', 'sandbox/error-500', '--model', 'isle/isle-pro'];
  const replayed = async () => await machine.run(['replay', id, ...models]);
  await expect
    .poll(async () => (await replayed()).stdout)
    .toContain('Failed: The server had an error.');
  const { code, stdout } = await replayed();
  expect(code).toBe(1);
  expect(stdout).toContain('standing in for isle/isle-pro');
});

test('Ctrl-C ends the request', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const id = await ask(serving, 'Hello', { stream: true });
  await expect.poll(async () => (await machine.run(['replay', id])).code).toBe(0);
  const silent = [{ role: 'user', content: '[scenario silent-stream=600000]' }];
  await using command = machine.begin([
    'replay',
    id,
    '--set',
    `messages=${JSON.stringify(silent)}`,
  ]);
  const running = async () => JSON.stringify(await machine.json(['status']));
  await expect.poll(running).toMatch(/"running":1/u);
  command.child.kill('SIGINT');
  const { code, stdout } = await command.finished;
  expect([code, stdout]).toEqual([1, expect.stringContaining('Failed: Stopped.')]);
  await expect.poll(running).toMatch(/"running":0/u);
});

test('a request that cannot be sent, and wrong calls, are named', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const id = await ask(serving, `Is ${serving.localKey} a key?`);
  const replayed = async () => (await machine.run(['replay', id])).stderr;
  await expect
    .poll(replayed)
    .toContain('This request cannot be sent again. It has 1 masked secret');
  const wrong = async (...args: string[]) => (await machine.run(['replay', ...args])).code;
  expect(await wrong('ex-1234567890')).toBe(1);
  expect(await wrong('nonsense')).toBe(2);
  expect(await wrong(id, '--set', 'temperature')).toBe(2);
  expect(await wrong(id, '--set', 'model=x')).toBe(2);
  expect(await wrong(id, ...[1, 2, 3, 4].flatMap((n) => ['--model', `m${n}`]))).toBe(2);
});

test('without a running Gatehouse nothing is sent', async () => {
  await using machine = await openTestMachine();
  const serving = await machine.serve();
  const id = await ask(serving, 'Hello');
  await serving.stop('SIGINT');
  const { code, stderr } = await machine.run(['replay', id]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('No Gatehouse is running')]);
});
