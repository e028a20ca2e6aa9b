import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { tellStories } from './harness.ts';
import { reportOf } from './tally.ts';

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    'at-once': { type: 'string', default: String(availableParallelism() * 2) },
  },
});
const [runs, seed, atOnce] = [flags.runs, flags.seed, flags['at-once']].map(Number);
if (!runs || !seed || !atOnce) throw new Error('--runs, --seed and --at-once take a number.');
process.stderr.write(`Seed ${seed}\n`);
const started = performance.now();
const tally = await tellStories({
  runs,
  seed,
  atOnce,
  onStory: ({ faulty, wrongs }) =>
    process.stderr.write(`\r${faulty} runs with a fault, ${wrongs.length} wrong`),
});
process.stderr.write('\n');
const seconds = Math.round((performance.now() - started) / 1000);
process.stdout.write(`${reportOf(tally)}\n\nSeed ${seed}, ${seconds} s.\n`);
for (const wrong of tally.wrongs) process.stderr.write(`${wrong}\n`);
process.exitCode = tally.wrongs.length === 0 ? 0 : 1;
