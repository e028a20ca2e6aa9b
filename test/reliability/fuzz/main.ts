import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Random } from '../../kit/random.ts';
import { saveInput, readCorpus } from './corpus.ts';
import { countCoverage } from './coverage.ts';

countCoverage();
// Imported after counting started, so that its modules are counted.
const { TARGETS } = await import('./targets.ts');
const { fuzz } = await import('./fuzz.ts');

const { values: flags } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string' },
    /** Saves inputs that reach something new, for later runs. */
    keep: { type: 'boolean', default: false },
  },
});
const cases = Number(flags.cases);
const seed = Number(flags.seed);
if (!Number.isSafeInteger(cases) || !Number.isSafeInteger(seed) || cases < 1) {
  throw new Error('--cases and --seed take a whole number.');
}
const targets = TARGETS.filter(({ name }) => flags.only === undefined || name === flags.only);
if (targets.length === 0) {
  throw new Error(`--only takes one of: ${TARGETS.map(({ name }) => name).join(', ')}.`);
}
process.stdout.write(
  `Seed ${seed}\n\n| target | cases | kept inputs | places reached |\n|---|---:|---:|---:|\n`,
);
for (const target of targets) {
  const corpus = await readCorpus(target.name);
  const { failure, found, reached, ...done } = await fuzz({
    target,
    corpus,
    cases: Math.max(cases, corpus.length + target.seeds.length),
    random: new Random(seed),
  });
  if (flags.keep) for (const input of found) await saveInput(target.name, input);
  const kept = corpus.length + (flags.keep ? found.length : 0);
  process.stdout.write(`| ${target.name} | ${done.cases} | ${kept} | ${reached} |\n`);
  if (failure === null) continue;
  const path = await saveInput(target.name, failure.input);
  process.stderr.write(
    `${target.name} broke on ${JSON.stringify(failure.input.toString('latin1'))}, kept in ${path}\n`,
  );
  process.stderr.write(
    `${failure.error instanceof Error ? failure.error.stack : String(failure.error)}\n`,
  );
  process.exitCode = 1;
}
