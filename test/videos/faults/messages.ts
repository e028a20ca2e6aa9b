import { z } from 'zod';
import { NewVideo, VideoAction, VideoId, VideoJob } from '../../../shared/video.ts';

/** What the engine's process is told to do. */
export const EngineCommand = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('add'),
    video: NewVideo.omit({ image: true }),
    /** Path of the reference image. */
    image: z.string(),
    confirmed: z.boolean(),
  }),
  z.object({ kind: z.literal('act'), id: VideoId, act: VideoAction }),
  /** Goes on after the jobs were found, with a clock that is so many milliseconds ahead; also sets it later. */
  z.object({ kind: z.literal('clock'), aheadMs: z.number() }),
  /** Is to be answered. */
  z.object({ kind: z.literal('ping') }),
  z.object({ kind: z.literal('close') }),
]);
export type EngineCommand = z.infer<typeof EngineCommand>;

/** What an engine's process is started with. */
export const Start = z.object({
  dataDir: z.string(),
  baseUrl: z.string(),
  key: z.string(),
  /** A local key that an earlier run told; empty for a new one. */
  localKey: z.string(),
  strict: z.boolean(),
  /** It only takes the lock of the folder, and keeps it if it gets it. */
  onlyLock: z.boolean(),
});
export type Start = z.infer<typeof Start>;

/** What it tells. */
export const EngineMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open'), port: z.number(), localKey: z.string() }),
  /** The jobs as they lay on disk before the engine started. */
  z.object({ kind: z.literal('found'), jobs: z.array(VideoJob) }),
  z.object({ kind: z.literal('jobs'), jobs: z.array(VideoJob) }),
  /** The clock is as it was told. */
  z.object({ kind: z.literal('clock-set') }),
  z.object({ kind: z.literal('pong') }),
  /** Another engine has the folder. */
  z.object({ kind: z.literal('held') }),
  /** Nobody else has it: so it says that was started for the lock only. */
  z.object({ kind: z.literal('locked') }),
  /** What the engine does not want to do in the state that things are in. */
  z.object({ kind: z.literal('refused'), text: z.string() }),
  /** An error in the engine's log. */
  z.object({ kind: z.literal('trouble'), text: z.string() }),
]);
export type EngineMessage = z.infer<typeof EngineMessage>;
