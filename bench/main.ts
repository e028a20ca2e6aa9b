import { parseArgs } from 'node:util';
import { describeMachine, isQuiet, measureQuietness, type Quietness } from './machine.ts';
import type { Bench, Measure, Row } from './measure.ts';
import { measureChat } from './measures/chat.ts';
import { measureHistory } from './measures/history.ts';
import { measureLargeBody } from './measures/large-body.ts';
import { measureLatency } from './measures/latency.ts';
import { measureMemory } from './measures/memory.ts';
import { measureStart } from './measures/start.ts';
import { measureStreams } from './measures/streams.ts';
import { measureThroughput } from './measures/throughput.ts';
import { measureVideos } from './measures/videos.ts';
import { measureWindow } from './measures/window.ts';
import { formatMachine, formatQuietness, type Report, formatTable } from './report.ts';
import { FULL, QUICK } from './scale.ts';

const MEASURES: ReadonlyMap<string, Measure> = new Map([
  ['latency', measureLatency],
  ['throughput', measureThroughput],
  ['streams', measureStreams],
  ['memory', measureMemory],
  ['start', measureStart],
  ['window', measureWindow],
  ['large-body', measureLargeBody],
  ['history', measureHistory],
  ['videos', measureVideos],
  ['chat', measureChat],
]);

const HELP = `Measures the gateway beside a direct call, a bare http-proxy and nginx. Every answer is checked.

  npm run bench -- [--only ${[...MEASURES.keys()].join('|')}] [--quick] [--json] [--profile DIR]

  --only NAME    one measurement; may be repeated
  --quick        tiny numbers: shows that everything runs, the figures mean nothing
  --json         the report as JSON on standard output
  --profile DIR  writes CPU profiles of the gateway there; slows it down`;

async function main(): Promise<void> {
  const { values: flags } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [...MEASURES.keys()] },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (flags.help) return print(HELP);
  const machine = describeMachine();
  printProgress(formatMachine(machine));
  const scale = flags.quick ? QUICK : FULL;
  const bench = { scale, profileDir: flags.profile ?? null };
  const before = await reportQuietness(scale.sampleMs);
  const measured = await measureAll(flags.only, bench);
  const rows = flags.quick ? measured.map(withoutGoal) : measured;
  const after = await reportQuietness(scale.sampleMs);
  const report: Report = { machine, quietness: { before, after }, quick: flags.quick, rows };
  print(flags.json ? JSON.stringify(report, null, 2) : formatTable(rows));
}

async function measureAll(names: readonly string[], bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of names) {
    const measure = MEASURES.get(name);
    if (measure === undefined) throw new Error(`There is no measurement "${name}".\n\n${HELP}`);
    printProgress(`Measuring ${name} …`);
    rows.push(...(await measure(bench)));
  }
  return rows;
}

/** Goals are checked only in a full run, whose figures are meaningful. */
function withoutGoal({ name, label, unit, values }: Row): Row {
  return { name, label, unit, values };
}

async function reportQuietness(sampleMs: number): Promise<Quietness> {
  const quietness = await measureQuietness(sampleMs);
  const line = formatQuietness(quietness);
  printProgress(isQuiet(quietness) ? line : `WARNING, these figures will mean little: ${line}.`);
  return quietness;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function printProgress(text: string): void {
  process.stderr.write(`${text}\n`);
}

try {
  await main();
} catch (error) {
  printProgress(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
