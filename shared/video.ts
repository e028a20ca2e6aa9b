import { z } from 'zod';
import { ContentHash, StoredImage } from './image.ts';
import { UpstreamId } from './upstream.ts';

export const VideoId = z.string().min(1).max(64).brand<'VideoId'>();
export type VideoId = z.infer<typeof VideoId>;

/** The id of a video that is added, made by who adds it: 16 hexadecimal digits. */
export const NewVideoId = z
  .string()
  .regex(/^[0-9a-f]{16}$/u, 'The id of a new video has 16 hexadecimal digits in small letters.')
  .brand<'VideoId'>();

/** How many random bytes make a new id. */
export const VIDEO_ID_BYTES = 8;

/** The id of a new video, of `VIDEO_ID_BYTES` random bytes. */
export function createVideoId(random: Uint8Array): VideoId {
  const digits = Array.from(random, (byte) => byte.toString(16).padStart(2, '0'));
  return NewVideoId.parse(digits.join(''));
}

/** Where a video job is on its way. `gateway/videos/transitions/job.ts` tells what each state means and what leads out of it. */
export const VideoState = z.enum([
  'draft',
  'waiting',
  'uploading',
  'submitting',
  'unsure',
  'identifying',
  'needs-answer',
  'rendering',
  'downloading',
  'done',
  'failed',
  'timed-out',
  'cancelled',
]);
export type VideoState = z.infer<typeof VideoState>;

/** A place in a JSON document (JSON Pointer, RFC 6901), such as `/data/0/url`. */
export const JsonPointer = z
  .string()
  .max(512, 'A place in an answer has at most 512 characters.')
  .regex(/^(?:\/(?:[^~/]|~[01])*)+$/u, 'A place in an answer, such as /data/0/url.');

/** What a status word of a service means. `completed` is the one word that the spec names (section 3). */
export const StatusMeaning = z.enum(['working', 'failed', 'completed']);
export type StatusMeaning = z.infer<typeof StatusMeaning>;

/** Where one service puts what the spec does not show (sections 2.5, 2.6, 3); `null` for what is not known yet. Learned, never guessed. */
export const FieldMap = z.object({
  /** In an upload's answer: the address of the file. */
  fileUrl: JsonPointer.nullable(),
  /** In a submission's answer: the task identifier. */
  taskId: JsonPointer.nullable(),
  /** In a task's record. */
  reason: JsonPointer.nullable(),
  progress: JsonPointer.nullable(),
  cost: JsonPointer.nullable(),
  /** What the status words besides `completed` mean, by word. */
  words: z.record(z.string().min(1).max(200), StatusMeaning),
});
export type FieldMap = z.infer<typeof FieldMap>;

export const EMPTY_FIELD_MAP: FieldMap = {
  fileUrl: null,
  taskId: null,
  reason: null,
  progress: null,
  cost: null,
  words: {},
};

/** For services that follow the public OpenAI video convention. Only ever because a person chose it. */
export const OPENAI_FIELD_MAP: FieldMap = {
  fileUrl: null,
  taskId: '/id',
  reason: '/error/message',
  progress: '/progress',
  cost: null,
  words: { queued: 'working', in_progress: 'working', failed: 'failed' },
};

/** The fields of a submission (spec section 4.6) but for the image. */
export const VideoRequest = z.object({
  model: z.string().trim().min(1, 'Give the id of a video model, such as h3.').max(256),
  task: z.string().trim().min(1, 'Give the task type, such as ref2va.').max(100),
  prompt: z
    .string()
    .trim()
    .min(1, 'Say what the video should show.')
    .max(32_000, 'A prompt has at most 32,000 characters.'),
  /** Length in seconds, sent as a text. */
  seconds: z
    .string()
    .trim()
    .regex(/^\d{1,4}(?:\.\d{1,3})?$/u, 'A number of seconds, such as 4.'),
  resolution: z.string().trim().min(1, 'Give a resolution, such as 480p.').max(40),
  /** More members for the body, for other models; they replace what stands above, and `null` leaves a member out. */
  more: z.record(z.string().min(1).max(200), z.json()),
});
export type VideoRequest = z.infer<typeof VideoRequest>;

export const DEFAULT_VIDEO_REQUEST: VideoRequest = {
  model: 'h3',
  task: 'ref2va',
  prompt: '',
  seconds: '4',
  resolution: '480p',
  more: {},
};

/** Minutes that a service is asked for a video before asking stops; no limit of the service's (spec section 8). */
const WaitMinutes = z
  .number({ error: 'Give a number of minutes.' })
  .int('Whole minutes only.')
  .min(1, 'At least one minute.')
  .max(7 * 24 * 60, 'At most a week.');

/** A video that a person wants. */
export const NewVideo = VideoRequest.extend({
  /** Of an image that is kept here; `null` for models that need none. */
  image: ContentHash.nullable(),
  waitMinutes: WaitMinutes,
});
export type NewVideo = z.infer<typeof NewVideo>;

/** Something in an answer that may be what is looked for. */
export const Candidate = z.object({ pointer: JsonPointer, value: z.string() });
export type Candidate = z.infer<typeof Candidate>;

/** What only a person can tell, about an answer that is shown whole. */
export const VideoQuestion = z.object({
  about: z.enum(['file-url', 'task-id']),
  /** The answer as it came, at most 64 KiB of it. */
  answer: z.string(),
  candidates: z.array(Candidate),
});
export type VideoQuestion = z.infer<typeof VideoQuestion>;

