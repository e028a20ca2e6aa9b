import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assert, describe, expect, test } from 'vitest';
import type { DoctorPart, Finding } from '../../../shared/doctor/finding.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';
import { openUpstream } from '../../kit/net/scripted-upstream.ts';

const CHOICE = { program: 'claude-code', model: 'aurora/aurora-large' } as const;

/** Returns the findings of a part, or of one of its groups. */
async function check(
  { gateway }: Harness,
  part: DoctorPart,
  group: string = part,
): Promise<readonly Finding[]> {
  const { groups } = await (await gateway.doctor()).run(part);
  return groups.find(({ id }) => id === group)?.findings ?? [];
}

function stateOf(findings: readonly Finding[], name: string): Finding['state'] | undefined {
  return findings.find((finding) => finding.check === name)?.state;
}

async function connectClaude({ gateway, home }: Harness): Promise<string> {
  const connections = await gateway.connections();
  assert(connections !== null);
  await connections.connect(CHOICE, null);
  return join(home, '.claude', 'settings.json');
}

describe('The checks of the running engine', () => {
  test('find nothing wrong with Gatehouse and a service that works', async () => {
    await using harness = await startHarness();
    const own = await check(harness, 'gatehouse');
    expect(own.filter(({ state }) => state === 'fail' || state === 'unknown')).toEqual([]);
    const names = own.map((finding) => finding.check);
    for (const name of ['port', 'keychain', 'disk', 'folder', 'database', 'size']) {
      expect(names).toContain(name);
    }
    expect(own.find((finding) => finding.check === 'port')?.sentence).toContain(harness.url);
    const service = await check(harness, 'service');
    for (const name of ['key', 'service', 'latency', 'models', 'clock', 'proxy']) {
      expect([name, stateOf(service, name)]).toEqual([name, 'ok']);
    }
    expect(await check(harness, 'programs', 'claude-code')).toEqual([]);
    // None of this is a request that a client could make, or that costs anything.
    expect(await harness.records()).toEqual([]);
  });

  test('take no web page for the answer of a model', async () => {
    await using service = await openUpstream({ models: ['acme/one'] });
    await using harness = await startHarness({ baseUrl: service.url });
    const tried = (await harness.gateway.doctor()).try('acme/one');
    for (let protocol = 0; protocol < 3; protocol += 1) {
      const page = '<!doctype html>';
      (await service.next()).connection.send(
        `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`,
      );
    }
    for (const finding of await tried) {
      expect(finding).toMatchObject({
        state: 'fail',
        advice: expect.stringContaining('answered with text/html instead of JSON'),
      });
    }
  });

  test('tell a key that the service refuses, and lead to the services', async () => {
    await using harness = await startHarness({ serviceKey: 'sk-a-wrong-key' });
    const service = await check(harness, 'service');
    expect(service.find((finding) => finding.check === 'service')).toMatchObject({
      state: 'fail',
      sentence: expect.stringContaining('refused the service key (401)'),
      action: { kind: 'services' },
    });
    expect((await harness.gateway.status()).keyRefusedAt).not.toBeNull();
  });

  test('tell that there is no key', async () => {
    await using harness = await startHarness({ serviceKey: null });
    const service = await check(harness, 'service');
    expect(service.filter(({ state }) => state === 'fail')).toMatchObject([
      { check: 'key', action: { kind: 'services' } },
    ]);
  });

  test('tell a service that is gone', async () => {
    await using harness = await startHarness();
    await harness.sandbox.close();
    const service = await check(harness, 'service');
    const found = service.find((finding) => finding.check === 'service');
    expect(found).toMatchObject({ state: 'fail' });
    expect(found?.sentence).toContain('could not be reached');
  });

  test('stop a request to the service when nobody waits for it any more', async () => {
    await using upstream = await openUpstream();
    await using harness = await startHarness({ baseUrl: upstream.url, serviceKey: 'sk-key' });
    const doctor = await harness.gateway.doctor();
    const callers = [new AbortController(), new AbortController()];
    const runs = callers.map(({ signal }) => doctor.run('service', signal));
    const stopped = Promise.allSettled(runs);
    const { connection } = await upstream.next();
    for (const caller of callers) caller.abort(new Error('enough'));
    const results = await stopped;
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await connection.closed;
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('tell a program whose settings lead elsewhere, and one whose key was revoked', async () => {
    await using harness = await startHarness();
    const file = await connectClaude(harness);
    const good = await readFile(file, 'utf8');
    const before = await check(harness, 'programs', 'claude-code');
    expect(before.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok', 'warn']);
    expect(before.at(-1)?.sentence).toBe('Claude Code has sent no request yet.');

    await writeFile(file, good.replaceAll(harness.url, 'http://127.0.0.1:1'));
    const elsewhere = await check(harness, 'programs', 'claude-code');
    expect(elsewhere.find(({ state }) => state === 'fail')).toMatchObject({
      sentence: `Claude Code: its settings lead to http://127.0.0.1:1, and Gatehouse is at ${harness.url}.`,
      command: 'gatehouse connect claude-code',
      action: { kind: 'connect', program: 'claude-code' },
    });

    await writeFile(file, '{ broken');
    const broken = await check(harness, 'programs', 'claude-code');
    expect(broken.find(({ state }) => state === 'fail')?.advice).toBe(`Correct ${file}, then`);

    await writeFile(file, good);
    const { clients } = harness.repositories;
    const client = (await clients.list()).find(({ name }) => name === 'Claude Code');
    assert(client !== undefined);
    await clients.revoke(client.id);
    const revoked = await check(harness, 'programs', 'claude-code');
    expect(revoked.map(({ sentence }) => sentence).join('\n')).toContain('revoked or replaced');
  });

  test('tell how the latest requests of a program went, and its version', async () => {
    await using harness = await startHarness();
    const file = await connectClaude(harness);
    const localKey = /gh-[\w-]{43}/u.exec(await readFile(file, 'utf8'))?.[0] ?? '';
    const headers = ['User-Agent: claude-cli/2.0.1'];
    const wrong = question('messages', { model: 'no/such-model', headers });
    await sendRequest({ port: harness.port, localKey }, wrong);
    await sendRequest({ port: harness.port, localKey }, wrong);
    const doubled = { ...question('messages', { headers }), path: '/v1/v1/messages' };
    await sendRequest({ port: harness.port, localKey }, doubled);
    await harness.recorded(3);
    const found = await check(harness, 'programs', 'claude-code');
    const sentences = found.map(({ sentence }) => sentence).join('\n');
    expect(sentences).toContain('it gives its version as claude-cli/2.0.1');
    expect(found.at(-1)).toMatchObject({
      state: 'warn',
      sentence: expect.stringMatching(/Of 3 recent requests, 2 failed and 1 was repaired/u),
      details: ['2 × 404 model not found'],
      action: { kind: 'failures', client: 'Claude Code' },
    });
    expect(found.at(-2)).toMatchObject({
      state: 'ok',
      sentence: 'Claude Code: this was repaired in 1 recent request.',
      details: [expect.stringMatching(/^1 × the base address is too long\. .*http:/u)],
      command: "gatehouse history --client 'Claude Code' --repaired",
      action: { kind: 'repairs', client: 'Claude Code' },
    });
    const { clients } = harness.repositories;
    const client = (await clients.list()).find(({ name }) => name === 'Claude Code');
    await clients.revoke(client?.id ?? '');
    await connectClaude(harness);
    const again = await check(harness, 'programs', 'claude-code');
    expect(again.at(-1)?.sentence).toBe('Claude Code has sent no request yet.');
  });

  test('run once for two callers at the same moment', async () => {
    await using upstream = await openUpstream();
    await using harness = await startHarness({ baseUrl: upstream.url, serviceKey: 'sk-key' });
    const doctor = await harness.gateway.doctor();
    const runs = [doctor.run('service'), doctor.run('service')];
    const { connection } = await upstream.next();
    connection.send('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n');
    const [one, other] = await Promise.all(runs);
    expect(one).toBe(other);
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('say nothing of keys and of the home folder in a report', async () => {
    await using harness = await startHarness({ serviceKey: 'sk-a-wrong-key-0123456789' });
    await connectClaude(harness);
    const doctor = await harness.gateway.doctor();
    const text = await doctor.report('Key sk-a-wrong-key-0123456789');
    expect(text).toContain('fail  ');
    expect(text).toContain('Claude Code: its settings lead here');
    expect(text).not.toContain('sk-a-wrong-key-0123456789');
    expect(text).not.toContain(harness.home);
    expect(text).not.toMatch(/gh-[\w-]{43}/u);
  });
});

describe('A trial of a model', () => {
  test('makes one request of each protocol, and two at the same moment share them', async () => {
    await using harness = await startHarness();
    const doctor = await harness.gateway.doctor();
    const [one, other] = await Promise.all([doctor.try(CHOICE.model), doctor.try(CHOICE.model)]);
    expect(one.map((finding) => [finding.check, finding.state])).toEqual([
      ['chat', 'ok'],
      ['responses', 'ok'],
      ['messages', 'ok'],
    ]);
    expect(other).toBe(one);
    expect((await harness.recorded(3)).map(({ clientName }) => clientName)).toEqual([
      'Window',
      'Window',
      'Window',
    ]);
  });

  test('of a model that does not exist is refused', async () => {
    await using harness = await startHarness();
    const found = await (await harness.gateway.doctor()).try('no/such-model');
    expect(found.map(({ state }) => state)).toEqual(['warn', 'warn', 'warn']);
  });

  test('ends when nobody waits for it any more', async () => {
    await using upstream = await openUpstream({ models: [CHOICE.model] });
    await using harness = await startHarness({ baseUrl: upstream.url, serviceKey: 'sk-key' });
    const stop = new AbortController();
    const trial = (await harness.gateway.doctor()).try(CHOICE.model, stop.signal);
    const stopped = expect(trial).rejects.toThrow('enough');
    const { connection } = await upstream.next();
    stop.abort(new Error('enough'));
    await Promise.all([stopped, connection.closed]);
  });
});
