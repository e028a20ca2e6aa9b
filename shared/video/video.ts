import { z } from 'zod';
import { ContentHash, StoredImage } from '../image.ts';
import { Cost } from '../money/cost.ts';
import { UpstreamId } from '../upstream.ts';

export const VideoId = z.string().min(1).max(64).brand<'VideoId'>();
export type VideoId = z.infer<typeof VideoId>;

/** Id of a new video, created by the caller: 16 hexadecimal digits. */
export const NewVideoId = z
  .string()
  .regex(/^[0-9a-f]{16}$/u, 'The id of a new video has 16 hexadecimal digits in lower case.')
  .brand<'VideoId'>();

/** Number of random bytes of a new id. */
export const VIDEO_ID_BYTES = 8;

/** Creates the id of a new video from `VIDEO_ID_BYTES` random bytes. */
export function createVideoId(random: Uint8Array): VideoId {
  const digits = Array.from(random, (byte) => byte.toString(16).padStart(2, '0'));
  return NewVideoId.parse(digits.join(''));
}

/** State of a video job. `gateway/videos/transitions/job.ts` describes each state and its transitions. */
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

/** A position in a JSON document (JSON Pointer, RFC 6901), such as `/data/0/url`. */
export const JsonPointer = z
  .string()
  .max(512, 'A place in an answer has at most 512 characters.')
  .regex(/^(?:\/(?:[^~/]|~[01])*)+$/u, 'A place in an answer, such as /data/0/url.');

/** Meaning of a service's status word. `completed` is the only word that the spec names (section 3). */
export const StatusMeaning = z.enum(['working', 'failed', 'completed']);
export type StatusMeaning = z.infer<typeof StatusMeaning>;

/**
 * Positions of the fields of one service that the spec does not show (sections 2.5, 2.6, 3); `null` for unknown ones. Learned,
 * never guessed.
 */
