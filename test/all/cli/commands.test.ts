import { once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, assert, beforeEach, describe, expect, test } from 'vitest';
import { openChatStore } from '../../../gateway/store/store.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { PROGRAMS, SOURCE } from '../../kit/process/program.ts';
import {
  openTestMachine,
  SCRIPT_INSTALLED,
  type TestMachine,
} from '../../kit/process/test-machine.ts';

const KEY = 'sk-canary-0123456789-abcdefghijklmnop';
let terminal: TestMachine;
beforeEach(async () => {
  terminal = await openTestMachine();
});
afterEach(async () => await terminal[Symbol.asyncDispose]());

/** A service that answers every request with this status. */
async function answering(status: number, body = '{}') {
  const server = createServer((_request, response) => {
    response.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

describe('calling', () => {
  test.each([
    [['--help'], 'Exit codes'],
    [['serve', '--help'], '--ask-key'],
    [['key', '--help'], 'status'],
    [['key', 'set', '--help'], '--plain-text-file'],
    [['clients', 'add', '--help'], 'Example'],
    [['history', '--help'], '--status'],
    [['-h'], 'Exit codes'],
    [['help'], 'Exit codes'],
    [['help', 'clients'], 'clients add "my editor"'],
    [['help', 'videos'], 'never repeated without you'],
    [['help', 'environment'], 'GATEHOUSE_UPSTREAM_KEY'],
    [['help', 'exit-codes'], 'wrong usage'],
    [['help', 'video', 'new'], '--prompt'],
    [['key', 'set', '-h'], '--plain-text-file'],
  ])('%j explains itself and ends with 0', async (args, words) => {
    const { code, stdout, stderr } = await terminal.run(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(words);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(92);
  });

  test.each(PROGRAMS)('the version is that of the package, $how', async ({ program }) => {
    await using machine = await openTestMachine(program);
    const packed: unknown = JSON.parse(await readFile('package.json', 'utf8'));
    for (const flag of ['--version', '-V']) {
      const { stdout } = await machine.run([flag]);
      expect(packed).toHaveProperty('version', stdout.trim());
    }
  });

  test.each([
    [['frobnicate']],
    [['help', 'frobnicate']],
    [['serve', '--port', 'many']],
    [['serve', '--port', '70000']],
    [['serve', '--ui-port', 'many']],
    [['serve', '--no-ui', '--ui-port', '7001']],
    [['serve', '--no-ui', '--open']],
    [['serve', '--log-level', 'loud']],
    [['serve', '--sandbox', '--upstream', 'https://models.example.com']],
    [['serve', '--upstream', 'http://models.example.com']],
    [['serve', '--upstream', 'https://models.example.com/?key=1']],
    [['serve', '--upstream', 'https://models.example.com', '--vendor', 'no vendor']],
    [['serve', '--allow-origin', 'https://app.example.com/path']],
    [['serve', '--allow-origin', 'null']],
    [['serve', '--ask-key']],
    [['clients', 'add']],
    [['history', '--limit', '0']],
    [['history', '--status', 'good']],
    [['usage', '--by', 'week']],
    [['history', 'ex-not-an-id']],
    [['serve', '--vendor', 'no vendor']],
    [['key', 'set']],
  ])('%j is called wrongly: 2, one explanation, nothing on standard output', async (args) => {
    const { code, stdout, stderr } = await terminal.run(args, { input: KEY });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toContain(KEY);
    expect(stderr).not.toMatch(/\n {4}at /u);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  test('a port in the environment that is none is called by its name', async () => {
    const { code, stderr } = await terminal.run(['serve'], {
      environment: { GATEHOUSE_PORT: 'x' },
    });
    expect([code, stderr]).toEqual([2, 'GATEHOUSE_PORT takes a whole number from 0 to 65535.\n']);
  });
});

describe('the service key', () => {
  describe.each([KEY, "it's: odd', short", '--dashed=key'])('%s', (typed) => {
    test.each([
      [['key', 'set', typed]],
      [['key', 'set', `--key=${typed}`]],
      [['key', typed]],
      [['key', 'test', typed]],
      [['serve', typed]],
      [['serve', '--log-level', typed]],
      [['clients', 'add', 'a', typed]],
      [[typed]],
    ])('is refused as an argument and not repeated: %j', async (args) => {
      const { code, stdout, stderr } = await terminal.run(args);
      expect(code).toBe(2);
      expect(stdout + stderr).not.toContain(typed.replace(/^-+/u, ''));
    });
  });

  test('is refused as the address of a service and not repeated', async () => {
    const args = ['key', 'set', '--upstream', KEY, '--plain-text-file'];
    const { code, stdout, stderr } = await terminal.run(args, { input: KEY });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toContain(KEY);
  });

  test('is not taken into a keychain that is not there, and nothing is kept', async () => {
    const args = ['key', 'set', '--upstream', 'https://models.example.com'];
    const { code, stderr } = await terminal.run(args, { input: KEY });
    expect(code).toBe(1);
    expect(stderr).toContain('The key was not saved.');
    expect(stderr).toContain('--plain-text-file');
    expect((await readdir(terminal.dataDir)).toSorted()).toEqual(['gatehouse.db']);
  });

  test('is kept in plain text only when asked for by name, tested, told and forgotten', async () => {
    await using sandbox = await openSandbox();
    const kept = await terminal.run(
      ['key', 'set', '--upstream', `${sandbox.url}/v1`, '--plain-text-file'],
      { input: `${sandbox.key}\n` },
    );
    expect(kept.code).toBe(0);
    expect(kept.stdout).toContain('plain text');
    expect(await terminal.json(['key', 'status'])).toMatchObject({
      upstream: sandbox.url,
      state: 'file',
    });
    const tested = await terminal.run(['key', 'test']);
    expect(tested.code).toBe(0);
    expect(tested.stdout).toMatch(/accepted the key\. It lists \d+ models\. \(.+ m?s\)/u);
    expect(await terminal.json(['key', 'test'])).toMatchObject({
      accepted: true,
      code: 'accepted',
    });
    const forgotten = await terminal.run(['key', 'forget']);
    // The file is gone; whether a keychain holds another copy cannot be seen without a desktop session.
    expect(forgotten.code).toBe(0);
    expect(forgotten.stdout).toContain('The file with the service key');
    expect(forgotten.stdout).toContain('the key may still be there');
    expect(forgotten.stdout).toContain(`${sandbox.url} is no longer used`);
    // The service is still configured, but the sandbox is used, which needs no key.
    expect(await terminal.run(['key', 'status'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`needs no service key. Configured: ${sandbox.url}`),
    });
    expect((await readdir(terminal.dataDir)).toSorted()).toEqual([
      'gatehouse.db',
      'service-key.lock',
    ]);
    const output = [kept, tested, forgotten].map(({ stdout, stderr }) => stdout + stderr).join('');
    expect(output).not.toContain(sandbox.key);
  });

  test.each([
    [401, 'key_refused'],
    [403, 'key_forbidden'],
    [404, 'wrong_address'],
    [429, 'rate_limited'],
    [500, 'service_error'],
    [302, 'redirected'],
  ])('a test answered with %s is explained as %s and ends with 1', async (status, code) => {
    await using service = await answering(status);
    const environment = { GATEHOUSE_UPSTREAM_URL: service.url, GATEHOUSE_UPSTREAM_KEY: KEY };
    expect(await terminal.json(['key', 'test'], { environment })).toMatchObject({ code });
    const { code: exit, stdout, stderr } = await terminal.run(['key', 'test'], { environment });
    expect([exit, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toHaveLength(2);
    expect(stderr).not.toContain(KEY);
  });

  test('a list over 16 MiB is told as one, not as a service that cannot be reached', async () => {
    await using service = await answering(200, 'x'.repeat(16 * 1024 * 1024 + 1));
    const environment = { GATEHOUSE_UPSTREAM_URL: service.url, GATEHOUSE_UPSTREAM_KEY: KEY };
    expect(await terminal.json(['key', 'test'], { environment })).toMatchObject({
      accepted: false,
      code: 'list_too_large',
    });
  });

  test('a page of a web site is not taken for a service that accepts the key', async () => {
    await using site = await answering(200, '<!doctype html><title>Welcome</title>');
    const environment = { GATEHOUSE_UPSTREAM_URL: site.url, GATEHOUSE_UPSTREAM_KEY: KEY };
    expect(await terminal.json(['key', 'test'], { environment })).toMatchObject({
      accepted: false,
      code: 'wrong_address',
    });
    const tested = await terminal.run(['key', 'test'], { environment });
    expect([tested.code, tested.stdout]).toEqual([1, '']);
    expect(tested.stderr).toMatch(/a page instead of JSON\.\nLikely causes: a sign-in page/u);
    const found = await terminal.run(['doctor', '--port', '0'], { environment });
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/instead of JSON/u);
    const listed = await terminal.run(['models'], { environment });
    expect(listed.stderr).toMatch(/instead of JSON/u);
    expect(found.stdout).not.toContain('accepted the key');
  });

  test('a test without a network says that the key was not judged', async () => {
    const environment = { GATEHOUSE_UPSTREAM_KEY: KEY };
    const refused = await terminal.run(['key', 'test', '--upstream', 'http://127.0.0.1:1'], {
      environment,
    });
    expect(refused.stderr).toContain('Nothing is listening');
    const unknown = ['key', 'test', '--upstream', 'https://no-such-host.invalid'];
    expect((await terminal.run(unknown, { environment })).stderr).toContain('could not be found');
  });

  test('a test without a key says so, in JSON too', async () => {
    const args = ['key', 'test', '--upstream', 'https://models.example.com'];
    expect(await terminal.json(args)).toMatchObject({ accepted: false, code: 'no_key' });
    const { code, stdout } = await terminal.run(args);
    expect([code, stdout]).toEqual([1, '']);
  });

  test('a key of the environment that cannot be one is refused without being repeated', async () => {
    const environment = { GATEHOUSE_UPSTREAM_KEY: `${KEY} ${KEY}` };
    const args = ['key', 'status', '--upstream', 'https://models.example.com'];
    const { code, stdout, stderr } = await terminal.run(args, { environment });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toContain(KEY);
  });
});

test('a service key without a service is told by doctor and by the key commands', async () => {
  const environment = { GATEHOUSE_UPSTREAM_KEY: KEY };
  const words = 'GATEHOUSE_UPSTREAM_KEY is set, but no service: give GATEHOUSE_UPSTREAM_URL.';
  expect((await terminal.run(['key', 'status'], { environment })).stderr).toBe(`${words}\n`);
  const doctor = await terminal.run(['doctor', '--port', '0'], { environment });
  expect(doctor.stdout).toContain(`warn  ${words}`);
});

test.runIf(SCRIPT_INSTALLED)('nobody is asked for a key that no keychain could keep', async () => {
  const args = ['key', 'set', '--upstream', 'https://models.example.com'];
  const asking = terminal.startAtScreen(args);
  await asking.waitFor('The key was not saved.');
  expect(await asking.ended).toBe(1);
});

test('a local key is not kept as a service key', async () => {
  const args = ['key', 'set', '--upstream', 'https://models.example.com', '--plain-text-file'];
  const localKey = `gh-${'k'.repeat(43)}`;
  const { code, stderr } = await terminal.run(args, { input: localKey });
  expect(code).toBe(2);
  expect(stderr).toContain('This is a local key of Gatehouse');
  expect(stderr).not.toContain(localKey);
});

test('every hint is in the form that the command was called with', async () => {
  await using machine = await openTestMachine(SOURCE);
  const environment = { npm_lifecycle_event: 'gatehouse' };
  const answers = await Promise.all(
    [['--help'], ['clients', 'list'], ['key', 'status'], ['key', 'set', KEY], ['doctor']].map(
      async (args) => await machine.run(args, { environment }),
    ),
  );
  for (const { stdout, stderr } of answers) {
    expect(stdout + stderr).toContain('npm run -s gatehouse -- ');
    expect(stdout + stderr).not.toMatch(/(?<!-s )\bgatehouse (?:key|serve|clients|history)/u);
  }
});

describe('clients', () => {
  test('a client is added, listed and revoked, and its key is shown once', async () => {
    const added = await terminal.run(['clients', 'add', 'My editor']);
    expect(added.code).toBe(0);
    const key = /gh-[\w-]{43}/u.exec(added.stdout)?.[0] ?? '';
    expect(key).not.toBe('');
    const listed = await terminal.json(['clients', 'list']);
    expect(listed).toMatchObject({
      clients: [{ name: 'My editor', exchanges: 0, lastUsedAt: null, revokedAt: null }],
    });
    expect(JSON.stringify(listed)).not.toContain(key);
    expect((await terminal.run(['clients', 'add', 'my EDITOR'])).code).toBe(1);
    expect((await terminal.run(['clients', 'revoke', 'my editor'])).code).toBe(0);
    const again = await terminal.run(['clients', 'revoke', 'my editor']);
    expect([again.code, again.stderr]).toEqual([1, '"My editor" is already revoked.\n']);
    expect((await terminal.run(['clients', 'list'])).stdout).toContain('revoked');
    for (const file of await readdir(terminal.dataDir)) {
      expect((await readFile(join(terminal.dataDir, file))).includes(key)).toBe(false);
    }
  });

  test('a key gets an expiry, which is listed and can be changed', async () => {
    const added = await terminal.run(['clients', 'add', 'For a week', '--expires', '2999-12-31']);
    expect(added.stdout).toContain('The local key expires on 3000-01-01 00:00.');
    expect((await terminal.run(['clients', 'list'])).stdout).toMatch(
      /For a week .* 3000-01-01 00:00 +active/u,
    );
    const changed = ['clients', 'expiry', 'for a WEEK', '7d', '--json'];
    expect(await terminal.json(changed)).toMatchObject({ client: { expired: false } });
    const never = await terminal.run(['clients', 'expiry', 'For a week', 'never']);
    expect(never.stdout).toContain('The local key does not expire.');
    const past = await terminal.run(['clients', 'expiry', 'For a week', '2020-01-01']);
    expect([past.code, past.stderr]).toEqual([
      1,
      'The expiry of a local key must be in the future.\n',
    ]);
    expect((await terminal.run(['clients', 'add', 'x', '--expires', 'soon'])).code).toBe(2);
  });

  test('a script gets the new key as JSON', async () => {
    expect(await terminal.json(['clients', 'add', 'Script'])).toMatchObject({
      client: { name: 'Script' },
      key: expect.stringMatching(/^gh-[\w-]{43}$/u),
    });
  });
});

const SESSION = '5e55105e-0000-4000-8000-000000000001';

describe('what passed through', () => {
  test('is in history and usage, while Gatehouse runs and afterwards', async () => {
    await using serving = await terminal.serve();
    for (const model of ['aurora/aurora-large', 'no-such-model']) {
      const answer = await fetch(`http://127.0.0.1:${serving.port}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'x-api-key': serving.localKey,
          'content-type': 'application/json',
          'x-claude-code-session-id': SESSION,
        },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      });
      await answer.text();
    }
    await expect
      .poll(async () => await terminal.json(['history']))
      .toMatchObject({ exchanges: [{ status: 404 }, { status: 200, clientName: 'First client' }] });
    await serving.stop('SIGINT');
    expect(await terminal.json(['history', '--status', '4xx'])).toMatchObject({
      exchanges: [{ modelAsked: 'no-such-model' }],
    });
    const nobody = await terminal.run(['history', '--client', 'Nobody']);
    expect([nobody.code, nobody.stderr]).toEqual([1, 'There is no client named "Nobody".\n']);
    const all = await terminal.json(['history', '--client', 'FIRST client']);
    assert(typeof all === 'object' && all !== null && 'exchanges' in all);
    assert(Array.isArray(all.exchanges) && all.exchanges.length === 2);
    expect(await terminal.json(['history', '--status', 'failed'])).toMatchObject({
      exchanges: [{ status: 404 }],
    });
    const [{ id }] = all.exchanges;
    const one = await terminal.run(['history', id.slice(3)]);
    // The search index is not needed, so closing the database does not meet it.
    expect([one.stderr, (await terminal.run(['usage'])).stderr]).toEqual(['', '']);
    expect(one.stdout).toMatch(/^Received +POST \/v1\/chat\/completions \(route: Chat\)$/mu);
    expect(one.stdout).toMatch(
      /^Repair +credential-place\n {2}before +.+\n {2}after +.+\n {2}advice +.+/mu,
    );
    expect(one.stdout).toMatch(
      /^Failure +The service does not know this model\n  meaning .*\n  advice +Copy the exact id.*\n  code +model_not_found$/mu,
    );
    expect(await terminal.json(['history', id])).toMatchObject({ exchange: { id, status: 404 } });
    const several = await terminal.run(['history', 'ex-']);
    expect(several.code).toBe(2);
    expect((await terminal.run(['history', id.slice(0, 4)])).stderr).toContain('Several ids begin');
    expect((await terminal.run(['history', 'ffff'])).stderr).toContain('There is no exchange');
    expect(await terminal.json(['usage', '--by', 'client'])).toMatchObject({
      by: 'client',
      usage: [{ key: 'First client', exchanges: 2, errors: 1 }],
    });
    expect((await terminal.run(['usage', '--of', 'services'])).stdout).toBe(
      'There are no requests to a service yet. To show those to the sandbox, run: gatehouse usage --of sandbox\n',
    );
    expect((await terminal.run(['usage', '--of', 'nobody'])).stderr).toContain(
      'There is no service named "nobody".',
    );
    expect(await terminal.json(['usage', '--of', 'Sandbox'])).toMatchObject({
      of: 'sandbox',
      currency: 'USD',
      charged: false,
      usage: [{ exchanges: 2 }],
    });
    expect(await terminal.json(['usage', '--by', 'hour', '--since', '1d'])).toMatchObject({
      by: 'hour',
      usage: [{ exchanges: 2, cost: expect.any(Number) }],
    });
    expect(await terminal.json(['usage', '--by', 'run'])).toMatchObject({
      by: 'run',
      usage: [{ run: expect.stringMatching(/^run-/u), exchanges: 2, errors: 1 }],
    });
    expect(await terminal.json(['usage', '--by', 'project'])).toMatchObject({
      usage: [{ key: null, exchanges: 2 }],
    });
    expect(await terminal.json(['usage', '--session', SESSION])).toMatchObject({
      session: SESSION,
      of: 'sandbox',
      currency: 'USD',
      usage: { exchanges: 2, errors: 1, cost: expect.any(Number) },
    });
    const session = (await terminal.run(['usage', '--session', SESSION])).stdout.split('\n');
    expect(session[1]).toMatch(/^5e55.* +█+ +\$0\.00\d+ +2 +1/u);
    expect((await terminal.run(['usage', '--session', 'none'])).stdout).toBe(
      'There are no requests of the session none.\n',
    );
    expect((await terminal.run(['usage', '--session', 'x', '--by', 'day'])).code).toBe(2);
    const usage = (await terminal.run(['usage', '--by', 'route'])).stdout.split('\n');
    expect(usage[0]).toMatch(/^Route +Money +Requests +Errors +In/u);
    expect(usage[1]).toMatch(/^chat +█+ +\$0\.00\d+ +2 +1/u);
    const early = await terminal.run(['usage', '--since', '1d', '--until', '2d']);
    expect([early.code, early.stderr.split('\n')[0]]).toEqual([
      2,
      'The period ends before it begins: --since is after --until.',
    ]);
    const table = (await terminal.run(['history'])).stdout.split('\n');
    expect(table[0]).toMatch(
      /^Time +Client +Route +Model +Status +In +Out +Cost +Duration +Repairs +Id$/u,
    );
    expect(table[1]).toContain('credential-place');
    expect(table).toHaveLength(4);
  });

  test('nothing yet is said in words, and in JSON as empty lists', async () => {
    const none = 'There are no exchanges yet.\n';
    expect((await terminal.run(['history'])).stdout).toBe(none);
    expect((await terminal.run(['history', '--status', 'failed'])).stdout).toBe(none);
    expect(await terminal.json(['history'])).toEqual({ exchanges: [] });
    expect((await terminal.run(['usage'])).stdout).toBe('There are no requests yet.\n');
    expect((await terminal.run(['clients', 'list'])).stdout).toContain('There is no client yet.');
    expect(await terminal.json(['usage'])).toMatchObject({ by: 'day', of: 'sandbox', usage: [] });
    expect(await terminal.json(['usage', '--session', SESSION])).toMatchObject({
      usage: { exchanges: 0, cost: null },
    });
  });
});

describe('models', () => {
  test('what could steer a terminal in their names does not reach it', async () => {
    const id = 'acme/\u001b]0;owned\u0007\u009b2Jlarge';
    await using service = await answering(200, JSON.stringify({ object: 'list', data: [{ id }] }));
    const environment = { GATEHOUSE_UPSTREAM_URL: service.url, GATEHOUSE_UPSTREAM_KEY: KEY };
    const listed = await terminal.run(['models'], { environment });
    expect(listed.stdout).toMatch(/^acme\/\ufffd\]0;owned\ufffd\ufffd2Jlarge\n$/u);
    const json = await terminal.run(['models', '--json'], { environment });
    expect(json.stdout).not.toMatch(/[^\P{Cc}\n]/u);
    expect(JSON.parse(json.stdout)).toMatchObject({ models: [{ id }] });
  });

  test('without a service those of the sandbox are listed, and that is said', async () => {
    const { code, stdout, stderr } = await terminal.run(['models']);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toContain('aurora/aurora-large');
    expect(stderr).toContain('sandbox');
  });

  test('without a connection the list as last seen is shown with its age', async () => {
    const sandbox = await openSandbox();
    const environment = {
      GATEHOUSE_UPSTREAM_URL: sandbox.url,
      GATEHOUSE_UPSTREAM_KEY: sandbox.key,
    };
    const online = await terminal.run(['models'], { environment });
    expect(await terminal.json(['models'], { environment })).toMatchObject({ source: 'service' });
    await sandbox.close();
    const offline = await terminal.run(['models'], { environment });
    expect([offline.code, offline.stdout]).toEqual([0, online.stdout]);
    expect(offline.stderr).toMatch(/Nothing is listening[\s\S]*as last seen, [\d.]+ m?s ago/u);
    expect(await terminal.json(['models'], { environment })).toMatchObject({ source: 'cache' });
  });

  test('without a connection and without a list it fails', async () => {
    const environment = {
      GATEHOUSE_UPSTREAM_URL: 'http://127.0.0.1:1',
      GATEHOUSE_UPSTREAM_KEY: KEY,
    };
    const { code, stdout, stderr } = await terminal.run(['models'], { environment });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.match(/Nothing is listening/gu)).toHaveLength(1);
  });
});

describe('doctor', () => {
  test('finds a new machine healthy and says that the sandbox is used', async () => {
    const { code, stdout } = await terminal.run(['doctor', '--port', '0']);
    expect(code).toBe(0);
    expect(stdout).toContain('warn  No service is configured');
  });

  test('finds a right service and key healthy in every line', async () => {
    await using sandbox = await openSandbox();
    const environment = {
      GATEHOUSE_UPSTREAM_URL: sandbox.url,
      GATEHOUSE_UPSTREAM_KEY: sandbox.key,
    };
    const args = ['doctor', '--port', '0'];
    const found = await terminal.json(args, { environment });
    expect(found).toMatchObject({ healthy: true });
    const { stdout } = await terminal.run(args, { environment });
    expect(
      stdout
        .trim()
        .split('\n')
        .every((line) => line.startsWith('ok    ')),
    ).toBe(true);
  });

  test('looks at the conversations where there are some', async () => {
    const args = ['doctor', '--port', '0'];
    expect((await terminal.run(args)).stdout).not.toContain('conversations');
    const store = await openChatStore(join(terminal.dataDir, 'chat.db'));
    await store.close();
    const { stdout } = await terminal.run(args);
    expect(stdout).toContain('ok    The database of the conversations was checked and is intact.');
    await writeFile(join(terminal.dataDir, 'chat.db'), 'no database at all'.repeat(300));
    const broken = await terminal.run(args);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^fail {2}.*chat\.db/mu);
    expect(broken.stdout).toContain('ok    The database was checked and is intact.');
  });

  test.each([[['--port', 'abc']], [['--upstream', 'ftp://x']]])(
    'called wrongly with %j it ends with 2, as every command does',
    async (flags) => {
      const { code, stdout } = await terminal.run(['doctor', ...flags]);
      expect([code, stdout]).toEqual([2, '']);
    },
  );

  test.skipIf(process.platform === 'win32')(
    'a link into nothing in the data folder disturbs nothing',
    async () => {
      await terminal.run(['clients', 'list']);
      await symlink('/nowhere/at/all', join(terminal.dataDir, 'link'));
      const { code, stdout } = await terminal.run(['doctor', '--port', '0']);
      expect([code, /fail/u.test(stdout)]).toEqual([0, false]);
    },
  );

  test('without a reader a failed check still ends with 1', async () => {
    const child = terminal.start(['doctor', '--port', '0', '--upstream', 'http://127.0.0.1:1']);
    child.stdout?.destroy();
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
  });

  test('a refused key fails, with what to do', async () => {
    await using service = await answering(401);
    const environment = { GATEHOUSE_UPSTREAM_URL: service.url, GATEHOUSE_UPSTREAM_KEY: KEY };
    const { code, stdout, stderr } = await terminal.run(['doctor'], { environment });
    expect([code, stderr]).toEqual([1, '1 check failed.\n']);
    expect(stdout).toMatch(
      /fail {2}.*refused the service key[^\n]*\n {6}Copy the whole key again/u,
    );
    expect(stdout).not.toContain(KEY);
  });
});

test('a reader that goes away ends a command quietly', async () => {
  const child = terminal.start(['models', '--json']);
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  child.stdout?.destroy();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(errors).not.toContain('EPIPE');
});

test.runIf(process.platform === 'linux')(
  'output that cannot be written is told in a sentence, and ends with 1',
  async () => {
    for (const args of [['--help'], ['clients', 'list', '--json']]) {
      const { code, stderr } = await terminal.run(args, { output: '/dev/full' });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Standard output cannot be written: [^\n]+\n$/u);
    }
  },
);

test('output that is no terminal has no colours', async () => {
  const { stdout } = await terminal.run(['doctor', '--port', '0']);
  expect(stdout).not.toContain('\u001b');
});
