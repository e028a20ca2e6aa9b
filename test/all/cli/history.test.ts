import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, assert, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MAX_BODY_HITS } from '../../../shared/exchange/body.ts';
import { ExportFormat } from '../../../shared/history/export.ts';
import { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { BodyDatabase } from '../../../gateway/bodies/body-database.ts';
import { openHistory } from '../../../gateway/history/history.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { Har } from '../../kit/history/har-schema.ts';
import {
  openTestMachine,
  type RunningServer,
  type TestMachine,
} from '../../kit/process/test-machine.ts';

let terminal: TestMachine;
beforeEach(async () => {
  terminal = await openTestMachine();
});
afterEach(async () => await terminal[Symbol.asyncDispose]());

const Listed = z.object({ exchanges: z.array(ExchangeRecord) });

/** Asks a model, and resolves when the whole answer has arrived. */
async function ask({ port, localKey }: RunningServer, model: string, key = localKey) {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await answer.text();
}

/** Lets a model call the tool `read_file`. Returns the id of the exchange. */
async function callTool({ port, localKey }: RunningServer): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/messages`, {
    method: 'POST',
    headers: {
      'x-api-key': localKey,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({
      model: 'aurora/aurora-large',
      max_tokens: 256,
      tools: [{ name: 'read_file', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: 'Find out with a tool.' }],
    }),
  });
  expect(await answer.text()).toContain('"name":"read_file"');
  return answer.headers.get('x-gatehouse-exchange') ?? '';
}

function idsOfLines(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => ExchangeRecord.parse(JSON.parse(line)).id);
}

/** Makes three exchanges: a good one, one with an unknown model, and one with a wrong key. */
async function makeExchanges(serving: RunningServer): Promise<void> {
  await ask(serving, 'aurora/aurora-large');
  await ask(serving, 'no-such-model');
  await ask(serving, 'aurora/aurora-large', 'gh-wrong');
}

async function list(args: readonly string[]) {
  const { exchanges } = Listed.parse(await terminal.json(['history', ...args]));
  return exchanges.map(({ status }) => status);
}

test('finding 18: history is filtered by time, client, words, status and repairs, together', async () => {
  await using serving = await terminal.serve();
  await makeExchanges(serving);
  await fetch(`http://127.0.0.1:${serving.port}/models`, {
    headers: { authorization: `Bearer ${serving.localKey}` },
  });
  await serving.stop('SIGINT');
  expect(await list([])).toEqual([200, 401, 404, 200]);
  expect(await list(['--since', '2h'])).toHaveLength(4);
  expect(await list(['--since', '2099-01-01'])).toEqual([]);
  expect(await list(['--client', 'unknown'])).toEqual([401]);
  expect(await list(['--client', 'first CLIENT'])).toEqual([200, 404, 200]);
  expect(await list(['--search', 'no-such'])).toEqual([404]);
  expect(await list(['--repaired'])).toEqual([200]);
  expect(await list(['--service', 'Sandbox', '--status', '404'])).toEqual([404]);
  const nowhere = await terminal.run(['history', '--service', 'nowhere']);
  expect([nowhere.code, nowhere.stderr]).toEqual([
    1,
    expect.stringContaining('There is no service named "nowhere".'),
  ]);
  expect(await list(['--status', '4xx', '--client', 'First client'])).toEqual([404]);
  expect(await list(['--model', 'no-such-model', '--status', '404', '--since', '1d'])).toEqual([
    404,
  ]);
  const { stdout } = await terminal.run(['history']);
  expect(stdout).toMatch(/ 401 wrong key /u);
  expect(stdout).toMatch(/ 404 model not found /u);
  const wrong = await terminal.run(['history', '--since', 'yesterday']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--since takes')]);
});

test('history takes a filter in the language of the window, with options or alone', async () => {
  await using serving = await terminal.serve();
  await makeExchanges(serving);
  // Texts are indexed when nothing else is to be stored.
  await expect.poll(() => list(['body:hello -failed'])).toEqual([200]);
  await serving.stop('SIGINT');
  expect(await list(['status>=400'])).toEqual([401, 404]);
  expect(await list(['status:4xx -known'])).toEqual([401]);
  expect(await list(['model:NO-* since:1h'])).toEqual([404]);
  expect(await list(['failed', '--client', 'First client'])).toEqual([404]);
  expect(await list(['service:sandbox -status:404 "wrong key"'])).toEqual([401]);
  expect(await list(['tokens>0 duration<1m -failed'])).toEqual([200]);
  expect(await list(['cost>=0.000001 cost<1'])).toEqual([200]);
  expect(await list(['cost>1'])).toEqual([]);
  expect(await list(['body:"never written"'])).toEqual([]);
  const wrong = await terminal.run(['history', 'failed modle:x']);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('failed modle:x\n       ^^^^^^^\nThere is no field "modle".');
  const badAmount = await terminal.run(['history', 'failed cost>1k']);
  expect([badAmount.code, badAmount.stderr]).toEqual([
    2,
    expect.stringContaining('failed cost>1k\n            ^^\n"cost" takes an amount'),
  ]);
  const twice = await terminal.run(['history', 'model:a', '--model', 'b']);
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('both choose by')]);
});

