import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHistory } from '../../../gateway/history/history.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import {
  openTestMachine,
  SCRIPT_INSTALLED,
  type TestMachine,
} from '../../kit/process/test-machine.ts';

const AT = Date.UTC(2026, 10, 20, 12);
const SERVICE = ['--service', 'https://models.example.com'];

let machine: TestMachine;
beforeEach(async () => {
  machine = await openTestMachine();
});
afterEach(async () => await machine[Symbol.asyncDispose]());

async function run(...args: string[]) {
  return await machine.run(['usage', 'reconcile', ...args]);
}

async function write(name: string, text: string): Promise<string> {
  await mkdir(machine.dataDir, { recursive: true, mode: 0o700 });
  const file = join(machine.dataDir, name);
  await writeFile(file, text);
  return file;
}

/** Stores three exchanges of a service, a minute apart. */
async function recordThree(): Promise<void> {
  await machine.run(['usage']);
  const store = await openStore(join(machine.dataDir, 'gatehouse.db'));
  const history = openHistory({
    store,
    now: () => AT,
    redact: String,
    log: () => undefined,
    getRetention: null,
  });
  const cost = { amount: 500_000, source: 'reported', priceId: null };
  for (let place = 0; place < 3; place += 1) {
    history.record(
      anExchange(`ex-${place}`.padEnd(19, '0'), { startedAt: AT + place * 60_000, cost }),
    );
  }
  await history.close();
  await store.close();
}

const EXPORT = `created_at,model,prompt_tokens,completion_tokens,cost_usd
2026-11-20T12:00:00Z,acme/large,10,5,0.5
2026-11-20T12:01:00Z,acme/large,10,6,0.75
2026-11-20T12:30:00Z,\u001b[31mred,10,5,0.5
`;

