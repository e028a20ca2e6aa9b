import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSandbox } from '../../../sandbox/server.ts';
import { openTestMachine } from '../../kit/process/test-machine.ts';

test('services are listed and switched, whether Gatehouse runs or not', async () => {
  await using machine = await openTestMachine();
  await using service = await openSandbox();
  const { host } = new URL(service.url);
  const runWell = async (...args: string[]) => {
    const { code, stdout, stderr } = await machine.run(args);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  const listUsed = async () => {
    const lines = (await runWell('services')).trimEnd().split('\n').slice(1);
    return lines.filter((line) => / yes /u.test(line)).map((line) => line.split(' ')[0]);
  };
  expect(await listUsed()).toEqual(['sandbox']);
  const set = ['key', 'set', '--upstream', service.url, '--plain-text-file'];
  expect((await machine.run(set, { input: service.key })).code).toBe(0);
  expect(await listUsed()).toEqual([host]);
  expect(await runWell('services', 'use', 'Sandbox')).toContain('is used when Gatehouse starts');
  expect(await machine.json(['services', 'list'])).toMatchObject({
    services: [
      { name: host, kind: 'service', baseUrl: service.url, inUse: false },
      { id: 'sandbox', kind: 'sandbox', inUse: true },
    ],
  });

  await using serving = await machine.serve();
  expect(await listUsed()).toEqual(['sandbox']);
  const ask = async () => {
    const response = await fetch(`http://127.0.0.1:${serving.port}/v1/models`, {
      headers: { authorization: `Bearer ${serving.localKey}` },
    });
    await response.text();
    return response.status;
  };
  expect(await runWell('services', 'use', `${service.url}/`)).toBe(
    `${host} is used from the next request on.\n`,
  );
  expect(await listUsed()).toEqual([host]);
  const before = service.requests.length;
  expect(await ask()).toBe(200);
  expect(service.requests.length).toBeGreaterThan(before);
  expect(await machine.json(['services', 'use', 'sandbox'])).toEqual({ inUse: 'sandbox' });
  expect(await listUsed()).toEqual(['sandbox']);
});

test('a service that is not there, and one that is fixed for the run, are said', async () => {
  await using machine = await openTestMachine();
  await using service = await openSandbox();
  const wrong = await machine.run(['services', 'use', 'sandbx']);
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    'There is no service "sandbx". Did you mean "sandbox"? There are: "sandbox".\n',
  ]);
  const environment = { GATEHOUSE_UPSTREAM_URL: service.url, GATEHOUSE_UPSTREAM_KEY: service.key };
  await using serving = await machine.serve([], { environment });
  expect(serving.port).toBeGreaterThan(0);
  expect(await machine.json(['services'])).toMatchObject({
    services: [
      { baseUrl: service.url, inUse: true },
      { id: 'sandbox', inUse: false },
    ],
  });
  const pinned = await machine.run(['services', 'use', 'sandbox']);
  expect(pinned).toMatchObject({ code: 1, stdout: '' });
  expect(pinned.stderr).toContain('Set by GATEHOUSE_UPSTREAM_URL for this run.');
});

test('the environment wins over a stored choice, and of two services of one name none is guessed', async () => {
  await using machine = await openTestMachine();
  await using service = await openSandbox();
  await using other = await openSandbox();
  const environment = { GATEHOUSE_UPSTREAM_URL: service.url };
  const listed = await machine.run(['services', '--json'], { environment });
  expect(JSON.parse(listed.stdout)).toMatchObject({
    services: [
      { baseUrl: service.url, inUse: true },
      { id: 'sandbox', inUse: false },
    ],
  });
  const refused = await machine.run(['services', 'use', 'sandbox'], { environment });
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('Unset it first');
  await using serving = await machine.serve();
  expect(serving.port).toBeGreaterThan(0);
  for (const { url, key } of [service, other]) {
    const set = ['key', 'set', '--upstream', url, '--plain-text-file'];
    expect((await machine.run(set, { input: key })).code).toBe(0);
  }
  const file = new DatabaseSync(join(machine.dataDir, 'gatehouse.db'));
  file.exec("update upstream set name = 'Work'");
  file.close();
  const doubtful = await machine.run(['services', 'use', 'work']);
  expect(doubtful.code).toBe(1);
  expect(doubtful.stderr).toContain('Several services are called "Work"');
  expect(doubtful.stderr).toContain(other.url);
  expect((await machine.run(['services', 'use', `${other.url}/v1`])).code).toBe(0);
  const usage = await machine.run(['usage', '--of', 'work']);
  expect([usage.code, usage.stdout]).toEqual([1, '']);
  expect(usage.stderr).toContain('Several services are called "work".');
  expect(usage.stderr).toContain(service.url);
  expect(usage.stderr).toContain(other.url);
  expect(await machine.json(['usage', '--of', other.url])).toMatchObject({ of: other.url });
});
