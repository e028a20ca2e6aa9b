import { afterEach, beforeEach, expect, test } from 'vitest';
import { listPrivateAddresses } from '../../../gateway/lib/own-addresses.ts';
import { openTestMachine, type TestMachine } from '../../kit/process/test-machine.ts';

let machine: TestMachine;
beforeEach(async () => {
  machine = await openTestMachine();
});
afterEach(async () => await machine[Symbol.asyncDispose]());

const [own] = listPrivateAddresses();
/** A private address that no machine of a test has. */
const ABSENT = '10.254.253.252';

test('a listener is added, listed, named by env, kept over a restart, and removed', async () => {
  const address = own?.address ?? ABSENT;
  {
    await using serving = await machine.serve(['--no-ui']);
    const added = await machine.run(['listeners', 'add', address, '--name', 'Docker']);
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(added.stdout).toContain(`:${serving.port}/v1   for Chat Completions`);
    const listed = await machine.run(['listeners']);
    expect(listed.stdout).toMatch(/Docker .*http.*\d+/u);
    const env = await machine.run(['env', 'openai', '--at', 'docker', '--shell', 'dotenv']);
    expect(env.stdout).toContain(address);
    expect(env.stdout).not.toContain('127.0.0.1');
  }
  await using serving = await machine.serve(['--no-ui']);
  expect(await machine.json(['listeners'])).toMatchObject({
    port: serving.port,
    listeners: [{ name: 'Docker', address }],
  });
  const removed = await machine.run(['listeners', 'remove', 'DOCKER']);
  expect(removed.stdout).toBe(`Gatehouse listens at ${address} no longer.\n`);
  expect(await machine.json(['listeners'])).toMatchObject({ listeners: [] });
});

test('an address is the same in any notation, also in its removal', async () => {
  await using serving = await machine.serve(['--no-ui']);
  expect(serving.port).toBeGreaterThan(0);
  await machine.run(['listeners', 'add', 'FD99:0:0::252']);
  expect(await machine.json(['listeners'])).toMatchObject({
    listeners: [{ name: 'fd99::252', address: 'fd99::252' }],
  });
  const removed = await machine.run(['listeners', 'remove', 'fd99:0::252']);
  expect(removed.stdout).toBe('Gatehouse listens at fd99::252 no longer.\n');
});

test('two commands at the same moment add both', async () => {
  await using serving = await machine.serve(['--no-ui']);
  await Promise.all([
    machine.run(['listeners', 'add', '10.254.253.1']),
    machine.run(['listeners', 'add', '10.254.253.2']),
  ]);
  expect(await machine.json(['listeners'])).toMatchObject({
    port: serving.port,
    listeners: [{}, {}],
  });
});

test('what cannot be done is said', async () => {
  await using serving = await machine.serve(['--no-ui']);
  const open = await machine.run(['listeners', 'add', '0.0.0.0']);
  expect([open.code, open.stderr]).toEqual([1, expect.stringContaining('every network')]);
  const absent = await machine.run(['listeners', 'add', ABSENT]);
  expect(absent.stdout).toContain('nothing can connect yet: This machine does not have');
  expect(absent.stdout).toContain(`http://${ABSENT}:${serving.port}/v1`);
  const missing = await machine.run(['listeners', 'remove', 'none']);
  expect(missing.stderr).toContain('There is no listener “none”');
  const unknown = await machine.run(['env', 'openai', '--at', 'none']);
  expect(unknown.stderr).toContain('There is no listener “none”');
});
