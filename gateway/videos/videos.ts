import type { Videos } from './types.ts';
import { join } from 'node:path';

import type { Host } from '../host.ts';
import { openImages } from '../images/images.ts';
import type { PriceBook } from '../prices/prices.ts';
import type { Store } from '../store/store.ts';
import type { TrustedClock } from '../store/trusted-clock.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { JobRepository } from './store/job-repository.ts';
import { createVideos } from './videos-api.ts';
import { openVideoRunner, type VideoRunner } from './run/open-video-runner.ts';
import type { RunnerDeps } from './run/deps.ts';

export type { Videos } from './types.ts';
export type { ServiceLease, RunnerDeps } from './run/deps.ts';
export { DEFAULT_TIMING, type VideoTiming } from './transitions/timing.ts';
export type { VideoRunner } from './run/open-video-runner.ts';

export interface VideosOptions {
  readonly store: Store;
  readonly host: Host;
  readonly upstreams: Pick<Upstreams, 'list'>;
  readonly prices: Pick<PriceBook, 'costOf'>;
  /** The clock by which old images are deleted. */
  readonly clock: Pick<TrustedClock, 'now'>;
}

/** The video jobs of a data folder, with the function that runs them. */
export interface VideosModule extends Videos {
  /** Recovers the jobs of an earlier run, and runs them after `begin`. One process at a time may do so. */
  run(deps: RunnerDeps): Promise<VideoRunner>;
}

/** Opens the video jobs of a data folder. */
export function openVideos({ store, host, upstreams, prices, clock }: VideosOptions): VideosModule {
  const repository = new JobRepository({ store, host });
  const images = openImages({
    folder: join(host.dataDir, 'videos', 'images'),
    host: { randomBytes: host.randomBytes, now: () => clock.now() },
  });
  return {
    ...createVideos({ repository, images, upstreams: () => upstreams.list(), prices, host }),
    run: (deps) => openVideoRunner({ repository, images, host, deps }),
  };
}
