import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type RunningServer,
  openTestMachine,
  type TestMachine,
} from '../../kit/process/test-machine.ts';

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

test('an alias is set, replaced and removed, for a client and in a profile', async () => {
  expect(await runWell('aliases', 'list')).toContain('There is no alias yet');
  expect(await runWell('use')).toContain('There is no profile yet');
  await runWell('clients', 'add', 'Editor');
  expect(await runWell('aliases', 'set', 'main', 'ember-mini', '--effort', 'low')).toBe(
    'main is sent as ember-mini with the effort low for every client. A running Gatehouse knows within a second.\n',
  );
  await runWell('aliases', 'set', 'MAIN', 'isle/isle-pro');
  expect(
    await runWell('aliases', 'set', '**', 'h3', '--client', 'editor', '--profile', 'Cheap'),
  ).toContain('Models that the service does not list are sent as h3 for Editor while the profile');
  expect(await machine.json(['aliases', 'list', '--json'])).toMatchObject({
    aliases: [
      { name: 'MAIN', model: 'isle/isle-pro', effort: null, clientId: null, profile: null },
      { name: '*', model: 'h3', clientName: 'Editor', profile: 'Cheap' },
    ],
    profiles: [{ name: 'Cheap', upstreamId: null, used: false }],
  });
  expect(await runWell('use', 'cheap')).toContain('The profile Cheap is used');
  expect(await runWell('aliases', 'list')).toContain('Cheap (used)');
  expect(await runWell('use')).toMatch(/Cheap +yes +1 +as it is/u);
  expect(await refusal('aliases', 'remove', '*')).toContain(
    'There is one with --client "Editor" --profile "Cheap".',
  );
  await runWell('aliases', 'remove', '*', '--client', 'Editor', '--profile', 'cheap');
  await runWell('aliases', 'remove', 'main');
  expect(await runWell('aliases', 'list')).toContain('There is no alias yet');
  await runWell('aliases', 'profile', 'cheap', '--remove');
  expect(await refusal('use', 'cheap')).toContain('There are no profiles yet.');
});

test('wrong calls say what is wrong', async () => {
  expect(await refusal('aliases', 'set', 'main', 'x', '--effort', 'very high')).toContain(
    'An effort is one word',
  );
  expect(await refusal('aliases', 'set', 'main', 'x', '--client', 'Nobody')).toContain(
    'There is no client "Nobody".',
  );
  expect(await refusal('aliases', 'set', 'main', 'x', '--profile', 'none')).toContain(
    'A profile cannot be called “none”.',
  );
  expect(await refusal('aliases', 'set', 'm'.repeat(257), 'x')).toContain('at most 256');
  expect(await refusal('aliases', 'profile', 'p', '--service', 'elsewhere')).toContain(
    'There is no service "elsewhere". There are: "sandbox".',
  );
});

const Answer = z.object({ model: z.string() });

async function ask({ port, localKey }: RunningServer): Promise<string | number> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'main', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  const text = await answer.text();
  return answer.status === 200 ? Answer.parse(JSON.parse(text)).model : answer.status;
}

test('a running Gatehouse uses another profile at once, and learns aliases of other processes', async () => {
  await using server = await machine.serve();
  expect(await ask(server)).toBe(404);
  await runWell('aliases', 'set', 'main', 'ember-mini', '--profile', 'fast');
  await runWell('aliases', 'set', 'main', 'isle/isle-pro', '--profile', 'good');
  await runWell('use', 'fast');
  await expect.poll(() => ask(server)).toBe('ember-mini');
  expect(await machine.json(['use', 'good', '--json'])).toMatchObject({ used: 'good' });
  expect(await ask(server)).toBe('isle/isle-pro');
  await runWell('use', 'none');
  expect(await ask(server)).toBe(404);
  await runWell('aliases', 'set', 'main', 'h3');
  await runWell('aliases', 'set', 'main', 'borealis/borealis-chat');
  await expect.poll(() => ask(server)).toBe('borealis/borealis-chat');
  await server.stop('SIGTERM');
});
