import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { FEATURES } from './features.ts';
import { runScenarios } from './run-scenarios.ts';
import { describeFaults, formatReport } from './run-stats.ts';

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string', multiple: true },
    'at-once': { type: 'string', default: String(availableParallelism() * 2) },
  },
});
const [runs, seed, atOnce] = [flags.runs, flags.seed, flags['at-once']].map(Number);
if (!runs || !seed || !atOnce) throw new Error('--runs, --seed and --at-once take a number.');
const features = FEATURES.filter((feature) => flags.only?.includes(feature) ?? true);
if (features.length === 0) throw new Error(`--only takes one of these: ${FEATURES.join(', ')}.`);
process.stderr.write(`Seed ${seed}\n`);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const started = performance.now();
const stats = await runScenarios({
  runs,
  seed,
  atOnce,
  features,
  stop: stop.signal,
  onScenario: ({ faulty, errors: wrongs }) =>
    process.stderr.write(`\r${faulty} runs with a fault, ${wrongs.length} wrong`),
});
process.stderr.write('\n');
const minutes = Math.round((performance.now() - started) / 60_000);
const only = features.length === FEATURES.length ? '' : ` (only ${features.join(', ')})`;
const day = new Date().toLocaleDateString('en-GB', { dateStyle: 'long' });
const intro = `\`npm run faults -- --seed ${seed}\`${only}, ${day}, ${minutes} minutes.`;
// docs/videos-proof.md documents these numbers.
process.stdout.write(`${intro} ${describeFaults(stats)}\n\n${formatReport(stats)}\n`);
for (const wrong of stats.errors) process.stderr.write(`${wrong}\n`);
process.exitCode = stats.errors.length === 0 ? 0 : 1;
