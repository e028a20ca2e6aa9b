import { expect, test } from 'vitest';
import { z } from 'zod';
import { openSandbox } from '../../../sandbox/server.ts';
import { readLoopFixture, ToolLoop } from '../../kit/history/tool-loop.ts';
import { openTestMachine } from '../../kit/process/test-machine.ts';

const Resumed = z.object({ resumed: z.boolean() });
const ClientList = z.object({ clients: z.array(z.object({ name: z.string() })) });
/** Turns after which an agent that repeats a call is noticed with the settings at first. */
const REPEATS = 10;

test('the terminal tells of an agent that repeats a call; commands of other processes stop it and let it go on', async () => {
  await using sandbox = await openSandbox({ fixture: readLoopFixture() });
  await using machine = await openTestMachine();
  await using serving = await machine.serve(['--no-ui'], {
    environment: { GATEHOUSE_UPSTREAM_URL: sandbox.url, GATEHOUSE_UPSTREAM_KEY: sandbox.key },
  });
  const url = `http://127.0.0.1:${serving.port}`;
  const loop = new ToolLoop(url, serving.localKey);
  const noticed = serving.errorSays(
    `called bash with the same arguments ${REPEATS} times in a row`,
  );
  expect((await loop.ask('again')).status).toBe(200);
  for (let turn = 1; turn < REPEATS; turn += 1) expect((await loop.goOn('again')).status).toBe(200);
  await noticed;
  const { clients } = ClientList.parse(await machine.json(['clients', 'list']));
  const name = clients[0]?.name ?? '';
  const stopped = await machine.run(['clients', 'stop', name.toUpperCase()]);
  expect([stopped.code, stopped.stderr]).toEqual([0, '']);
  expect(stopped.stdout).toContain(`"${name}" was stopped`);
  const refused = await Promise.all([
    loop.goOn('again'),
    new ToolLoop(url, serving.localKey).ask('x'),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([402, 402]);
  expect(await refused[0]?.text()).toContain(`gatehouse clients resume`);
  const both = await Promise.all([
    machine.json(['clients', 'resume', name]),
    machine.json(['clients', 'resume', name]),
  ]);
  expect(both.filter((one) => Resumed.parse(one).resumed)).toHaveLength(1);
  expect((await loop.goOn('again')).status).toBe(200);
  expect((await machine.run(['clients', 'resume', name])).stdout).toBe(
    `"${name}" was not stopped.\n`,
  );
});

test('a client that does not exist, and a data folder on which none runs, are told', async () => {
  await using machine = await openTestMachine();
  for (const command of ['stop', 'resume']) {
    const { code, stderr } = await machine.run(['clients', command, 'nobody']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^No Gatehouse is running/u);
  }
  await using serving = await machine.serve();
  expect(serving.port).toBeGreaterThan(0);
  for (const command of ['stop', 'resume']) {
    const { code, stderr } = await machine.run(['clients', command, 'nobody']);
    expect([code, stderr]).toEqual([1, 'There is no client "nobody".\n']);
  }
});
