import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
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
} from '../../shared/video/video.ts';
import type { DiskFile } from '../lib/disk.ts';
import type { Images } from '../images/images.ts';

/** A page of the list. */
export interface VideoPageQuery {
  readonly filter: VideoFilter;
  readonly limit: number;
  readonly after?: VideoId;
}

/** A new video of the window: who adds it, and its service, a base address or `sandbox`. */
export interface NewVideoOrder {
  /** Created by the caller with `createVideoId`, so that adding can be repeated. */
  readonly id: VideoId;
  readonly video: NewVideo;
  readonly confirmed: boolean;
  readonly origin: 'window' | 'command';
  readonly service: string;
}

/** The video jobs of a data folder. A decision is one transaction; the process that runs the jobs acts on it. */
export interface Videos {
  page(query: VideoPageQuery): Promise<VideoPage>;
  /** @throws NotFoundError */
  get(id: VideoId): Promise<VideoDetail>;
  /** Finds the ids of damaged videos, which are in no page and are not run. Reads every row. */
  damaged(): Promise<readonly string[]>;
  /** Finds the video that an exchange ordered, checked or downloaded; `null` when it is unknown which. */
  findByExchange(exchange: ExchangeRecord): Promise<VideoId | null>;
  /** Finds ids by their beginning, at most two: people type as much of an id as is unique. */
  findIdsByPrefix(head: string): Promise<readonly VideoId[]>;
  /** Adds a video. A second call with the same id adds nothing and resolves with the same video. @throws UserError, also for the id of another or a removed video */
  add(newOrder: NewVideoOrder): Promise<VideoJob>;
  /** @throws UserError, NotFoundError */
  change(id: VideoId, video: NewVideo): Promise<VideoJob>;
  /** @throws UserError when its state does not allow it; NotFoundError */
  act(id: VideoId, action: VideoAction): Promise<VideoJob>;
  /** @throws UserError, NotFoundError */
  move(id: VideoId, before: VideoId | null): Promise<void>;
  /** @throws UserError, NotFoundError */
  remove(id: VideoId, deleteFile: boolean): Promise<void>;
  /** Finds the file of a finished video. @throws NotFoundError */
  file(id: VideoId): Promise<DiskFile>;
  readonly images: Images;
  presets(): Promise<VideoPreset[]>;
  savePreset(preset: VideoPreset): Promise<void>;
  removePreset(name: string): Promise<void>;
  fields(service: string): Promise<FieldMap>;
  setFields(service: string, map: FieldMap): Promise<FieldMap>;
  /** Calls `listener` after a change by any process, at most four times a second. Returns the function that stops it. */
  on(listener: () => void): () => void;
}