test('body: says when it has found more exchanges than it returns', async () => {
  await terminal.run(['history']);
  fillBodies(join(terminal.dataDir, 'bodies.db'), MAX_BODY_HITS + 1);
  const cut = await terminal.run(['history', 'body:common']);
  expect(cut.stderr).toMatch(
    /^body: found the latest 2,000 exchanges back to 2001-\S+ \S+\. Earlier ones were not searched: add words\.\n$/u,
  );
  expect(cut.code).toBe(0);
  const exported = await terminal.run(['export', 'body:common']);
  expect(exported.stderr).toBe(cut.stderr);
  expect((await terminal.run(['history', 'body:odd1'])).stderr).toBe('');
});

/** Creates the database of the bodies with so many exchanges that have the word "common", one a second from 2001-09-09 on. */
function fillBodies(file: string, count: number): void {
  new BodyDatabase(file).close();
  const database = new DatabaseSync(file);
  const numbers = `with recursive number (n) as (select 1 union all select n + 1 from number where n < ${count})`;
  database.exec(`insert into frame (depth, plain, content) values (0, 0, x'');
    ${numbers} insert into exchange (id, started_at, frame, at, bodies)
      select printf('ex-%016x', n), 1000000000000 + 1000 * n, 1, 0, '[]' from number;
    ${numbers} insert into searched (number, id) select n, printf('ex-%016x', n) from number;
    ${numbers} insert into searched_text (rowid, text) select n, 'common odd' || (n % 2) from number;`);
  database.close();
}

test('the service of each exchange is shown when the history has more than one', async () => {
  await using serving = await terminal.serve();
  await ask(serving, 'aurora/aurora-large');
  await serving.stop('SIGINT');
  expect((await terminal.run(['history'])).stdout).not.toContain('Service');
  const store = await openStore(join(terminal.dataDir, 'gatehouse.db'));
  const options = { now: Date.now, redact: String, log: () => undefined, getRetention: null };
  const history = openHistory({ store, ...options });
  history.record(anExchange('ex-00000000000000ff'));
  await history.close();
  await store.close();
  const { stdout } = await terminal.run(['history']);
  expect(stdout).toMatch(/ Duration +Service +Repairs/u);
  expect(stdout).toMatch(/ Sandbox /u);
  expect(stdout).toContain(' https://models.example.com ');
});

