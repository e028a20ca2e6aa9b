import { z } from 'zod';
import { NewVideo, VideoAct, VideoId, VideoJob } from '../../../shared/video.ts';

/** What the engine's process is told to do. */
export const Order = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('add'),
    video: NewVideo.omit({ image: true }),
    /** Path of the reference image. */
    image: z.string(),
    confirmed: z.boolean(),
  }),
  z.object({ kind: z.literal('act'), id: VideoId, act: VideoAct }),
  z.object({ kind: z.literal('close') }),
]);
export type Order = z.infer<typeof Order>;

/** What it tells. */
export const Told = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open'), port: z.number(), localKey: z.string() }),
  /** The jobs as they lay on disk before the engine started. */
  z.object({ kind: z.literal('found'), jobs: z.array(VideoJob) }),
  z.object({ kind: z.literal('jobs'), jobs: z.array(VideoJob) }),
  /** What the engine does not want to do in the state that things are in. */
  z.object({ kind: z.literal('refused'), text: z.string() }),
  /** An error in the engine's log. */
  z.object({ kind: z.literal('trouble'), text: z.string() }),
]);
export type Told = z.infer<typeof Told>;
