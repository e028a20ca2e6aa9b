import { parseArgs } from 'node:util';
import { describeMachine, isQuiet, measureQuietness, type Quietness } from './machine.ts';
import type { Bench, Measure, Row } from './measure.ts';
import { measureChat } from './measures/chat.ts';
import { measureFar } from './measures/far.ts';
import { measureHistory } from './measures/history.ts';
import { measureIdle } from './measures/idle.ts';
import { measureLargeBody } from './measures/large-body.ts';
import { measureLatency } from './measures/latency.ts';
import { measureLimits } from './measures/limits.ts';
import { measureMemory } from './measures/memory.ts';
import { measurePeers } from './measures/peers.ts';
import { measureScaling } from './measures/scaling.ts';
import { measureStored } from './measures/stored.ts';
import { measureStart } from './measures/start.ts';
import { measureStreams } from './measures/streams.ts';
import { measureThroughput } from './measures/throughput.ts';
import { measureBodies } from './measures/bodies.ts';
import { measureUsage } from './measures/usage.ts';
import { measureVideos } from './measures/videos.ts';
import { measureWindow } from './measures/window.ts';
import { writePlots } from './plots/plots.ts';
import { formatMachine, formatQuietness, type Report, formatTable } from './report.ts';
import { FULL, QUICK } from './scale.ts';

const MEASURES: ReadonlyMap<string, Measure> = new Map([
  ['latency', measureLatency],
  ['throughput', measureThroughput],
  ['bodies', measureBodies],
  ['limits', measureLimits],
  ['streams', measureStreams],
  ['memory', measureMemory],
  ['start', measureStart],
  ['idle', measureIdle],
  ['window', measureWindow],
  ['large-body', measureLargeBody],
  ['history', measureHistory],
  ['usage', measureUsage],
  ['stored', measureStored],
  ['videos', measureVideos],
  ['chat', measureChat],
  ['far', measureFar],
  ['scaling', measureScaling],
]);

const HELP = `Measures the gateway beside a direct call, a bare http-proxy and nginx. Every answer is checked.

  npm run bench -- [--only ${[...MEASURES.keys()].join('|')}] [--peers] [--quick] [--json] [--svg DIR] [--profile DIR]

  --only NAME    one measurement; may be repeated
  --peers        other gateways and proxies instead; two are installed from npm into out/peers
  --quick        tiny numbers: shows that everything runs, the figures mean nothing
  --json         the report as JSON on standard output
  --svg DIR      writes plots of far and scaling there
  --profile DIR  writes CPU profiles of the gateway there; slows it down`;

async function main(): Promise<void> {
  const { values: flags } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      peers: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      svg: { type: 'string' },
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
  const names = flags.only ?? (flags.peers ? [] : [...MEASURES.keys()]);
  const measured = await measureAll(names, bench);
  if (flags.peers) measured.push(...(await measurePeers(bench)));
  const rows = flags.quick ? measured.map(withoutGoal) : measured;
  const after = await reportQuietness(scale.sampleMs);
  const report: Report = { machine, quietness: { before, after }, quick: flags.quick, rows };
  if (flags.svg !== undefined) await writePlots(rows, flags.svg);
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

// Each program that runs adds a listener, which ends it with the bench.
process.setMaxListeners(100);
try {
  await main();
} catch (error) {
  printProgress(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
