import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { BodyDatabase } from '../../../gateway/bodies/body-database.ts';
import { openTestMachine, SCRIPT_INSTALLED } from '../../kit/process/test-machine.ts';

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
    },
  },
];

/** Parses the list of runs as the command prints it. */
function parse(text: string) {
  const runs = z.object({ id: z.string(), steps: z.number(), title: z.string() });
  return z.object({ runs: z.array(runs) }).parse(JSON.parse(text)).runs;
}

/** Sends a step of an agent, for a scenario of the sandbox if one is named. */
async function sendStep(
  { port, localKey }: { readonly port: number; readonly localKey: string },
  messages: readonly Record<string, unknown>[],
  scenario: string | null = null,
  status = 200,
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${localKey}`,
      'content-type': 'application/json',
      ...(scenario === null ? {} : { 'x-sandbox-scenario': scenario }),
    },
    body: JSON.stringify({ model: 'aurora-small', messages, tools: TOOLS }),
  });
  expect(response.status).toBe(status);
  await response.text();
}

test('the runs of agents are listed and shown, and what they print cannot steer the terminal', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const task = {
    role: 'user',
    content: 'Read \u001b[31mnotes.txt\u001b[0m and say its last word.',
  };
  const call = {
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id: 'call-1',
        type: 'function',
        function: { name: 'read_file', arguments: '{"path":"notes.txt"}' },
      },
    ],
  };
  const result = { role: 'tool', tool_call_id: 'call-1', content: 'The last word is dusk.' };
  await sendStep(serving, [task]);
  await sendStep(serving, [task, call, result]);
  const list = async () => (await machine.run(['runs', '--json'])).stdout;
  await expect.poll(async () => parse(await list())[0]?.steps).toBe(2);
  const printed = (await machine.run(['runs'])).stdout;
  expect(printed).toMatch(/^Run .* In +Out +Money +Task\n/u);
  expect(printed).toMatch(/ \$0\.\d+ not charged +Read /u);
  const [run] = parse(await list());
  const table = await machine.run(['runs', '--search', 'notes']);
  expect(table.stdout).toContain(run?.id);
  const found = await machine.run(['runs', '--body', 'word is dusk']);
  expect(found.stdout).toMatch(/ Found in\n.* ex-[\da-f]+: step 2\n$/u);
  const foundAsJson = (await machine.run(['runs', '--body', 'word is dusk', '--json'])).stdout;
  expect(JSON.parse(foundAsJson)).toMatchObject({
    matches: { [run?.id ?? '']: { kind: 'main', number: 2, steps: 1 } },
  });
  expect((await machine.run(['runs', '--body', 'word is dawn'])).stdout).toBe(
    'No run matches. To search single requests without tools too, add --single.\n',
  );
  expect((await machine.run(['runs', '--body', 'word is dawn', '--single'])).stdout).toBe(
    'No run matches.\n',
  );
  expect(await machine.run(['runs', '--body', ''])).toMatchObject({ code: 2 });
  const shown = await machine.run(['runs', run?.id.slice(0, -3) ?? '']);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain('Result of read_file (22 characters): The last word is dusk.');
  expect(shown.stdout).not.toContain('\u001b[31m');
  if (SCRIPT_INSTALLED) {
    await using screen = machine.startAtScreen(['runs', run?.id ?? '']);
    expect(await screen.ended).toBe(0);
    expect(screen.output()).toContain('\u001b[1m1. ex-');
  }
  const detail: unknown = JSON.parse((await machine.run(['runs', run?.id ?? '', '--json'])).stdout);
  expect(detail).toMatchObject({ run: { id: run?.id, steps: 2 } });
  expect((await machine.run(['runs', '--search', 'nothing like this'])).stdout).toContain(
    'No run matches.',
  );
});

test('a request that fails again and again is printed once, with how often it did', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const task = { role: 'user', content: 'Mend the parser.' };
  for (let count = 0; count < 4; count += 1) await sendStep(serving, [task], 'error-500', 500);
  await sendStep(serving, [task]);
  const list = async () => parse((await machine.run(['runs', '--json'])).stdout);
  await expect.poll(async () => (await list())[0]?.steps).toBe(5);
  const { stdout } = await machine.run(['runs', (await list())[0]?.id ?? '']);
  expect(stdout.match(/^\d(?=\. ex-)| {4}\d more times the same: 500 /gmu)).toEqual([
    '1',
    '    3 more times the same: 500 ',
    '5',
  ]);
});

/** A system prompt that names a day in its last line. */
const toSystem = (day: string) => ({
  role: 'system',
  content: `${'Work well. '.repeat(600)}\nToday is ${day}.`,
});

test('why the cache missed is printed with what differs, and as JSON with what it cost', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve();
  const task = { role: 'user', content: 'Mend the parser.' };
  const answer = { role: 'assistant', content: 'It is mended.' };
  const next = { role: 'user', content: 'Mend the lexer.' };
  await sendStep(serving, [toSystem('2026-03-01'), task], 'caches-input=50');
  await sendStep(serving, [toSystem('2026-03-02'), task, answer, next]);
  const list = async () => parse((await machine.run(['runs', '--json'])).stdout);
  await expect.poll(async () => (await list())[0]?.steps).toBe(2);
  const id = (await list())[0]?.id ?? '';
  const { stdout } = await machine.run(['runs', id]);
  expect(stdout).toMatch(/^Cache missed +once, [\d,]+ tokens$/mu);
  expect(stdout.replaceAll(/\s+/gu, ' ')).toMatch(
    new RegExp(
      'Cache missed: [\\d,]+ tokens read again; the system prompt changed at character 6,620, a date. ' +
        'before: Today is 2026-03-01. now: Today is 2026-03-02. This is at byte 6,',
      'u',
    ),
  );
  const { misses, missed } = z
    .object({ misses: z.record(z.string(), z.unknown()), missed: z.unknown() })
    .parse(JSON.parse((await machine.run(['runs', id, '--json'])).stdout));
  expect(missed).toMatchObject({ times: 1, cost: null, unpriced: 0 });
  expect(Object.values(misses)).toMatchObject([{ causes: [{ kind: 'system' }], cost: null }]);
});

test('a database of a version without pins and search is read after its tables were added', async () => {
  await using machine = await openTestMachine();
  await machine.run(['runs']);
  const file = join(machine.dataDir, 'bodies.db');
  new BodyDatabase(file).close();
  const earlier = new DatabaseSync(file);
  earlier.exec(`drop index exchange_age; alter table exchange drop column pinned;
    drop trigger searched_deleted; drop table searched_text; drop table search_state; drop table searched;
    insert into frame (depth, plain, content) values (0, 0, x'');
    insert into exchange (id, started_at, frame, at, bodies) values ('ex-12', 1, 1, 0, '[]');
    insert into run values ('run-12', 'c', 'Agent', null, 'Rename it', 1, 2, 0);
    insert into sequence values (1, 'run-12', 'c', null, 'main', null, 1, 2, '', '', 0, '');
    insert into step values ('ex-12', 1, 'run-12', 1, 'm', 0, 0, 1, 2, 0, '{}')`);
  earlier.close();
  const commands = [['runs'], ['history', 'body:rename'], ['runs']];
  const results = [];
  for (const args of commands) results.push(await machine.run(args));
  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(commands.map(() => [0, '']));
  expect(results[2]?.stdout).toContain('Rename it');
});

test('wrong calls are named, and a folder without runs has none', async () => {
  await using machine = await openTestMachine();
  expect(await machine.run(['runs'])).toMatchObject({
    code: 0,
    stdout: 'There are no runs yet.\n',
  });
  expect(await machine.run(['runs', 'run-12'])).toMatchObject({ code: 1 });
  expect(await machine.run(['runs', 'nonsense'])).toMatchObject({ code: 2 });
  expect(await machine.run(['runs', '--limit', '0'])).toMatchObject({ code: 2 });
});
