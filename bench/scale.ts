import type { StreamSpeed } from './text-service.ts';
import { TEXT_KINDS, type TextKind } from './data/texts.ts';

/** The size of each measurement. Times in seconds or, where the name says so, milliseconds. */
export interface Scale {
  /** Time to check whether the machine is quiet. */
  readonly sampleMs: number;
  /** Number of repetitions of each measurement, with all targets in turn; the median of the rounds counts. */
  readonly rounds: number;
  readonly latency: { readonly warmUp: number; readonly times: number };
  readonly throughput: {
    readonly connections: number;
    readonly warmUp: number;
    readonly seconds: number;
  };
  readonly streams: { readonly streams: number; readonly events: number; readonly everyMs: number };
  readonly memory: {
    readonly streams: number;
    readonly events: number;
    readonly everyMs: number;
    readonly spreadMs: number;
  };
  readonly start: { readonly times: number };
  readonly history: { readonly rows: number; readonly times: number };
  readonly videos: {
    readonly jobs: number;
    readonly times: number;
    readonly settlingMs: number;
    readonly idleMs: number;
    /** Minimum time between two polls of a video. */
    readonly pollMs: number;
    readonly smallFilmBytes: number;
    readonly filmBytes: number;
  };
  readonly window: {
    readonly rows: number;
    readonly loads: number;
    readonly frames: number;
    readonly perSecond: number;
    readonly seconds: number;
  };
  readonly chat: StreamSpeed & { readonly kinds: readonly TextKind[] };
  readonly largeBody: { readonly bytes: number; readonly times: number };
}

/** The full scale, with meaningful figures. */
export const FULL: Scale = {
  sampleMs: 1000,
  rounds: 5,
  latency: { warmUp: 2000, times: 2000 },
  throughput: { connections: 32, warmUp: 3, seconds: 4 },
  streams: { streams: 100, events: 200, everyMs: 25 },
  memory: { streams: 1000, events: 50, everyMs: 200, spreadMs: 2000 },
  start: { times: 7 },
  history: { rows: 1_000_000, times: 9 },
  videos: {
    jobs: 10_000,
    times: 9,
    settlingMs: 5000,
    idleMs: 20_000,
    pollMs: 5000,
    smallFilmBytes: 512 * 1024 ** 2,
    filmBytes: 2 * 1024 ** 3,
  },
  window: { rows: 1_000_000, loads: 7, frames: 600, perSecond: 1000, seconds: 5 },
  // About 6,000 tokens per second: faster than any current model.
  chat: { bytes: 200_000, chunkBytes: 500, everyMs: 20, kinds: TEXT_KINDS },
  largeBody: { bytes: 8 * 1024 * 1024, times: 20 },
};

/** A tiny scale, which only shows that everything runs and every answer is right. */
export const QUICK: Scale = {
  sampleMs: 100,
  rounds: 1,
  latency: { warmUp: 5, times: 20 },
  throughput: { connections: 8, warmUp: 0, seconds: 1 },
  streams: { streams: 10, events: 10, everyMs: 25 },
  memory: { streams: 50, events: 5, everyMs: 100, spreadMs: 100 },
  start: { times: 1 },
  history: { rows: 2_000, times: 1 },
  videos: {
    jobs: 2_000,
    times: 1,
    settlingMs: 200,
    idleMs: 500,
    pollMs: 100,
    smallFilmBytes: 8 * 1024 ** 2,
    filmBytes: 16 * 1024 ** 2,
  },
  window: { rows: 2_000, loads: 1, frames: 30, perSecond: 50, seconds: 1 },
  chat: { bytes: 2_000, chunkBytes: 500, everyMs: 5, kinds: ['mixed'] },
  largeBody: { bytes: 8 * 1024 * 1024, times: 1 },
};
