import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { assert, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  openTestMachine,
  type RunningServer,
  SCRIPT_INSTALLED,
  type TestMachine,
} from '../../kit/process/test-machine.ts';

const Listed = z.object({ exchanges: z.array(z.object({ id: z.string(), status: z.number() })) });
const Runs = z.object({ runs: z.array(z.object({ id: z.string(), steps: z.number() })) });

/** Asks a model, and returns the id of the exchange when it is stored. */
async function ask(
  machine: TestMachine,
  { port, localKey }: RunningServer,
  text: string,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'aurora/aurora-small',
      messages: [{ role: 'user', content: text }],
    }),
  });
  await response.text();
  const id = response.headers.get('x-gatehouse-exchange');
  assert(id !== null);
  await expect.poll(async () => (await list(machine, `id:${id}`)).length).toBe(1);
  return id;
}

async function list(machine: TestMachine, filter: string): Promise<string[]> {
  const { exchanges } = Listed.parse(await machine.json(['history', filter]));
  return exchanges.map(({ id }) => id);
}

/** Counts the rows of a table in a database of the machine. */
function countRows({ dataDir }: TestMachine, name: string, table: string): unknown {
  using database = new DatabaseSync(join(dataDir, name), { readOnly: true });
  return database.prepare(`select count(*) as n from ${table}`).get()?.['n'];
}

describe.each([['that runs'], ['that has ended']])(
  'on the data folder of a Gatehouse %s',
  (state) => {
    test('an exchange is marked, found by its marks, and deleted with its bodies', async () => {
      await using machine = await openTestMachine();
      await using serving = await machine.serve(['--no-ui']);
      const id = await ask(machine, serving, 'one');
      const other = await ask(machine, serving, 'two');
      if (state === 'that has ended') await serving.stop('SIGINT');
      const marked = await machine.run([
        'mark',
        id.slice(3),
        '--pin',
        '--tag',
        'bug',
        'later',
        '--note',
        'loops \u001b[31mhere',
      ]);
      expect([marked.code, marked.stderr]).toEqual([0, '']);
      expect(marked.stdout).toMatch(
        /^Exchange +ex-.*\nPinned +yes\nTags +bug, later\nNote +loops /u,
      );
      expect(marked.stdout).not.toContain('\u001b');
      expect(await list(machine, 'pinned tag:bug note:loops')).toEqual([id]);
      expect(await list(machine, 'route:chat -pinned')).toEqual([other]);
      expect(await machine.json(['history', id])).toMatchObject({ mark: { pinned: true } });
      expect(await machine.json(['show', id])).toMatchObject({ mark: { tags: ['bug', 'later'] } });
      const changed = ['mark', id, '--unpin', '--untag', 'BUG', '--note', ''];
      expect(await machine.json(changed)).toMatchObject({
        id,
        mark: { pinned: false, note: '', tags: ['later'] },
      });
      expect((await machine.run(['mark', other])).stdout).toContain(
        'has no pin, no note and no tags',
      );

      expect(await machine.run(['delete', id])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('add --yes'),
      });
      const deleted = await machine.run(['delete', id, '--yes']);
      expect(deleted).toMatchObject({ code: 0, stdout: `${id}: 1 exchange was deleted.\n` });
      expect(await list(machine, '')).toEqual([other]);
      expect(countRows(machine, 'bodies.db', 'exchange')).toBe(1);
      expect(countRows(machine, 'gatehouse.db', 'exchange_mark')).toBe(0);
      const again = await machine.run(['delete', id, '--yes']);
      expect(again).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('There is no exchange'),
      });
    });

    test('a run is pinned and deleted', async () => {
      await using machine = await openTestMachine();
      await using serving = await machine.serve(['--no-ui']);
      const id = await ask(machine, serving, 'one');
      const readRuns = async () => Runs.parse(await machine.json(['runs', '--single'])).runs;
      await expect.poll(async () => (await readRuns()).length).toBe(1);
      const [run] = await readRuns();
      assert(run !== undefined);
      if (state === 'that has ended') await serving.stop('SIGINT');
      expect(await machine.run(['mark', run.id, '--tag', 'x'])).toMatchObject({ code: 2 });
      expect(await machine.json(['mark', run.id, '--pin'])).toEqual({
        id: run.id,
        pinned: true,
        exchanges: 1,
      });
      expect(await list(machine, 'pinned')).toEqual([id]);
      expect(await machine.json(['delete', run.id.slice(0, -2), '--yes'])).toEqual({
        id: run.id,
        exchanges: 1,
      });
      expect(await list(machine, '')).toEqual([]);
      expect(await machine.run(['delete', run.id, '--yes'])).toMatchObject({ code: 1 });
    });
  },
);

test.each([
  [['mark', 'ex-1', '--pin', '--unpin'], 'only one of --pin and --unpin'],
  [['mark', 'ex-1', '--tag', 'two words'], 'no spaces'],
  [['mark', 'ex-1', '--note', 'x'.repeat(2_001)], 'at most 2000 characters'],
  [['mark', 'run-1'], 'A run takes --pin or --unpin alone'],
  [['mark', 'nonsense', '--pin'], 'hexadecimal digits'],
  [['delete', 'nonsense', '--yes'], 'hexadecimal digits'],
  [['delete', 'run-nonsense', '--yes'], 'hexadecimal digits'],
])('a wrong call is refused: %j', async (args, words) => {
  await using machine = await openTestMachine();
  const { code, stderr } = await machine.run(args);
  expect([code, stderr.replaceAll(/\s+/gu, ' ')]).toEqual([2, expect.stringContaining(words)]);
});

test('two commands that delete the same exchange at the same moment: one says that it is gone', async () => {
  await using machine = await openTestMachine();
  await using serving = await machine.serve(['--no-ui']);
  const id = await ask(machine, serving, 'one');
  const both = await Promise.all([1, 2].map(() => machine.run(['delete', id, '--yes'])));
  expect(both.filter(({ code }) => code === 0)).toHaveLength(1);
  const failed = both.find(({ code }) => code === 1);
  expect(failed?.stderr).toMatch(/was deleted|There is no exchange/u);
});

test.skipIf(!SCRIPT_INSTALLED)(
  'before a deletion a person is asked, and a no changes nothing',
  async () => {
    await using machine = await openTestMachine();
    await using serving = await machine.serve(['--no-ui']);
    const id = await ask(machine, serving, 'one');
    await machine.run(['mark', id, '--pin']);
    await using screen = machine.startAtScreen(['delete', id]);
    await screen.waitFor('It is pinned.');
    screen.type('n');
    expect(await screen.ended).toBe(1);
    expect(screen.output()).toContain('Nothing was changed.');
    expect(await list(machine, 'pinned')).toEqual([id]);
  },
);
