import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';

const MAIN = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));

const Report = z.object({
  rows: z.array(z.object({ name: z.string(), values: z.record(z.string(), z.number()) })),
});

test(
  'a quick bench runs and reports every measurement, and finds every response correct',
  { timeout: 360_000 },
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--quick', '--json']);
    const { rows } = Report.parse(JSON.parse(stdout));
    const names = rows.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('history.'))).toHaveLength(28);
    expect(names.filter((name) => !name.startsWith('history.'))).toEqual([
      'latency.p50',
      'latency.added.p50',
      'latency.added.p99',
      'latency.recorded.p50',
      'latency.recorded.p99',
      'throughput.rate',
      'throughput.to-direct',
      'throughput.to-http-proxy',
      'throughput.cost',
      'throughput.cost.main',
      'throughput.cost.later',
      'throughput.history',
      'throughput.loop',
      'bodies.rate',
      'bodies.to-without',
      'bodies.cost',
      'bodies.cost.main',
      'bodies.cost.later',
      'bodies.kept',
      'bodies.disk',
      'bodies.loop',
      'chunks.p50',
      'chunks.p99',
      'chunks.added.p50',
      'chunks.added.p99',
      'chunks.times.p99',
      'limits.rate',
      'limits.to-without',
      'limits.cost',
      'limits.cost.main',
      'limits.cost.later',
      'streams.p50',
      'streams.p99',
      'streams.added.p50',
      'streams.added.p99',
      'streams.loop',
      'memory.whole',
      'memory.at-once',
      'memory.most',
      'memory.before',
      'start.median',
      'start.npm',
      'idle.memory',
      'idle.wake-ups',
      'idle.after-load',
      'idle.load',
      'window.paint',
      'window.panels',
      'window.size',
      'window.burst',
      'window.blank',
      'large-body.p50',
      'large-body.added',
      'usage.today',
      'usage.all',
      'usage.model',
      'usage.client',
      'usage.route',
      'usage.tag',
      'stored.factor',
      'stored.open',
      'stored.runs',
      'stored.search',
      'stored.run',
      'stored.text-one',
      'stored.text-all',
      'stored.text-none',
      'stored.loop',
      'stored.chain.open',
      'stored.chain.cost',
      'videos.list',
      'videos.list.state',
      'videos.list.word',
      'videos.list.rare',
      'videos.list.nothing',
      'videos.list.both',
      'videos.idle',
      'videos.idle.without',
      'videos.idle.asking',
      'videos.idle.questions',
      'videos.film',
      'videos.film.small',
      'videos.film.rate',
      'chat.mixed.longest',
      'chat.mixed.late',
      'chat.mixed.still',
      'far.20.first',
      'far.20.first.ratio',
      'far.20.warm',
      'far.20.warm.ratio',
      'far.20.silent',
      'far.20.silent.ratio',
      'scaling.streams.1',
      'scaling.memory.1',
      'scaling.streams.5',
      'scaling.memory.5',
      'scaling.body.1024',
      'scaling.body.131072',
      'scaling.history.1000',
    ]);
  },
);

test('an unknown measurement is rejected', async () => {
  const run = promisify(execFile)(process.execPath, [MAIN, '--quick', '--only', 'luck']);
  await expect(run).rejects.toThrow('There is no measurement "luck".');
});

test.skipIf(process.platform !== 'linux')(
  'a signal ends the bench together with every program that it started',
  { timeout: 60_000 },
  async () => {
    const args = [MAIN, '--quick', '--only', 'idle'];
    const bench = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const exited = once(bench, 'exit');
    const started = await vi.waitFor(
      () => {
        const children = listChildren(bench.pid ?? 0);
        expect(children.some((pid) => readCommandLine(pid).includes('serve'))).toBe(true);
        return children;
      },
      { timeout: 50_000 },
    );
    bench.kill('SIGINT');
    await exited;
    await vi.waitFor(
      () => {
        expect(started.map(readCommandLine)).toEqual(started.map(() => ''));
      },
      { timeout: 10_000 },
    );
  },
);

function listChildren(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readProcessFile(pid, 'status').includes(`PPid:\t${parent}\n`));
}

/** Returns the arguments of a process, each ended by a zero byte; an empty text when it has ended. */
function readCommandLine(pid: number): string {
  return readProcessFile(pid, 'cmdline');
}

function readProcessFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
