import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROGRAMS as CONNECTABLE } from '../../../gateway/connect/programs/programs.ts';
import { openAgentBed } from './agent-bed.ts';
import { clientsPage } from './clients-page.ts';
import { findCommand } from './install.ts';
import { agentsPage } from './page.ts';
import { PROGRAMS } from './programs.ts';
import { isAsExpected, Results } from './results.ts';
import { scriptTask } from './script.ts';
import { tryTask } from './trials/task.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

async function readResults(): Promise<Results> {
  return Results.parse(
    JSON.parse(await readFile(join(import.meta.dirname, 'results.json'), 'utf8')),
  );
}

test.for([
  ['agents.md', agentsPage],
  ['clients.md', clientsPage],
] as const)('docs/%s equals the page that is generated from the results', async ([name, build]) => {
  const page = await readFile(join(ROOT, 'docs', name), 'utf8');
  expect(page).toBe(build(await readResults()));
});

test('the results are those of the programs and their versions, and each is as expected', async () => {
  const results = await readResults();
  expect(results.map(({ id, version }) => [id, version])).toEqual(
    PROGRAMS.map(({ id, package: { version } }) => [id, version]),
  );
  expect(results.filter((result) => !isAsExpected(result))).toEqual([]);
});

test('the page says why a program was not tried', async () => {
  const page = clientsPage(await readResults());
  const [, list = ''] = page.split('## From documentation only');
  const untried = Object.values(CONNECTABLE).filter(({ checked }) => checked === 'documented');
  const reasons = new Map(
    [...list.matchAll(/^- (.+?): (.+)$/gmu)].map(([, name, why]) => [name, why]),
  );
  expect(untried.filter(({ name }) => !reasons.has(name))).toEqual([]);
});

test('an outcome that was not expected is on the page', async () => {
  const [result, ...others] = await readResults();
  const failed = { facts: [], unmet: ['its run has no calls'], shown: null };
  const changed =
    result === undefined ? [] : [{ ...result, trials: { ...result.trials, task: failed } }];
  expect(changed.every((one) => !isAsExpected(one))).toBe(true);
  expect(agentsPage([...changed, ...others])).toContain('**Not met:** its run has no calls');
  expect(clientsPage([...changed, ...others])).toContain('| not met: its run has no calls |');
});

// One is enough here; `npm run compatibility` tries all.
const installed = PROGRAMS.flatMap((program) => {
  const command = findCommand(program);
  return command === null ? [] : [{ title: program.title, program, command }];
}).slice(0, 1);

describe.skipIf(installed.length === 0)('a program that is installed', () => {
  test.each(installed)('$title does the task, and its run is the expected one', async (tried) => {
    const { program } = tried;
    const script = (task: Parameters<typeof scriptTask>[1]) => scriptTask(program, task);
    await using bed = await openAgentBed({ ...tried, isKept: false, script });
    const { outcome } = await tryTask(program, bed);
    expect(outcome).toMatchObject({ unmet: [], shown: null });
  });
});
