import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openTestMachine } from '../../kit/process/test-machine.ts';

const ClientList = z.object({ clients: z.array(z.object({ name: z.string() })) });
const State = z.object({
  next: z.array(z.object({ clientName: z.string() })),
  held: z.array(z.object({ id: z.string(), heldAt: z.number(), until: z.number() })),
});

test('a request is held, printed, changed and refused from the terminal', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve(['--no-ui']);
  const { clients } = ClientList.parse(await machine.json(['clients', 'list']));
  const name = clients[0]?.name ?? '';
  const fields = {
    model: 'aurora/aurora-small',
    messages: [{ role: 'user', content: 'Which way is north?' }],
  };
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${serving.port}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${serving.localKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(fields),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const list = async () => State.parse(await machine.json(['clients', 'held']));
  const untilHeld = async () => {
    await expect.poll(async () => (await list()).held.length, { timeout: 30_000 }).toBe(1);
    return (await list()).held[0]?.id ?? '';
  };
  const armed = await machine.run(['clients', 'hold', name.toUpperCase(), '--seconds', '600']);
  expect([armed.code, armed.stderr]).toEqual([0, '']);
  expect(armed.stdout).toContain(`The next request of "${name}" will wait for you`);
  expect((await machine.run(['clients', 'held'])).stdout).toBe(
    `The next request of "${name}" will wait.\n`,
  );
  const changed = ask();
  const id = await untilHeld();
  expect((await machine.run(['clients', 'held'])).stdout).toMatch(
    new RegExp(String.raw`^id +client +goes on in\n${id} +${name} +\d+ s\n$`, 'u'),
  );
  const passed = await machine.run(['clients', 'hold', name, '--pass']);
  expect(passed.stdout).toBe(
    `The next request of "${name}" passes.\n${id} waits already: gatehouse clients held ${id}\n`,
  );
  const shown = await machine.run(['clients', 'held', id.slice(0, -2)]);
  expect(JSON.parse(shown.stdout)).toEqual(fields);
  const extended = await machine.run(['clients', 'held', id, '--extend', '60']);
  expect(extended.stdout).toBe(`${id} waits for 60 seconds from now.\n`);
  const { heldAt = 0, until = 0 } = (await list()).held[0] ?? {};
  expect(until - heldAt).toBeGreaterThanOrEqual(60_000);
  expect(until - heldAt).toBeLessThan(600_000);
  const file = join(machine.dataDir, 'request.json');
  const edited = { ...fields, messages: [{ role: 'user', content: 'Which way is south?' }] };
  await writeFile(file, JSON.stringify(edited, null, 2));
  const sent = await machine.run(['clients', 'held', id, '--send', file, '--next']);
  expect(sent.stdout).toBe(`${id} was sent.\n`);
  expect(await changed).toMatchObject({ status: 200, text: expect.stringContaining('south') });
  const refused = ask();
  const other = await untilHeld();
  await machine.run(['clients', 'held', other, '--refuse', 'Not now.']);
  expect(await refused).toMatchObject({
    status: 403,
    text: expect.stringContaining('Their words: Not now.'),
  });
  await machine.run(['clients', 'hold', name]);
  expect(await machine.json(['clients', 'hold', name, '--pass'])).toMatchObject({
    holdsNext: false,
  });
  expect((await machine.run(['clients', 'held'])).stdout).toBe('No request waits.\n');
  expect((await ask()).status).toBe(200);
});

test.each([
  [['clients', 'hold', 'nobody'], 'There is no client "nobody".'],
  [
    ['clients', 'hold', 'nobody', '--seconds', '3'],
    '--seconds takes a whole number from 5 to 600.',
  ],
  [['clients', 'held', 'ex-1'], 'No request waits whose id begins with ex-1.'],
  [['clients', 'held', '--send'], 'Name the request'],
  [['clients', 'held', '--extend', '60'], 'Name the request'],
  [
    ['clients', 'held', 'ex-1', '--send', '--refuse'],
    '--send, --refuse and --extend exclude each other.',
  ],
  [['clients', 'held', 'ex-1', '--extend', '3'], '--extend takes a whole number from 5 to 600.'],
  [['clients', 'held', 'ex-1', '--next'], '--next requires --send.'],
  [['clients', 'held', 'ex-1', '--send', '/nowhere'], 'nowhere'],
])('%j says what is wrong', async (args, message) => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve(['--no-ui']);
  expect(serving.port).toBeGreaterThan(0);
  const { code, stderr } = await machine.run(args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
});
