import { cpus, release, totalmem, type } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { nginxVersion } from './nginx.ts';
import { hasWrk } from './wrk.ts';

/** The machine on which the figures were measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  readonly nginx: string | null;
  readonly wrk: boolean;
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release()}`,
    node: process.version,
    nginx: nginxVersion(),
    wrk: hasWrk(),
  };
}

/** CPU share of other processes while the bench is idle (0 to 1), and slowest to fastest time of the same work (1: no difference). */
export interface Quietness {
  readonly busy: number;
  readonly spread: number;
}

const CALIBRATIONS = 15;

/** Samples the CPU for `sampleMs` milliseconds, then does the same work several times. */
export async function measureQuietness(sampleMs: number): Promise<Quietness> {
  const before = cpuTimes();
  await wait(sampleMs);
  const after = cpuTimes();
  const busy = (after.busy - before.busy) / Math.max(1, after.all - before.all);
  const times = Array.from({ length: CALIBRATIONS }, calibrate).toSorted((a, b) => a - b);
  // The slowest run counts as warm-up; the second slowest is compared with the fastest.
  return { busy, spread: (times.at(-2) ?? 1) / (times[0] ?? 1) };
}

/** Whether figures of this machine are meaningful. */
export function isQuiet({ busy, spread }: Quietness): boolean {
  return busy < 0.1 && spread < 1.3;
}

function cpuTimes(): { busy: number; all: number } {
  let [busy, idle] = [0, 0];
  for (const { times } of cpus()) {
    busy += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { busy, all: busy + idle };
}

/** Returns the milliseconds of a fixed amount of work, about 10 ms. */
function calibrate(): number {
  const start = performance.now();
  let state = 1;
  for (let step = 0; step < 8_000_000; step += 1) state = (Math.imul(state, 1_664_525) + step) | 0;
  return performance.now() - start + (state === 0 ? 1e-9 : 0);
}
