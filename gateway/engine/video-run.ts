import { DEFAULT_TIMING, type VideoTiming, type VideoRunner } from '../videos/videos.ts';
import type { History } from '../history/history.ts';
import type { UpstreamSessionDeps } from '../upstreams/upstream-session.ts';
import type { UpstreamCatalog } from '../upstreams/upstream-catalog.ts';
import type { Repositories } from '../repositories.ts';
import type { Emitter } from '../lib/emitter.ts';
import type { ChangedTopic } from './live-events.ts';
import type { VideoConnectionPool } from '../upstreams/video-connection-pool.ts';

export interface VideoRunOptions {
  readonly repositories: Repositories;
  readonly catalog: UpstreamCatalog;
  readonly videoConnections: VideoConnectionPool;
  readonly redact: (text: string) => string;
  readonly ground: UpstreamSessionDeps;
  readonly record: History['record'];
  /** Whether no new order is begun. */
  readonly paused: () => boolean;
  readonly pace: Partial<VideoTiming>;
  /** Closes what was opened, the latest first. */
  readonly closing: AsyncDisposableStack;
}

/** The video queue on this engine: it has taken over what an earlier run left, and does nothing before `begin`. */
export async function openVideoRun(options: VideoRunOptions): Promise<VideoRunner> {
  const { repositories, catalog, videoConnections, redact, ground, record, paused, pace, closing } =
    options;
  const run = await repositories.videos.run({
    acquireConnection: (service) => videoConnections.acquire(service),
    toServiceId: (baseUrl) => videoConnections.serviceAt(baseUrl),
    upstreams: () => catalog.all(),
    settings: () => repositories.settings.current(),
    redact,
    record,
    isPaused: paused,
    ownPorts: ground.ownPorts,
    timing: { ...DEFAULT_TIMING, ...pace },
  });
  closing.defer(() => run.close(0));
  return run;
}

/** Has the videos look again when what they wait for may have come, and tells of theirs. Returns what stops it. */
export function forwardVideoChanges(run: VideoRunner, changes: Emitter<ChangedTopic>): () => void {
  const stops = [
    changes.add((what) => {
      if (what === 'upstreams') run.unblock();
      if (what === 'settings' || what === 'status') run.look();
    }),
    run.videos.on(() => changes.emit('videos')),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
