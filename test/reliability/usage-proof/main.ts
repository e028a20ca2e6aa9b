import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { formatResult } from './report.ts';
import { runProof } from './run-proof.ts';

const { values: flags } = parseArgs({
  options: {
    exchanges: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    'each-run': { type: 'string', default: '2500' },
    'at-once': { type: 'string', default: '24' },
  },
});
const [exchanges, seed, eachRun, atOnce] = [
  flags.exchanges,
  flags.seed,
  flags['each-run'],
  flags['at-once'],
].map(Number);
if (!exchanges || !seed || !eachRun || !atOnce)
  throw new Error('--exchanges, --seed, --each-run and --at-once take a number.');
process.stderr.write(`Seed ${seed}\n`);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const started = performance.now();
const onProgress = (done: number) => process.stderr.write(`\r${done} exchanges`);
const result = await runProof({
  exchanges,
  seed,
  eachRun,
  atOnce,
  stop: stop.signal,
  onProgress,
});
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
const day = new Date().toLocaleDateString('en-GB', { dateStyle: 'long' });
const asked = `npm run usage-proof -- --exchanges ${exchanges} --seed ${seed}`;
// docs/usage.md has these figures.
process.stdout.write(`\n\`${asked}\`, ${day}, ${minutes} minutes.\n\n${formatResult(result)}\n`);
for (const error of result.errors.slice(0, 100)) process.stderr.write(`${error}\n`);
process.exitCode = result.errors.length === 0 ? 0 : 1;
