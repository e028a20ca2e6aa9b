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
    /** Seconds of load before each measured round: V8 compiles for so long after a pause. */
    readonly warmUp: number;
    readonly seconds: number;
  };
  readonly streams: { readonly streams: number; readonly events: number; readonly everyMs: number };
  /** Few streams at once, so that the delay of a chunk is its own. */
  readonly chunks: {
    readonly streams: number;
    readonly events: number;
    readonly everyMs: number;
    readonly rounds: number;
  };
  readonly memory: {
    readonly streams: number;
    readonly events: number;
    readonly everyMs: number;
    readonly spreadMs: number;
  };
  readonly start: { readonly times: number };
  readonly idle: {
    readonly afterStartMs: number;
    readonly watchMs: number;
    /** Calls on several connections; a third of them are streams, and a sixth is aborted. */
    readonly load: {
      readonly connections: number;
      readonly seconds: number;
      readonly events: number;
      readonly everyMs: number;
    };
    readonly afterLoadMs: number;
  };
  readonly history: { readonly rows: number; readonly times: number };
  /** Runs of agents whose bodies are stored, and a chain of requests that continue each other. */
  readonly stored: {
    readonly runs: number;
    readonly turns: number;
    readonly chain: number;
    readonly times: number;
  };
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
  readonly far: {
    readonly roundTripsMs: readonly number[];
    /** Number of gateways at each distance, all of which are silent at the same time. */
    readonly times: number;
    /** Time from the start of a gateway to its first request. */
    readonly afterStartMs: number;
    /** Number of requests that warm a gateway up. */
    readonly warmUp: number;
    readonly silenceMs: number;
  };
  readonly scaling: {
    /** Uncounted streams, and as many uncounted requests as each stream has events. */
    readonly warmUp: {
      readonly streams: number;
      readonly events: number;
      readonly everyMs: number;
    };
    /** Numbers of concurrent streams, ascending. */
    readonly streams: readonly number[];
    readonly rounds: number;
    readonly events: number;
    readonly everyMs: number;
    readonly spreadMs: number;
    readonly bodyBytes: readonly number[];
    readonly historyRows: readonly number[];
    /** Number of requests of each size, and of looks at each history. */
    readonly times: number;
  };
  /** The other sizes of the comparison with peers are those of `latency`, `throughput` and `streams`. */
  readonly peers: { readonly rounds: number };
  readonly largeBody: { readonly bytes: number; readonly times: number };
}

/** The full scale, with meaningful figures. */
export const FULL: Scale = {
  sampleMs: 1000,
  rounds: 5,
  latency: { warmUp: 2000, times: 2000 },
  throughput: { connections: 32, warmUp: 8, seconds: 4 },
  streams: { streams: 100, events: 200, everyMs: 25 },
  chunks: { streams: 20, events: 200, everyMs: 10, rounds: 25 },
  memory: { streams: 1000, events: 50, everyMs: 200, spreadMs: 2000 },
  start: { times: 7 },
  idle: {
    afterStartMs: 30_000,
    watchMs: 20_000,
    load: { connections: 24, seconds: 60, events: 20, everyMs: 10 },
    afterLoadMs: 60_000,
  },
  history: { rows: 1_000_000, times: 9 },
  // 5 GB.
  stored: { runs: 550, turns: 60, chain: 300, times: 31 },
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
  far: { roundTripsMs: [20, 50, 150], times: 5, afterStartMs: 3000, warmUp: 10, silenceMs: 60_000 },
  peers: { rounds: 3 },
  scaling: {
    warmUp: { streams: 10, events: 1000, everyMs: 2 },
    streams: [1, 10, 100, 300, 1000],
    rounds: 3,
    events: 16,
    everyMs: 150,
    spreadMs: 600,
    bodyBytes: [1, 16, 128, 1024, 8192].map((kilobytes) => kilobytes * 1024),
    historyRows: [1000, 10_000, 100_000, 1_000_000],
    times: 31,
  },
};

/** A tiny scale, which only shows that everything runs and every answer is right. */
export const QUICK: Scale = {
  sampleMs: 100,
  rounds: 1,
  latency: { warmUp: 5, times: 20 },
  throughput: { connections: 8, warmUp: 0, seconds: 1 },
  streams: { streams: 10, events: 10, everyMs: 25 },
  chunks: { streams: 5, events: 10, everyMs: 10, rounds: 1 },
  memory: { streams: 50, events: 5, everyMs: 100, spreadMs: 100 },
  start: { times: 1 },
  idle: {
    afterStartMs: 100,
    watchMs: 200,
    load: { connections: 6, seconds: 1, events: 5, everyMs: 10 },
    afterLoadMs: 100,
  },
  history: { rows: 2_000, times: 1 },
  stored: { runs: 3, turns: 20, chain: 20, times: 3 },
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
  far: { roundTripsMs: [20], times: 1, afterStartMs: 200, warmUp: 1, silenceMs: 200 },
  peers: { rounds: 1 },
  scaling: {
    warmUp: { streams: 1, events: 5, everyMs: 2 },
    streams: [1, 5],
    rounds: 1,
    events: 4,
    everyMs: 20,
    spreadMs: 20,
    bodyBytes: [1024, 128 * 1024],
    historyRows: [1000],
    times: 1,
  },
};