export const FieldMap = z.object({
  /** Address of the file in an upload's answer. */
  fileUrl: JsonPointer.nullable(),
  /** Task id in a submission's answer. */
  taskId: JsonPointer.nullable(),
  /** Failure reason in a task's record. */
  reason: JsonPointer.nullable(),
  progress: JsonPointer.nullable(),
  cost: JsonPointer.nullable(),
  /** Meanings of the status words besides `completed`, by word. */
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

/** Fields of services that follow the public OpenAI video convention. Used only when a person chose it. */
export const OPENAI_FIELD_MAP: FieldMap = {
  fileUrl: null,
  taskId: '/id',
  reason: '/error/message',
  progress: '/progress',
  cost: null,
  words: { queued: 'working', in_progress: 'working', failed: 'failed' },
};

/** The fields of a submission (spec section 4.6) without the image. */
export const VideoRequest = z.object({
  model: z.string().trim().min(1, 'Enter the id of a video model, such as h3.').max(256),
  task: z.string().trim().min(1, 'Enter the task type, such as ref2va.').max(100),
  prompt: z
    .string()
    .trim()
    .min(1, 'Describe what the video should show.')
    .max(32_000, 'A prompt has at most 32,000 characters.'),
  /** Length in seconds, sent as a text. */
  seconds: z
    .string()
    .trim()
    .regex(/^\d{1,4}(?:\.\d{1,3})?$/u, 'A number of seconds, such as 4.'),
  resolution: z.string().trim().min(1, 'Enter a resolution, such as 480p.').max(40),
  /** Additional members of the body, for other models; they replace the fields above, and `null` omits a member. */
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

/** Minutes until polling of a video stops; not a limit of the service (spec section 8). */
const WaitMinutes = z
  .number({ error: 'Enter a number of minutes.' })
  .int('Whole minutes only.')
  .min(1, 'At least one minute.')
  .max(7 * 24 * 60, 'At most a week.');

/** A video to order. */
export const NewVideo = VideoRequest.extend({
  /** Hash of a stored image; `null` for models that need none. */
  image: ContentHash.nullable(),
  waitMinutes: WaitMinutes,
});
export type NewVideo = z.infer<typeof NewVideo>;

/** A possible match for a question. */
export const Candidate = z.object({ pointer: JsonPointer, value: z.string() });
export type Candidate = z.infer<typeof Candidate>;

/** A question that only a person can answer, about an answer that is shown completely. */
export const VideoQuestion = z.object({
  about: z.enum(['file-url', 'task-id']),
  /** The answer as received, at most 64 KiB. */
  answer: z.string(),
  candidates: z.array(Candidate),
});
export type VideoQuestion = z.infer<typeof VideoQuestion>;

/** A finished video on this disk. */
export const VideoFile = z.object({
  name: z.string(),
  /** Absolute path. */
  path: z.string(),
  type: z.string(),
  bytes: z.number().int(),
  sha256: ContentHash,
  /** Whether the file still exists. */
  present: z.boolean(),
});
export type VideoFile = z.infer<typeof VideoFile>;

/** One video from reference image to file. Times are Unix milliseconds. */
export const VideoJob = z.object({
  id: VideoId,
  state: VideoState,
  /** Origin of the order: a person in the window or at the command line, or a client through the proxy. */
  origin: z.enum(['window', 'command', 'client']),
  clientName: z.string().nullable(),
  /** The service it belongs to; `gone` when that was removed. `address`: its stable id, a base address or `sandbox`, which prices use. */
  service: z.object({ id: UpstreamId, name: z.string(), gone: z.boolean(), address: z.string() }),
  /** Members are `null` where a client's order does not contain them. */
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
  /** Time when the order was sent; `null` when it was not. */
  submittedAt: z.number().int().nullable(),
  /** Whether the service has charged for it, as far as known. */
  charged: z.enum(['no', 'maybe', 'yes']),
  taskId: z.string().nullable(),
  /** The status word of the latest answer, unchanged. */
  word: z.string().nullable(),
  /** Whether the meaning of that word is unknown. */
  wordIsNew: z.boolean(),
  /** From 0 to 1; of the rendering where the service reports it, of the download while it runs. */
  progress: z.number().min(0).max(1).nullable(),
  /** Times of the last and of the next poll. */
  askedAt: z.number().int().nullable(),
  nextAt: z.number().int().nullable(),
  /** Time when polling stops. */
  asksUntil: z.number().int().nullable(),
  waitMinutes: z.number().int(),
  /** The current obstacle, for people. */
  problem: z.string().nullable(),
  /** Reason of the failure, from the service or from Gatehouse. */
  reason: z.string().nullable(),
  /** Texts beside a failed state, when it is unknown which one is the reason. */
  reasons: z.array(Candidate),
  question: VideoQuestion.nullable(),
  file: VideoFile.nullable(),
  /** Cost as reported by the service; `null` when it is not. */
  cost: z.string().nullable(),
  /** Cost by the person's own prices for the time of the order; `null` when it was not charged. */
  computedCost: Cost.nullable(),
});
export type VideoJob = z.infer<typeof VideoJob>;

/** One answer of the service, as received. Repeated answers are counted, not stored. */
export const VideoAnswer = z.object({
  stage: z.enum(['upload', 'submit', 'identify', 'poll', 'download']),
  /** Times of the first and the last of them. */
  at: z.number().int(),
  lastAt: z.number().int(),
  times: z.number().int(),
  /** `null` when there was no answer; `text` says why. */
  status: z.number().int().nullable(),
  /** At most 64 KiB. No secret. */
  text: z.string(),
});
export type VideoAnswer = z.infer<typeof VideoAnswer>;

export const VideoDetail = z.object({ job: VideoJob, answers: z.array(VideoAnswer) });
export type VideoDetail = z.infer<typeof VideoDetail>;

/** Filter of jobs; matches all by default. */
export const VideoFilter = z.object({
  states: z.array(VideoState).optional(),
  /** Words of the prompt. */
  text: z.string().max(200).optional(),
});
export type VideoFilter = z.infer<typeof VideoFilter>;

/** Waiting jobs first, in order, then the others, newest first. `next` is the `after` of the next page. */
export const VideoPage = z.object({
  jobs: z.array(VideoJob),
  next: VideoId.nullable(),
  /** Counts of all jobs, regardless of the filter. */
  counts: z.record(VideoState, z.number().int()),
});
export type VideoPage = z.infer<typeof VideoPage>;

/** A person's action on a job. `gateway/videos/transitions/job.ts` lists the actions of each state. */
export const VideoAction = z.discriminatedUnion('type', [
  /** Orders a draft: one submission, one charge. */
  z.object({ type: z.literal('confirm') }),
  /** Sends an order with an unknown outcome again: it may be charged twice. */
  z.object({ type: z.literal('submit-again') }),
  /** Sets the task id of an order. */
  z.object({ type: z.literal('give-id'), taskId: z.string().trim().min(1).max(512) }),
  /** Answers the open question: a position in the answer, remembered for this service, or a value for this job only. */
  z.object({ type: z.literal('answer'), pointer: JsonPointer }),
  z.object({ type: z.literal('answer-value'), value: z.string().trim().min(1).max(2048) }),
  /** Sets the meaning of the current status word, for this service. */
  z.object({ type: z.literal('explain-word'), meaning: StatusMeaning }),
  /** Sets the position of the failure reason, for this service. */
  z.object({ type: z.literal('pick-reason'), pointer: JsonPointer }),
  /** Polls for longer, or again after polling has stopped. No new charge. */
  z.object({ type: z.literal('extend'), minutes: WaitMinutes }),
  /** Downloads the file again: after a failed download, or when it is missing from the disk. */
  z.object({ type: z.literal('fetch-again') }),
  /** Stops polling. The service still finishes and charges a task that it has started. */
  z.object({ type: z.literal('cancel') }),
]);
export type VideoAction = z.infer<typeof VideoAction>;

/** Saved settings of a video, under a name. */
export const VideoPreset = z.object({
  name: z.string().trim().min(1, 'Enter a name for the preset.').max(64),
  request: VideoRequest.omit({ prompt: true }),
});
export type VideoPreset = z.infer<typeof VideoPreset>;