test('columns are proposed, confirmed once, remembered, and can be changed', async () => {
  await recordThree();
  const file = await write('export.csv', EXPORT);

  const asked = await run(file, ...SERVICE);
  expect([asked.code, asked.stdout]).toEqual([1, '']);
  expect(asked.stderr).toContain('time: created_at (2026-11-20T12:00:00Z)');
  expect(asked.stderr).toContain('output: completion_tokens (5)');
  expect(asked.stderr).toContain('add --yes');
  expect((await run(file, ...SERVICE)).code).toBe(1);

  const { code, stdout } = await run(file, ...SERVICE, '--yes');
  expect(code).toBe(0);
  expect(stdout).toContain('from 2026-11-20 00:00:00 to 2026-11-21 00:00:00 UTC');
  expect(stdout).toMatch(/^Requests +3 +3 +0$/mu);
  expect(stdout).toMatch(/^Output tokens +16 +15 +\+1$/mu);
  expect(stdout).toMatch(/^Cost +\$1\.75 +\$1\.50 +\+\$0\.25$/mu);
  expect(stdout).toContain(
    '1 request is equal, 1 different, 1 only in the export, 1 only in the history.',
  );
  expect(stdout).toMatch(/^2026-11-20 12:30:00 +4 +– +\uFFFD\[31mred +10 +5 +\$0\.50$/mu);
  expect(stdout).toMatch(/^2026-11-20 12:02:00 +– +ex-2\w+ +acme\/large +10 +5 +\$0\.50$/mu);
  expect(stdout).toMatch(/^2026-11-20 12:01:00 +3 +ex-1\w+ .* 5? ?6 \/ 5 +\$0\.75 \/ \$0\.50$/mu);

  // They are remembered, each part can be changed, and a day counts as a whole.
  const call = ['usage', 'reconcile', file, ...SERVICE];
  const found = await machine.json([
    ...call,
    '--column',
    'cost=',
    ...'--since 2026-11-19 --until 2026-11-21 --time-zone local'.split(' '),
  ]);
  expect(found).toMatchObject({
    columns: { time: 'created_at', cost: null, timeZone: 'local', rows: 'request' },
    since: new Date(2026, 10, 19).getTime(),
    until: new Date(2026, 10, 22).getTime(),
    export: { requests: 3, input: 30, output: 16, cost: null },
    history: { requests: 3, input: 30, output: 15, cost: 1_500_000 },
    difference: { requests: 0, input: 0, output: 1, cost: null },
    equal: 1,
    onlyInHistory: { count: 1, first: [{ exchange: 'ex-2000000000000000' }] },
    onlyInExport: { count: 1, first: [{ place: 4 }] },
  });
  expect(await machine.json(call)).toMatchObject({
    columns: { cost: null, timeZone: 'local' },
  });

  // Another export of the same service needs columns of its own.
  const other = await write('days.json', '{"data":[{"day":"2026-11-20","n":3,"in":30}]}');
  expect((await run(other, ...SERVICE)).code).toBe(1);
  const days = ['--column', 'time=day', '--column', 'input=in', '--column', 'requests=n'];
  const summed = await run(other, ...SERVICE, ...days, '--rows', 'day', '--time-zone', 'utc');
  expect([summed.code, summed.stderr]).toEqual([0, '']);
  expect(summed.stdout).toContain('1 sum is equal, 0 different, 0 only in the export');
});

test.skipIf(!SCRIPT_INSTALLED)('a person at a terminal is asked once', async () => {
  await recordThree();
  const file = await write('export.csv', EXPORT);
  await using screen = machine.startAtScreen(['usage', 'reconcile', file, ...SERVICE]);
  await screen.waitFor('Are these the columns of');
  screen.type('y');
  expect(await screen.ended).toBe(0);
  expect(screen.output()).toContain('1 request is equal');
  expect((await run(file, ...SERVICE)).code).toBe(0);
});

async function refusal(...args: readonly string[]) {
  const { code, stdout, stderr } = await run(...args);
  expect(stdout).toBe('');
  return [code, stderr];
}

test('a wrong call is refused with a sentence', async () => {
  const file = await write('export.csv', EXPORT);
  const column = (text: string) => refusal(file, '--column', text);
  expect(await column('when=created_at')).toEqual([2, expect.stringContaining('Parts: time')]);
  expect(await column('model=model')).toEqual([2, expect.stringContaining('times is missing')]);
  expect(await column('time=created')).toEqual([2, expect.stringContaining('no column "created"')]);
  expect(await column('time=')).toEqual([2, expect.stringContaining('without times')]);
  expect(await column('time=created_at')).toEqual([2, expect.stringContaining('to compare')]);
  expect(await refusal(file, '--since', '1d', '--until', '2d')).toEqual([
    2,
    expect.stringContaining('--since is after --until'),
  ]);
  expect(await refusal('absent.csv')).toEqual([
    1,
    expect.stringContaining('absent.csv cannot be read'),
  ]);
  expect(await refusal(await write('plain.csv', 'a,b\nx,y\n'))).toEqual([
    1,
    expect.stringContaining('not clear: a, b'),
  ]);
});

test('it works beside a Gatehouse that runs', async () => {
  await using serving = await machine.serve(['--no-ui']);
  const response = await fetch(`http://127.0.0.1:${serving.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${serving.localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'aurora/aurora-small',
      messages: [{ role: 'user', content: 'one' }],
    }),
  });
  await response.text();
  const id = response.headers.get('x-gatehouse-exchange') ?? '';
  await expect.poll(async () => (await machine.run(['show', id])).code).toBe(0);
  const { stdout } = await machine.run(['export', '--format', 'csv']);
  const file = await write('own.csv', stdout);
  const columns = ['time=started_at', 'model=model_sent', 'input=tokens_input'];
  expect(
    await machine.json([
      'usage',
      'reconcile',
      file,
      ...columns.flatMap((text) => ['--column', text]),
    ]),
  ).toMatchObject({ service: 'sandbox', equal: 1, difference: { requests: 0, input: 0 } });
});
