import { z } from 'zod';
import { NewVideo, VideoAction, VideoId, VideoJob } from '../../../shared/video/video.ts';

/** Messages to the engine's process. */
export const EngineCommand = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('add'),
    video: NewVideo.omit({ image: true }),
    /** Path of the reference image. */
    image: z.string(),
    confirmed: z.boolean(),
  }),
  z.object({ kind: z.literal('act'), id: VideoId, action: VideoAction }),
  /** Continues after the jobs were read, with a clock that is this many milliseconds ahead; also moves it later. */
  z.object({ kind: z.literal('clock'), aheadMs: z.number() }),
  /** Requests a response. */
  z.object({ kind: z.literal('ping') }),
  z.object({ kind: z.literal('close') }),
]);
export type EngineCommand = z.infer<typeof EngineCommand>;

/** Startup options of an engine's process. */
export const Start = z.object({
  dataDir: z.string(),
  baseUrl: z.string(),
  key: z.string(),
  /** A local key that an earlier run reported; empty for a new one. */
  localKey: z.string(),
  strict: z.boolean(),
  /** Only locks the folder, and keeps it if it succeeds. */
  onlyLock: z.boolean(),
});
export type Start = z.infer<typeof Start>;

/** Messages from the engine's process. */
export const EngineMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open'), port: z.number(), localKey: z.string() }),
  /** The jobs as they were on disk before the engine started. */
  z.object({ kind: z.literal('found'), jobs: z.array(VideoJob) }),
  z.object({ kind: z.literal('jobs'), jobs: z.array(VideoJob) }),
  /** Confirms that the clock was moved. */
  z.object({ kind: z.literal('clock-set') }),
  z.object({ kind: z.literal('pong') }),
  /** Another engine has locked the folder. */
  z.object({ kind: z.literal('held') }),
  /** The process that was started only for the lock has locked the folder. */
  z.object({ kind: z.literal('locked') }),
  /** A command that the engine rejected in its present state. */
  z.object({ kind: z.literal('refused'), text: z.string() }),
  /** An error in the engine's log. */
  z.object({ kind: z.literal('trouble'), text: z.string() }),
]);
export type EngineMessage = z.infer<typeof EngineMessage>;
