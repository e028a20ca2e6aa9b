import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openTestMachine } from '../../kit/process/test-machine.ts';
import { openAgentBed } from './agent-bed.ts';
import { openProgramHome } from './program-home.ts';
import { PROGRAMS } from './programs.ts';
import { scriptTask } from './script.ts';
import { tryConnection } from './trials/connect.ts';

/** The versions of these in `node_modules` are tried here; `npm run compatibility` tries the others, and all programs themselves. */
const PRESENT = new Set(['openai', 'anthropic', 'ai-openai', 'ai-anthropic', 'ai-compatible']);

const withSettings = PROGRAMS.filter(({ variables }) => variables === undefined);
const libraries = PROGRAMS.filter(({ id }) => PRESENT.has(id));

test('the settings of every program are changed, are found right, and come back to the byte', async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-home-')));
  opened.defer(async () => await rm(folder, { recursive: true }));
  const machine = opened.use(await openTestMachine());
  opened.use(await machine.serve(['--no-ui']));
  for (const program of withSettings) {
    const home = await openProgramHome({ folder, program, command: process.execPath, machine });
    const { files, key, before } = await home.connect();
    expect(Object.values(await home.read(files)).join('\n')).toContain(key);
    expect(await home.findFailures()).toEqual([]);
    expect(await home.disconnect()).toMatchObject({ complete: true });
    expect(await home.read(files)).toEqual(before);
  }
});

// The agents in `scripts/` are started as commands.
describe.skipIf(process.platform === 'win32')('a library', () => {
  test.concurrent.for(libraries)('$title does the task with its variables', async (program) => {
    const command = join(import.meta.dirname, 'scripts', program.package.command);
    const script = (task: Parameters<typeof scriptTask>[1]) => scriptTask(program, task);
    await using bed = await openAgentBed({ program, command, isKept: false, script });
    expect(await tryConnection(bed)).toMatchObject({ unmet: [], shown: null });
  });
});