/** A finished video on this disk. */
export const VideoFile = z.object({
  name: z.string(),
  /** Absolute. */
  path: z.string(),
  type: z.string(),
  bytes: z.number().int(),
  sha256: ContentHash,
  /** Whether it is still there. */
  present: z.boolean(),
});
export type VideoFile = z.infer<typeof VideoFile>;

/** One video from reference image to file. Times are Unix milliseconds. */
export const VideoJob = z.object({
  id: VideoId,
  state: VideoState,
  /** Who asked for it: a person in the window or at the command line, or a client through the proxy. */
  origin: z.enum(['window', 'command', 'client']),
  clientName: z.string().nullable(),
  /** Which service it belongs to; `gone` when that is not configured any more. */
  service: z.object({ id: UpstreamId, name: z.string(), gone: z.boolean() }),
  /** `null` members: a client's order that does not say. */
  request: z.object({
    model: z.string().nullable(),
    task: z.string().nullable(),
    prompt: z.string().nullable(),
    seconds: z.string().nullable(),
    resolution: z.string().nullable(),
    more: z.record(z.string(), z.json()),
  }),
  image: StoredImage.nullable(),
  createdAt: z.number().int(),
  stateSince: z.number().int(),
  /** When the order left for the service; `null` when it has not. */
  submittedAt: z.number().int().nullable(),
  /** Whether the service has charged for it, as far as can be told. */
  charged: z.enum(['no', 'maybe', 'yes']),
  taskId: z.string().nullable(),
  /** The status word of the latest answer, as it is. */
  word: z.string().nullable(),
  /** Whether nobody has said yet what that word means. */
  wordIsNew: z.boolean(),
  /** From 0 to 1; of the render where the service tells, of the download while it runs. */
  progress: z.number().min(0).max(1).nullable(),
  /** When the service was last asked, and when it will be next. */
  askedAt: z.number().int().nullable(),
  nextAt: z.number().int().nullable(),
  /** When asking stops. */
  asksUntil: z.number().int().nullable(),
  waitMinutes: z.number().int(),
  /** What stands in the way at the moment, in words for people. */
  problem: z.string().nullable(),
  /** Why it failed, in the service's words or ours. */
  reason: z.string().nullable(),
  /** Texts beside a failed state, when it is not known which is the reason. */
  reasons: z.array(Candidate),
  question: VideoQuestion.nullable(),
  file: VideoFile.nullable(),
  /** As the service tells it; `null` when it does not. */
  cost: z.string().nullable(),
});
export type VideoJob = z.infer<typeof VideoJob>;

/** One answer of the service, as it came. Answers that repeat the one before are counted, not kept. */
export const VideoAnswer = z.object({
  stage: z.enum(['upload', 'submit', 'identify', 'poll', 'download']),
  /** When the first and the last of them came. */
  at: z.number().int(),
  lastAt: z.number().int(),
  times: z.number().int(),
  /** `null` when there was no answer; `text` says why. */
  status: z.number().int().nullable(),
  /** At most 64 KiB of it. No secret. */
  text: z.string(),
});
export type VideoAnswer = z.infer<typeof VideoAnswer>;

export const VideoDetail = z.object({ job: VideoJob, answers: z.array(VideoAnswer) });
export type VideoDetail = z.infer<typeof VideoDetail>;

/** Which jobs to show: all of them unless said otherwise. */
export const VideoFilter = z.object({
  states: z.array(VideoState).optional(),
  /** Words of the prompt. */
  text: z.string().max(200).optional(),
});
export type VideoFilter = z.infer<typeof VideoFilter>;

/** Waiting ones first, in their order, then the others, newest first. `next` is the `after` of the page that follows. */
export const VideoPage = z.object({
  jobs: z.array(VideoJob),
  next: VideoId.nullable(),
  /** Of all jobs, whatever the filter. */
  counts: z.record(VideoState, z.number().int()),
});
export type VideoPage = z.infer<typeof VideoPage>;

/** What a person decides about a job. Which of them a state allows: `gateway/videos/transitions/job.ts`. */
export const VideoAction = z.discriminatedUnion('act', [
  /** A draft is wanted: one submission, one charge. */
  z.object({ act: z.literal('confirm') }),
  /** Sends an order again whose outcome is unknown: it may be charged twice. */
  z.object({ act: z.literal('submit-again') }),
  /** Names the task that an order became. */
  z.object({ act: z.literal('give-id'), taskId: z.string().trim().min(1).max(512) }),
  /** Answers the open question: a place in the answer, remembered for this service, or a value for this job only. */
  z.object({ act: z.literal('answer'), pointer: JsonPointer }),
  z.object({ act: z.literal('answer-value'), value: z.string().trim().min(1).max(2048) }),
  /** Says what the current status word means, for this service. */
  z.object({ act: z.literal('explain-word'), meaning: StatusMeaning }),
  /** Says where the reason of a failure stands, for this service. */
  z.object({ act: z.literal('pick-reason'), pointer: JsonPointer }),
  /** Asks for longer, or again after asking has stopped. No new charge. */
  z.object({ act: z.literal('extend'), minutes: WaitMinutes }),
  /** Fetches the file again: after a failed download, or when it is gone from the disk. */
  z.object({ act: z.literal('fetch-again') }),
  /** Stops asking. What the service has begun it finishes and charges. */
  z.object({ act: z.literal('cancel') }),
]);
export type VideoAction = z.infer<typeof VideoAction>;

/** Settings of a video to begin with, under a name. */
export const VideoPreset = z.object({
  name: z.string().trim().min(1, 'Give the preset a name.').max(64),
  request: VideoRequest.omit({ prompt: true }),
});
export type VideoPreset = z.infer<typeof VideoPreset>;
