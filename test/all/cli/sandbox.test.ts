import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assert, expect, test } from 'vitest';
import { z } from 'zod';
import { openSandbox } from '../../../sandbox/server.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { AGENT_LOOPS, LOOP_MODEL, SESSION } from '../../kit/sandbox/agent-loops.ts';
import { openTestMachine, type TestMachine } from '../../kit/process/test-machine.ts';

const KEY = 'sandbox-fixture-key';
const FIXTURE = { format: 'gatehouse-fixture-1', models: [LOOP_MODEL], steps: SESSION };
const Address = z.object({ url: z.string(), key: z.string(), steps: z.number() });
const RunList = z.object({ runs: z.array(z.object({ id: z.string(), steps: z.number() })) });

async function writeFixture(machine: TestMachine, text: string): Promise<string> {
  await mkdir(machine.dataDir, { recursive: true, mode: 0o700 });
  const file = join(machine.dataDir, 'session.json');
  await writeFile(file, text);
  return file;
}

/** Starts a sandbox as a command. */
async function play(machine: TestMachine, fixture: string) {
  const port = await freePort();
  const command = machine.begin(['sandbox', '--fixture', fixture, '--port', String(port)]);
  await command.says('Ctrl-C stops it.');
  return {
    service: { url: `http://127.0.0.1:${port}`, key: KEY },
    async stop() {
      command.child.kill('SIGINT');
      return await command.finished;
    },
    [Symbol.asyncDispose]: () => command[Symbol.asyncDispose](),
  };
}

test('a run that was recorded from a fixture is saved and played again', async () => {
  await using machine = await openTestMachine();
  const [loop] = AGENT_LOOPS;
  assert(loop !== undefined);
  await using first = await play(machine, await writeFixture(machine, JSON.stringify(FIXTURE)));
  const environment = {
    GATEHOUSE_UPSTREAM_URL: first.service.url,
    GATEHOUSE_UPSTREAM_KEY: first.service.key,
  };
  await using serving = await machine.serve([], { environment });
  const gateway = { url: `http://127.0.0.1:${serving.port}`, key: serving.localKey };
  const transcript = await loop.run(gateway, 'Do the task.');
  expect(await first.stop()).toMatchObject({ code: 0, stderr: '3 of 3 steps played.\n' });
  const list = async () => RunList.parse(await machine.json(['runs'])).runs;
  await expect.poll(async () => (await list())[0]?.steps).toBe(3);
  const [{ id } = { id: '' }] = await list();
  const out = join(machine.dataDir, 'saved.json');
  const saved = await machine.run(['runs', id, '--fixture', '--out', out]);
  expect(saved).toMatchObject({ code: 0, stdout: `3 steps saved in ${out}\n`, stderr: '' });
  const printed = await machine.run(['runs', id, '--fixture']);
  expect(printed).toMatchObject({ code: 0, stdout: await readFile(out, 'utf8'), stderr: '' });
  expect(await machine.run(['runs', id, '--fixture', '--out', out])).toMatchObject({ code: 1 });
  await using second = await play(machine, out);
  expect(await loop.run(second.service, 'Do the task.')).toEqual(transcript);
  expect(await second.stop()).toMatchObject({ code: 0, stderr: '3 of 3 steps played.\n' });
});

test('address and key are printed as one line of JSON', async () => {
  await using machine = await openTestMachine();
  await using command = machine.begin(['sandbox', '--json', '--key', 'my-key']);
  await command.says('}\n');
  command.child.kill('SIGTERM');
  const { code, stdout, stderr } = await command.finished;
  expect([code, stderr]).toEqual([0, '']);
  expect(Address.parse(JSON.parse(stdout))).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u),
    key: 'my-key',
    steps: 0,
  });
});

test.each([
  ['{"format":"gatehouse-fixture-1","steps":[', 'It is not valid JSON'],
  ['{"format":"gatehouse-fixture-1","steps":[{}]}', 'steps[0] needs either'],
  ['\u0000\u001b[31m', 'It is not valid JSON'],
])('a fixture with %j is refused at the start', async (text, reason) => {
  await using machine = await openTestMachine();
  const file = await writeFixture(machine, text);
  const { code, stdout, stderr } = await machine.run(['sandbox', '--fixture', file]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`${file}: ${reason}`);
  expect(stderr).not.toContain('\u001b');
});

test('other wrong calls are named', async () => {
  await using machine = await openTestMachine();
  await using other = await openSandbox();
  const { port } = new URL(other.url);
  expect(await machine.run(['sandbox', '--fixture', 'none.json'])).toMatchObject({ code: 2 });
  expect(await machine.run(['sandbox', '--key', 'two words'])).toMatchObject({ code: 2 });
  expect(await machine.run(['sandbox', '--port', '70000'])).toMatchObject({ code: 2 });
  expect(await machine.run(['sandbox', '--port', port])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Port ${port} cannot be used`),
  });
  expect(await machine.run(['runs', '--fixture'])).toMatchObject({ code: 2 });
  expect(await machine.run(['runs', 'run-1', '--out', 'x.json'])).toMatchObject({ code: 2 });
  expect(await machine.run(['runs', 'run-1', '--fixture', '--json'])).toMatchObject({ code: 2 });
});
