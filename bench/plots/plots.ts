import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Row } from '../measure.ts';
import type { TargetName } from '../target.ts';
import type { Axis } from './axis.ts';
import { formatLinePlot, type Line, type LinePlot } from './line-plot.ts';

/** A line of a plot: the figures of one target in the rows whose name matches; the first group is the place on the x axis. */
interface LineSource {
  readonly label: string;
  readonly target: TargetName;
  readonly rows: RegExp;
}

interface PlotSource extends Omit<LinePlot, 'lines'> {
  readonly file: string;
  readonly lines: readonly LineSource[];
}

const STREAMS: Axis = { title: 'concurrent streams', scale: 'log' };

const PLOTS: readonly PlotSource[] = [
  {
    file: 'streams-delay.svg',
    title: 'Delay of a streamed event',
    x: STREAMS,
    y: { title: 'delay, median (ms)', scale: 'linear' },
    lines: ofTargets(['gateway', 'http-proxy', 'direct'], /^scaling\.streams\.(\d+)$/),
  },
  {
    file: 'streams-memory.svg',
    title: 'Memory of the gateway',
    x: STREAMS,
    y: { title: 'peak memory (MB)', scale: 'linear' },
    lines: ofTargets(['gateway'], /^scaling\.memory\.(\d+)$/),
  },
  {
    file: 'body-added.svg',
    title: 'Time that a proxy adds to a prompt',
    x: { title: 'size of the prompt', scale: 'log', format: formatBytes },
    y: { title: 'added over direct, median (ms)', scale: 'log' },
    lines: ofTargets(['gateway', 'http-proxy', 'nginx'], /^scaling\.body\.(\d+)$/),
  },
  {
    file: 'history.svg',
    title: 'First page of the history',
    x: { title: 'exchanges in the history', scale: 'log', format: formatCount },
    y: { title: 'median (ms)', scale: 'linear' },
    lines: ofTargets(['gateway'], /^scaling\.history\.(\d+)$/),
  },
  {
    file: 'far.svg',
    title: 'A new client, and a service that is far away',
    x: { title: 'round trip to the service (ms)', scale: 'linear' },
    y: { title: 'time to first byte, median (ms)', scale: 'linear' },
    lines: [
      { label: 'gateway, warm', target: 'gateway', rows: /^far\.(\d+)\.warm$/ },
      { label: 'direct', target: 'direct', rows: /^far\.(\d+)\.warm$/ },
      { label: 'after 60 s', target: 'gateway', rows: /^far\.(\d+)\.silent$/ },
      { label: 'first request', target: 'gateway', rows: /^far\.(\d+)\.first$/ },
    ],
  },
];

/** Writes an SVG file for every plot that these rows have figures for. Returns their names. */
export async function writePlots(rows: readonly Row[], folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  for (const { file, lines: sources, ...plot } of PLOTS) {
    const lines = sources.map((source) => toLine(source, rows));
    const drawn = lines.filter(({ points }) => points.length > 0);
    if (drawn.length === 0) continue;
    await writeFile(join(folder, file), formatLinePlot({ ...plot, lines: drawn }));
    written.push(file);
  }
  return written;
}

function ofTargets(targets: readonly TargetName[], rows: RegExp): LineSource[] {
  return targets.map((target) => ({ label: target, target, rows }));
}

function toLine({ label, target, rows: pattern }: LineSource, rows: readonly Row[]): Line {
  const points = rows.flatMap(({ name, values }) => {
    const [x, y] = [pattern.exec(name)?.[1], values[target]];
    return x === undefined || y === undefined ? [] : [{ x: Number(x), y }];
  });
  return { label, points };
}

function formatBytes(bytes: number): string {
  return bytes >= 1024 ** 2 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`;
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
