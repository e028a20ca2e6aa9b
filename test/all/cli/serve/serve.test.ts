import { once } from 'node:events';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, assert, beforeEach, expect, test } from 'vitest';
import { acquireLock } from '../../../../host/lock/instance-lock.ts';
import { openSandbox } from '../../../../sandbox/server.ts';
import {
  openTestMachine,
  sandboxEnvironment,
  SCRIPT_INSTALLED,
  type TestMachine,
} from '../../../kit/process/test-machine.ts';
import { ask } from '../../../kit/process/streamed-question.ts';

/** The answer waits at its gate, then comes slowly: a signal right before the gate opens is noticed while it comes. */
const SLOW_AFTER_GATE = 'Hello [scenario gate=1] [scenario slow-stream=50]';

let terminal: TestMachine;

beforeEach(async () => {
  terminal = await openTestMachine();
});

afterEach(async () => await terminal[Symbol.asyncDispose]());

/** Lists what a stopped Gatehouse has left in its folder, besides the copies, which it makes after a second. */
async function namesLeft(): Promise<readonly string[]> {
  const names = await readdir(terminal.dataDir);
  return names.filter((name) => name !== 'copies').toSorted();
}

test('the fixed local key of the environment works, is not printed, and is in no record', async () => {
  const key = 'a-fixed-key-of-the-environment';
  await using serving = await terminal.serve([], { environment: { GATEHOUSE_LOCAL_KEY: key } });
  const path = `http://127.0.0.1:${serving.port}/v1/${key}/models`;
  await (await fetch(path, { headers: { 'x-api-key': key, 'user-agent': `agent ${key}` } })).text();
  const answer = await ask(serving, key);
  expect(answer.status).toBe(200);
  await answer.text();
  const { stdout, stderr } = await serving.stop('SIGINT');
  expect(stdout + stderr).not.toContain(key);
  const kept = JSON.stringify(await terminal.json(['history', '--client', 'environment']));
  expect(kept).toContain('agent <local key>');
  expect(kept).not.toContain(key);
});

test.each([
  ['short', 'at least 24 visible'],
  ['twenty-three-characters', 'at least 24 visible'],
  ['a-key with a space in between', 'at least 24 visible'],
  ['0'.repeat(40), 'too easy to guess'],
  ['abababcdabababcdabababcd', 'too easy to guess'],
  ['secret-1secret-1secret-1', 'too easy to guess'],
  ['password-password-password', 'too easy to guess'],
  ['123456789012345678901234', 'too easy to guess'],
])('the weak fixed local key %s is refused at the start', async (key, reason) => {
  const { code, stderr } = await terminal.run(['serve', '--port', '0'], {
    environment: { GATEHOUSE_LOCAL_KEY: key },
  });
  expect(code).toBe(2);
  expect(stderr.replaceAll(/\s+/gu, ' ')).toContain(reason);
});

test('a key asked for this run is used and kept nowhere', async () => {
  await using sandbox = await openSandbox();
  await using serving = await terminal.serve(['--upstream', `${sandbox.url}/v1`, '--ask-key'], {
    input: `Bearer ${sandbox.key}\n`,
  });
  expect(serving.banner).toContain('for this run only');
  const answer = await ask(serving, serving.localKey);
  expect(answer.status).toBe(200);
  await answer.text();
  const { code, stdout, stderr } = await serving.stop('SIGINT');
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain(sandbox.key);
  const entries = await readdir(terminal.dataDir, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    expect((await readFile(join(parentPath, name))).includes(sandbox.key)).toBe(false);
  }
});

test('a service without a key still starts and says what to do', async () => {
  await using serving = await terminal.serve(['--upstream', 'https://models.example.com']);
  expect(serving.banner).toContain('No service key was found for');
  expect(serving.banner).toContain('--ask-key');
  expect(serving.banner).toContain('gatehouse serve --sandbox');
  const answer = await ask(serving, serving.localKey);
  expect(answer.status).toBe(503);
  await answer.text();
});

