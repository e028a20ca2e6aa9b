import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import prepare from '../../kit/process/program.ts';
import { clientsPage } from './clients-page.ts';
import { findNewest, installProgram } from './install.ts';
import { agentsPage } from './page.ts';
import type { AgentProgram } from './program.ts';
import { PROGRAMS } from './programs.ts';
import { isAsExpected, type ProgramResult, Results } from './results.ts';
import { type Part, PARTS, toResult, tryProgram } from './try-program.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** The trials with the newest versions are written beside the installed programs. */
const NEWEST = join(ROOT, 'out', 'agents', 'newest');

const ALL_PARTS = Object.keys(PARTS).filter(isPart);

const { values: flags } = parseArgs({
  options: {
    part: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', multiple: true, default: [] },
    keep: { type: 'boolean', default: false },
    newest: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
  },
});
const RESULTS = join(flags.newest ? NEWEST : import.meta.dirname, 'results.json');
const DOCS = flags.newest ? NEWEST : join(ROOT, 'docs');
const chosen = PROGRAMS.filter(
  ({ id }) => !flags.page && (flags.only.length === 0 || flags.only.includes(id)),
);
const unknown = flags.only.filter((name) => !PROGRAMS.some(({ id }) => id === name));
if (unknown.length > 0) {
  const names = PROGRAMS.map(({ id }) => id).join(', ');
  throw new Error(`--only takes ${names}; not ${unknown.join(', ')}.`);
}
const parts = flags.part.length === 0 ? ALL_PARTS : flags.part.filter(isPart);
if (parts.length < flags.part.length) throw new Error(`--part takes ${ALL_PARTS.join(', ')}.`);

if (flags.page) await writePages(await readResults());
else await prepare();
if (flags.newest) await mkdir(NEWEST, { recursive: true });
for (const pinned of chosen) {
  const program = flags.newest ? await findNewest(pinned) : pinned;
  process.stderr.write(`${program.title} ${program.package.version} …\n`);
  const result = await tryOne(program);
  process.stderr.write(`${JSON.stringify(result, null, 2)}\n`);
  // A trial that broke off says nothing against what was seen before.
  const isKnown = (await readResults()).some(({ id }) => id === result.id);
  if (result.reason === null || !isKnown) await save(result);
  if (!isAsExpected(result)) process.exitCode = 1;
}

function isPart(name: string): name is Part {
  return name in PARTS;
}

async function tryOne(program: AgentProgram): Promise<ProgramResult> {
  try {
    const command = await installProgram(program);
    const before = (await readResults()).find(({ id }) => id === program.id)?.trials;
    return await tryProgram({ program, command, isKept: flags.keep }, parts, before);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return toResult(program, { reason });
  }
}

async function readResults(): Promise<Results> {
  return Results.parse(JSON.parse(await readFile(RESULTS, 'utf8').catch(() => '[]')));
}

/** Replaces the result of a program, and writes the page. */
async function save(result: ProgramResult): Promise<void> {
  const before = await readResults();
  const results = PROGRAMS.flatMap(({ id }) =>
    id === result.id ? [result] : before.filter((other) => other.id === id),
  );
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  // What git ignores, it does not format.
  if (!flags.newest)
    await promisify(execFile)(join(ROOT, 'node_modules', '.bin', 'oxfmt'), [RESULTS]);
  await writePages(results);
}

async function writePages(results: Results): Promise<void> {
  await writeFile(join(DOCS, 'agents.md'), agentsPage(results));
  await writeFile(join(DOCS, 'clients.md'), clientsPage(results));
}
