import { DEFAULT_TIMING, type VideoTiming, type VideoRunner } from '../../videos/videos.ts';
import type { History, OpenExchanges } from '../../history/history.ts';
import type { UpstreamCatalog } from '../../upstreams/upstream-catalog.ts';
import type { Repositories } from '../../repositories.ts';
import type { Emitter } from '../../lib/emitter.ts';
import type { ChangedTopic } from '../live-event-broadcaster.ts';
import type { VideoServiceLeases } from './video-service-leases.ts';

export interface VideoRunOptions {
  readonly repositories: Repositories;
  readonly catalog: UpstreamCatalog;
  readonly videoServiceLeases: VideoServiceLeases;
  readonly redact: (text: string) => string;
  /** Ports of this machine that we listen on. */
  readonly ownPorts: ReadonlySet<number>;
  readonly record: History['record'];
  readonly openExchanges: OpenExchanges;
  /** Whether no new order may be sent. */
  readonly paused: () => boolean;
  readonly pace: Partial<VideoTiming>;
  /** Closes the opened parts in reverse order. */
  readonly closing: AsyncDisposableStack;
}

/** Opens the video queue of this engine. It has recovered the jobs of an earlier run and does nothing before `begin`. */
export async function openVideoRun(options: VideoRunOptions): Promise<VideoRunner> {
  const {
    repositories,
    catalog,
    videoServiceLeases,
    redact,
    ownPorts,
    record,
    openExchanges,
    paused,
    pace,
    closing,
  } = options;
  const run = await repositories.videos.run({
    acquireConnection: (service) => videoServiceLeases.acquire(service),
    toServiceId: (baseUrl) => videoServiceLeases.toServiceId(baseUrl),
    upstreams: () => catalog.all(),
    settings: () => repositories.settings.current(),
    redact,
    record,
    prices: repositories.prices,
    spendLimits: await repositories.openSpendLimits(),
    openExchanges,
    isPaused: paused,
    ownPorts,
    timing: { ...DEFAULT_TIMING, ...pace },
  });
  closing.defer(() => run.close(0));
  return run;
}

/** Forwards changes of the engine to the video queue, and those of the queue to listeners. Returns the function that stops it. */
export function forwardVideoChanges(run: VideoRunner, changes: Emitter<ChangedTopic>): () => void {
  const stops = [
    changes.on((topic) => {
      if (topic === 'upstreams' || topic === 'clients') run.unblock();
      if (topic === 'settings' || topic === 'status') run.wake();
    }),
    run.videos.on(() => changes.emit('videos')),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