test('a service key without a service is told before the sandbox is', async () => {
  const environment = { GATEHOUSE_UPSTREAM_KEY: 'sk-canary-0123456789' };
  await using serving = await terminal.serve(['--strict'], { environment });
  const words = 'GATEHOUSE_UPSTREAM_KEY is set, but no service: give GATEHOUSE_UPSTREAM_URL.';
  expect(serving.banner.indexOf(words)).toBeGreaterThan(0);
  expect(serving.banner.indexOf('the sandbox on')).toBeGreaterThan(serving.banner.indexOf(words));
  expect(serving.banner).toContain('  Repairs     off');
});

test('a service key that is refused is told as that, without the class of an error', async () => {
  await using sandbox = await openSandbox();
  const environment = {
    GATEHOUSE_UPSTREAM_URL: sandbox.url,
    GATEHOUSE_UPSTREAM_KEY: 'sk-wrong-key',
  };
  await using serving = await terminal.serve([], { environment });
  await (await ask(serving, serving.localKey)).text();
  await serving.errorSays('Your local keys are fine; run gatehouse key test');
  const { stderr } = await serving.stop('SIGINT');
  expect(stderr).toContain('The service refuses the service key (401).');
  expect(stderr).not.toMatch(/Error|CommandFailed/u);
});

test('a port that another Gatehouse has is told so', async () => {
  await using serving = await terminal.serve();
  await using other = await openTestMachine();
  const { stderr } = await other.run(['serve', '--port', String(serving.port)]);
  expect(stderr).toContain(`is used by another Gatehouse`);
});

test('a second start on the same data folder says where the first one runs', async () => {
  await using serving = await terminal.serve();
  const { code, stderr } = await terminal.run(['serve', '--port', '0']);
  expect(code).toBe(1);
  expect(stderr).toBe(
    `Gatehouse is already running (pid ${serving.child.pid}) at http://127.0.0.1:${serving.port}.\n`,
  );
});

test('who starts it beside the desktop app is sent to the app', async () => {
  await mkdir(terminal.dataDir, { mode: 0o700 });
  const lock = await acquireLock(terminal.dataDir, 'desktop');
  assert('release' in lock);
  const { code, stderr } = await terminal.run(['serve', '--port', '0']);
  lock.release();
  expect(code).toBe(1);
  expect(stderr).toBe(
    `The desktop app runs Gatehouse on this data folder (pid ${process.pid}). Use its window, or quit it from its tray and start again.\n`,
  );
});

test('of many starts at once on one data folder, after a crash, exactly one runs', async () => {
  const crashed = await terminal.serve();
  await crashed.stop('SIGKILL');
  expect(await readdir(terminal.dataDir)).toContain('serving.json');
  const starts = await Promise.allSettled([1, 2, 3, 4].map(async () => await terminal.serve()));
  const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const refused = starts.flatMap((start) => (start.status === 'rejected' ? [start.reason] : []));
  expect(running).toHaveLength(1);
  expect(refused.map(String).every((reason) => /already (?:running|starting)/u.test(reason))).toBe(
    true,
  );
  await running[0]?.stop('SIGINT');
  expect(await namesLeft()).toEqual(['gatehouse.db', 'serving.lock']);
});

test('a taken port is told with its holder and the command for the next free one', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  const { code, stdout, stderr } = await terminal.run([
    'serve',
    '--sandbox',
    '--port',
    String(address.port),
  ]);
  server.close();
  expect([code, stdout]).toEqual([1, '']);
  const pattern =
    /^Port (\d+) is used by (.+)\. Port (\d+) is free:\n {2}gatehouse serve --sandbox --port \3\n$/u;
  const [, port, owner] = pattern.exec(stderr) ?? [];
  expect(Number(port)).toBe(address.port);
  if (process.platform === 'linux') {
    expect(owner).toContain(`(pid ${process.pid})`);
  }
});

