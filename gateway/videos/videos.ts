import { join } from 'node:path';
import type { DiskFile } from '../lib/disk.ts';
import type { Host } from '../host.ts';
import { type Images, openImages } from '../images/images.ts';
import type { Store } from '../store/store.ts';
import type { TrustedClock } from '../store/trusted-clock.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { JobRepository } from './store/job-repository.ts';
import { createVideos } from './videos-api.ts';
import { openVideoRunner, type VideoRunner } from './run/open-video-runner.ts';
import type { RunnerDeps } from './run/deps.ts';
import type {
  FieldMap,
  NewVideo,
  VideoAction,
  VideoDetail,
  VideoFilter,
  VideoId,
  VideoJob,
  VideoPage,
  VideoPreset,
} from '../../shared/video.ts';

export type { ServiceLease, RunnerDeps } from './run/deps.ts';
export { DEFAULT_TIMING, type VideoTiming } from './transitions/timing.ts';
export type { VideoRunner } from './run/open-video-runner.ts';

/** Which page of the list. */
export interface VideoPageQuery {
  readonly filter: VideoFilter;
  readonly limit: number;
  readonly after?: VideoId;
}

/** Who wants a video, and of which service: a base address, or `sandbox`. */
export interface NewVideoOrder {
  /** Made by who wants it (`newVideoId`). */
  readonly id: VideoId;
  readonly video: NewVideo;
  readonly confirmed: boolean;
  readonly origin: 'window' | 'command';
  readonly service: string;
}

/** The video jobs of one data folder. What a person decides is one transaction; whoever runs the jobs, here or in another process, takes it up. */
export interface Videos {
  page(query: VideoPageQuery): Promise<VideoPage>;
  /** @throws NotFound */
  get(id: VideoId): Promise<VideoDetail>;
  /** Ids of videos whose rows are damaged: they are in no page, and nothing is done for them. Reads all of them. */
  damaged(): Promise<readonly string[]>;
  /** The ids that begin with this, at most two of them: people type as much of an id as is unique. */
  findIdsByPrefix(head: string): Promise<readonly VideoId[]>;
  /** Called again with the same id, it adds nothing and gives the same video. @throws Refused also when the id is that of another video, or of one that was removed */
  add(newOrder: NewVideoOrder): Promise<VideoJob>;
  /** @throws Refused, NotFound */
  change(id: VideoId, video: NewVideo): Promise<VideoJob>;
  /** @throws Refused when its state does not allow it; NotFound */
  act(id: VideoId, act: VideoAction): Promise<VideoJob>;
  /** @throws Refused, NotFound */
  move(id: VideoId, before: VideoId | null): Promise<void>;
  /** @throws Refused, NotFound */
  remove(id: VideoId, deleteFile: boolean): Promise<void>;
  /** The finished video. @throws NotFound */
  file(id: VideoId): Promise<DiskFile>;
  readonly images: Images;
  presets(): Promise<VideoPreset[]>;
  savePreset(preset: VideoPreset): Promise<void>;
  removePreset(name: string): Promise<void>;
  fields(service: string): Promise<FieldMap>;
  setFields(service: string, map: FieldMap): Promise<FieldMap>;
  /** Called when something changed, in this process or another, at most four times a second. Returns what stops it. */
  on(listener: () => void): () => void;
}

export interface VideosOptions {
  readonly store: Store;
  readonly host: Host;
  readonly upstreams: Pick<Upstreams, 'list'>;
  /** By which images are deleted for their age. */
  readonly clock: Pick<TrustedClock, 'now'>;
}

/** The video jobs of a data folder, and how they are run. */
export interface VideosModule extends Videos {
  /** Takes over what an earlier run left, and does what is due once it is told to begin. One process at a time may. */
  run(deps: RunnerDeps): Promise<VideoRunner>;
}

/** Opens the video jobs of a data folder. */
export function openVideos({ store, host, upstreams, clock }: VideosOptions): VideosModule {
  const repository = new JobRepository({ store, host });
  const images = openImages({
    folder: join(host.dataDir, 'videos', 'images'),
    host: { randomBytes: host.randomBytes, now: () => clock.now() },
  });
  return {
    ...createVideos({ repository, images, upstreams: () => upstreams.list(), host }),
    run: (deps) => openVideoRunner({ repository, images, host, deps }),
  };
}
