import type {
  VideoFilter,
  VideoId,
  NewVideo,
  VideoPage,
  VideoDetail,
  VideoJob,
  VideoAction,
  VideoPreset,
  FieldMap,
} from '../../shared/video.ts';
import type { DiskFile } from '../lib/disk.ts';
import type { Images } from '../images/images.ts';

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
