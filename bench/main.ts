import { parseArgs } from 'node:util';
import { describeMachine, isQuiet, measureQuietness, type Quietness } from './machine.ts';
import type { Measure, Row } from './measure.ts';
import { measureChat } from './measures/chat.ts';
import { measureChunks } from './measures/chunks.ts';
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
  ['chunks', measureChunks],
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
  --json         the report as JSON on standard output at the end
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
  const measures = findMeasures(flags.only ?? (flags.peers ? [] : [...MEASURES.keys()]));
  if (flags.peers) measures.push(['peers', measurePeers]);
  const machine = describeMachine();
  printProgress(formatMachine(machine));
  const scale = flags.quick ? QUICK : FULL;
  const bench = { scale, profileDir: flags.profile ?? null };
  const before = await reportQuietness(scale.sampleMs);
  const rows: Row[] = [];
  for (const [name, measure] of measures) {
    printProgress(`Measuring ${name} …`);
    const measured = await measure(bench);
    const shown = flags.quick ? measured.map(withoutGoal) : measured;
    rows.push(...shown);
    // A run that is stopped has shown what it measured before.
    if (flags.json) printProgress(formatTable(shown));
    else print(formatTable(shown));
  }
  const after = await reportQuietness(scale.sampleMs);
  const report: Report = { machine, quietness: { before, after }, quick: flags.quick, rows };
  if (flags.svg !== undefined) await writePlots(rows, flags.svg);
  if (flags.json) print(JSON.stringify(report, null, 2));
}

/** Returns the measurements of a run by their names. @throws Error when there is none of a name */
function findMeasures(names: readonly string[]): (readonly [string, Measure])[] {
  return names.map((name) => {
    const measure = MEASURES.get(name);
    if (measure === undefined) throw new Error(`There is no measurement "${name}".\n\n${HELP}`);
    return [name, measure];
  });
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

// Each program that runs adds a listener, which ends it with the bench. Without handlers a signal would end the bench without them.
process.setMaxListeners(100);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1));
}
try {
  await main();
} catch (error) {
  printProgress(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