describe('history --follow', () => {
  test('the lines of an answer are printed before it is complete', async () => {
    await using serving = await terminal.serve();
    await using following = terminal.begin(['history', '--follow', '--answers']);
    await following.says('Duration');
    const client = new AbortController();
    const content = 'alpha line\nbeta line\ngamma [scenario echo] [scenario silent-stream=600000]';
    const response = await fetch(`http://127.0.0.1:${serving.port}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${serving.localKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        model: 'aurora/aurora-large',
        stream: true,
        messages: [{ role: 'user', content }],
      }),
      signal: client.signal,
    });
    const id = response.headers.get('x-gatehouse-exchange') ?? '';
    await following.says(`${id}  alpha line`);
    client.abort();
    await following.says('client left');
    following.child.kill('SIGINT');
    const { code, stdout } = await following.finished;
    expect(code).toBe(0);
    expect(stdout.match(/alpha line/gu)).toHaveLength(1);
  });

  test('answers need a running Gatehouse, and --follow', async () => {
    const alone = await terminal.run(['history', '--follow', '--answers']);
    expect([alone.code, alone.stderr]).toEqual([
      1,
      expect.stringContaining('No Gatehouse is running'),
    ]);
    expect(await terminal.run(['history', '--answers'])).toMatchObject({ code: 2 });
  });

  test('finding 18: shows the latest exchanges, each new one, and those of the next run; Ctrl-C ends it with 0', async () => {
    await terminal.run(['clients', 'list']);
    await using following = terminal.begin([
      'history',
      '--follow',
      '--json',
      '--client',
      'unknown',
    ]);
    for (const model of ['first', 'second']) {
      await using serving = await terminal.serve();
      if (serving.localKey !== '') await ask(serving, 'not-shown');
      await fetch(`http://127.0.0.1:${serving.port}/v1/${model}`);
      await following.says(`/v1/${model}`);
      await serving.stop('SIGINT');
    }
    following.child.kill('SIGINT');
    const { code, stdout, stderr } = await following.finished;
    expect([code, stderr]).toEqual([0, '']);
    const shown = stdout
      .trim()
      .split('\n')
      .map((line) => ExchangeRecord.parse(JSON.parse(line)));
    expect(shown.map(({ pathReceived }) => pathReceived)).toEqual(['/v1/first', '/v1/second']);
  });

  test('shows what was there before, oldest first, in lines with the reason of a failure', async () => {
    await using serving = await terminal.serve();
    await makeExchanges(serving);
    await serving.stop('SIGINT');
    await using following = terminal.begin(['history', '--follow', '--limit', '2']);
    await following.says('wrong key');
    following.child.kill('SIGTERM');
    const { code, stdout } = await following.finished;
    const lines = stdout.trim().split('\n');
    expect([code, lines.length]).toEqual([0, 3]);
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d {2}404 model not found {8}First client {4}Chat /u);
    expect(lines[2]).toMatch(/ 401 wrong key +unknown +Chat /u);
  });

  test('shows a running exchange at its end', async () => {
    await using serving = await terminal.serve();
    const leave = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${serving.port}/v1/chat/completions`, {
      method: 'POST',
      signal: leave.signal,
      headers: {
        authorization: `Bearer ${serving.localKey}`,
        'content-type': 'application/json',
        'x-sandbox-scenario': 'silent-stream=60000',
      },
      body: JSON.stringify({
        model: 'aurora/aurora-large',
        messages: [{ role: 'user', content: 'Hello' }],
        stream: true,
      }),
    });
    expect(answer.status).toBe(200);
    await ask(serving, 'no-such-model');
    await using following = terminal.begin(['history', '--follow', '--json']);
    await following.says('no-such-model');
    leave.abort();
    await following.says('"endedBy":"client"');
  });

  test('ends when nobody reads it any more', async () => {
    await using serving = await terminal.serve();
    const child = terminal.start(['history', '--follow']);
    child.stdin?.end();
    assert(child.stdout !== null);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const ended = once(child, 'close');
    await ask(serving, 'aurora/aurora-large');
    const [code] = await ended;
    expect(code).toBe(0);
  });

  test('with an id it is called wrongly', async () => {
    expect((await terminal.run(['history', 'ex-12', '--follow'])).code).toBe(2);
  });

  test('an exchange of a tool is shown when its tool is known, and found and exported by it later', async () => {
    await using serving = await terminal.serve();
    await ask(serving, 'aurora/aurora-large');
    const first = await callTool(serving);
    await using following = terminal.begin(['history', '--follow', '--json', 'tool:read_*']);
    await following.says(first);
    const second = await callTool(serving);
    await following.says(second);
    following.child.kill('SIGINT');
    const { stdout } = await following.finished;
    expect(idsOfLines(stdout)).toEqual([first, second]);
    await serving.stop('SIGINT');
    const filters = ['tool:READ_FILE', 'route:* -tool:*', 'tool:none'];
    const found = await Promise.all(filters.map(async (filter) => (await list([filter])).length));
    expect(found).toEqual([2, 1, 0]);
    const exported = await terminal.run(['export', '--format', 'jsonl', 'tool:read_file']);
    expect(idsOfLines(exported.stdout)).toEqual([second, first]);
    const without = await terminal.run(['history', '--follow', '--', '-tool:read_file']);
    expect([without.code, without.stderr]).toEqual([
      2,
      expect.stringContaining('--follow cannot leave out tools'),
    ]);
  });
});

describe('export', () => {
  test('finding 18: writes CSV and JSON lines, to standard output and to a file of its own', async () => {
    await using serving = await terminal.serve();
    await makeExchanges(serving);
    await serving.stop('SIGINT');
    const csv = await terminal.run(['export']);
    expect([csv.code, csv.stderr]).toEqual([0, '']);
    expect(csv.stdout.split('\r\n')).toHaveLength(5);
    expect(csv.stdout).toMatch(/^id,started_at,service,client,/u);
    const out = join(terminal.dataDir, '..', 'out.jsonl');
    const args = ['export', '--format', 'jsonl', '--client', 'unknown', '--out', out];
    const { code, stdout } = await terminal.run([...args, '--since', '1h']);
    expect([code, stdout]).toEqual([0, `1 exchange exported to ${out}\n`]);
    const lines = (await readFile(out, 'utf8')).trim().split('\n');
    expect(lines.map((line) => ExchangeRecord.parse(JSON.parse(line)).status)).toEqual([401]);
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    const folder = await readdir(join(terminal.dataDir, '..'));
    expect(folder.filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('chooses by status, as the list does', async () => {
    await using serving = await terminal.serve();
    await makeExchanges(serving);
    await serving.stop('SIGINT');
    const statuses = async (...flags: string[]) => {
      const { stdout } = await terminal.run(['export', '--format', 'jsonl', ...flags]);
      const lines = stdout.split('\n').filter((line) => line !== '');
      return lines.map((line) => ExchangeRecord.parse(JSON.parse(line)).status);
    };
    expect(await statuses()).toEqual([401, 404, 200]);
    expect(await statuses('--status', 'failed')).toEqual([401, 404]);
    expect(await statuses('--status', '404')).toEqual([404]);
    expect(await statuses('--status', '4xx', '--client', 'unknown')).toEqual([401]);
    expect(await statuses('--status', '500')).toEqual([]);
    expect((await terminal.run(['export', '--status', 'good'])).code).toBe(2);
  });

  test('writes requests and responses, also those of one run', async () => {
    await using serving = await terminal.serve();
    const chat = async (words: string) => {
      const answer = await fetch(`http://127.0.0.1:${serving.port}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${serving.localKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          model: 'aurora-small',
          messages: [{ role: 'user', content: words }],
        }),
      });
      await answer.text();
    };
    await chat('The first task');
    await chat('Quite another matter');
    const listRuns = async () =>
      (await terminal.run(['runs', '--single', '--search', 'task'])).stdout;
    await expect.poll(listRuns).toContain('run-');
    await serving.stop('SIGINT');
    const run = /run-[\da-f]+/u.exec(await listRuns())?.[0] ?? '';
    const read = async (...flags: string[]) => {
      const { code, stdout, stderr } = await terminal.run(['export', ...flags]);
      expect([code, stderr]).toEqual([0, '']);
      return stdout;
    };
    const har = Har.parse(JSON.parse(await read('--format', 'har', '--search', 'chat')));
    const texts = har.log.entries.map(({ request }) => request.postData?.text ?? '');
    expect(texts.filter((text) => text.includes('aurora'))).toHaveLength(texts.length);
    expect(texts.join('\n')).toContain('Quite another matter');
    const ofRun = await terminal.json(['history', '--run', run.slice(0, -2)]);
    expect(ofRun).toMatchObject({ exchanges: [{ run }] });
    expect((await terminal.run(['history', '--run', 'nonsense'])).code).toBe(2);
    const markdown = await read('--format', 'md', '--run', run.slice(0, -2));
    expect(markdown).toContain('The first task');
    expect(markdown).not.toContain('Quite another matter');
    const page = await read('--format', 'html', '--run', run.slice(0, -2));
    expect(page).toMatch(/^<!doctype html>[^]*<h1>The first task<\/h1>[^]*<h3>Step 1<\/h3>/u);
    expect(page).not.toContain('Quite another matter');
    expect((await terminal.run(['export', '--run', 'nonsense'])).code).toBe(2);
    const missing = await terminal.run(['export', '--run', 'run-ffff']);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no run')]);
  });

  test('has no key that the command knows and the engine did not', async () => {
    const [first, second] = ['of-the-environment', 'of-the-file'].map(
      (word) => `canary-${word}-0123456789`,
    );
    await using serving = await terminal.serve();
    await ask(serving, `one ${first} two ${second} three`);
    const listRuns = async () => (await terminal.run(['runs', '--single'])).stdout;
    await expect.poll(listRuns, { timeout: 30_000 }).toContain('run-');
    const run = /run-[\da-f]+/u.exec(await listRuns())?.[0] ?? '';
    await serving.stop('SIGINT');
    const read = async (format: string, environment = {}) => {
      const { code, stdout } = await terminal.run(['export', '--format', format], { environment });
      expect(code).toBe(0);
      return stdout;
    };
    expect(await read('jsonl')).toContain(first);
    const set = ['key', 'set', '--upstream', 'https://other.example', '--plain-text-file'];
    expect((await terminal.run(set, { input: second ?? '' })).code).toBe(0);
    const environment = { GATEHOUSE_UPSTREAM_KEY: first };
    const fixture = await terminal.run(['runs', run, '--fixture'], { environment });
    expect([fixture.code, fixture.stdout]).toEqual([0, expect.not.stringContaining('canary')]);
    for (const format of ExportFormat.options) {
      const text = await read(format, environment);
      expect(text).not.toContain('canary');
      expect(text).toContain('service key');
    }
  });

  test('overwrites a file only with --force', async () => {
    const out = join(terminal.dataDir, '..', 'kept.csv');
    await writeFile(out, 'mine');
    const refused = await terminal.run(['export', '--out', out]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('already exists')]);
    expect(await readFile(out, 'utf8')).toBe('mine');
    expect((await terminal.run(['export', '--out', out, '--force'])).code).toBe(0);
    expect(await readFile(out, 'utf8')).toMatch(/^id,/u);
    expect((await terminal.run(['export', '--force'])).code).toBe(2);
    const nowhere = await terminal.run(['export', '--out', join(out, 'below', 'x.csv')]);
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('does not exist')]);
  });
});