test('the second Ctrl-C ends at once, and what it cuts is recorded', async () => {
  await using serving = await terminal.serve();
  const answer = await ask(serving, serving.localKey, 'slow-stream=5000');
  const stopped = serving.stop('SIGINT');
  await serving.errorSays('Stopping when 1 running exchange has ended');
  // Signals right behind the first one are its echo, so one later than these is the second.
  const again = setInterval(() => serving.child.kill('SIGINT'), 50);
  await serving.errorSays('Stopping at once.');
  clearInterval(again);
  expect((await stopped).code).toBe(1);
  await answer.text().catch((error: unknown) => expect(error).toBeInstanceOf(Error));
  expect(await namesLeft()).toEqual(['bodies.db', 'gatehouse.db', 'serving.lock']);
  expect(await terminal.json(['history', '--status', 'failed'])).toMatchObject({
    exchanges: [{ status: 200, route: 'chat' }],
  });
});

test('one Ctrl-C that npm passes on a second time does not hurry', async () => {
  await using sandbox = await openSandbox();
  await using serving = await terminal.serve([], { environment: sandboxEnvironment(sandbox) });
  const answer = await ask(serving, serving.localKey, null, SLOW_AFTER_GATE);
  const stopped = serving.stop('SIGINT');
  await serving.errorSays('1 running exchange');
  serving.child.kill('SIGINT');
  sandbox.openGate(1);
  expect(await answer.text()).toContain('data: [DONE]');
  expect((await stopped).code).toBe(0);
});

test.skipIf(process.platform === 'win32')(
  'a hang-up that comes twice, as from a shell whose terminal closes, does not hurry',
  async () => {
    await using sandbox = await openSandbox();
    await using serving = await terminal.serve([], { environment: sandboxEnvironment(sandbox) });
    const answer = await ask(serving, serving.localKey, null, SLOW_AFTER_GATE);
    const stopped = serving.stop('SIGHUP');
    await serving.errorSays('1 running exchange');
    serving.child.kill('SIGHUP');
    sandbox.openGate(1);
    expect(await answer.text()).toContain('data: [DONE]');
    expect((await stopped).code).toBe(0);
  },
);

test.runIf(SCRIPT_INSTALLED)('the question about another port can be stopped', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  await using asking = terminal.startAtScreen(['serve', '--port', String(address.port)]);
  await asking.waitFor('instead?');
  const lock = await readFile(join(terminal.dataDir, 'serving.json'), 'utf8');
  process.kill(Number(/"pid":(\d+)/u.exec(lock)?.[1]), 'SIGTERM');
  expect(await asking.ended).toBe(1);
  expect(await namesLeft()).toEqual(['gatehouse.db', 'serving.lock']);
  server.close();
});

test('revoking a client in another terminal reaches the running gateway', async () => {
  await using serving = await terminal.serve();
  const revoked = await terminal.run(['clients', 'revoke', 'First client']);
  expect(revoked.code).toBe(0);
  await expect.poll(async () => (await ask(serving, serving.localKey)).status).toBe(401);
});

test('a key kept in another terminal is picked up by the running gateway', async () => {
  await using sandbox = await openSandbox();
  await using serving = await terminal.serve(['--upstream', sandbox.url]);
  expect((await ask(serving, serving.localKey)).status).toBe(503);
  const args = ['key', 'set', '--upstream', sandbox.url, '--plain-text-file'];
  expect((await terminal.run(args, { input: sandbox.key })).code).toBe(0);
  await expect.poll(async () => (await ask(serving, serving.localKey)).status).toBe(200);
});

test.skipIf(process.platform === 'win32')(
  'everything in the data folder is for its owner only',
  async () => {
    await using serving = await terminal.serve();
    expect((await stat(terminal.dataDir)).mode & 0o777).toBe(0o700);
    const entries = await readdir(terminal.dataDir, { recursive: true, withFileTypes: true });
    for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
      expect((await stat(join(parentPath, name))).mode & 0o077).toBe(0);
    }
    await serving.stop('SIGINT');
  },
);
