import { z } from 'zod';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { ContentHash, StoredImage } from '../../../shared/image.ts';
import {
  Candidate,
  JsonPointer,
  type VideoId,
  VideoQuestion,
  type VideoState,
} from '../../../shared/video/video.ts';

/*
 * The states of a job, and the transitions out of each. `transition` in transition.ts is the only function that changes a state.
 *
 * draft          Described; nothing is sent. Confirmed by a person: waiting.
 * waiting        Confirmed: one submission, one charge. At its turn: uploading, or submitting when there is no image or an earlier upload
 *                of it is known.
 * uploading      The image is uploaded, which is free: failures are retried, also after a restart. Address found: submitting. Address
 *                unclear: needs-answer. Image refused: failed.
 * submitting     The order, byte for byte, was on disk before it was sent. Accepted (2xx): rendering when the field map knows where the id
 *                is, otherwise identifying. Certainly not taken (429, no byte sent): waiting. Refused (4xx but 408, 409 and 499): failed; but
 *                a 400 for a reused upload may mean its address: uploading, once. Anything else (3xx, 5xx, no answer, found so at a start):
 *                unsure.
 * unsure         The order may have arrived. Only a person ends this state: sends it again (waiting; it may be charged twice), names the
 *                task (rendering), or gives up (cancelled).
 * identifying    The order was taken. All candidates for the id are polled, which is free; exactly one accepted: rendering. None or
 *                several, each with a definite answer: needs-answer. Network failures decide nothing.
 * needs-answer   A field could not be found; the answer is shown whole. Picked by a person: waiting (address of an upload) or rendering
 *                (task id).
 * rendering      The task is polled. Completed: downloading. A status word that is known to mean failure, or a usual word for it with a
 *                reason beside it: failed. Failed requests end nothing. After `asksUntil`, with an answer after that: timed-out.
 * downloading    After completed only. The file is whole and a video: done. Failures are retried twelve times, then: timed-out, never
 *                failed, because the video is paid and exists.
 * done           The file is on this disk. When it is deleted there, it can be downloaded again. A client's order that is only watched ends
 *                here without a file, which the client downloads.
 * failed         The service refused the order, or reports a failure. A person may correct the meaning of the status word.
 * timed-out      Polling stopped; the service may still be rendering. A person may extend it, without a new charge.
 * cancelled      Polling stopped by a person. The service may finish and charge the video; `charged` stays as it was. With a known task,
 *                polling can resume.
 *
 * A client's order begins in submitting, because the proxy sends it. Gatehouse never sends it again.
 */

/** A value in the answer to an order that may be the task's id, and the service's verdict on it. */
const TaskIdCandidate = Candidate.extend({ verdict: z.enum(['unasked', 'accepted', 'refused']) });
export type TaskIdCandidate = z.infer<typeof TaskIdCandidate>;

/** The part of a job that is stored as JSON. */
export const JobData = z.object({
  request: z.object({
    model: z.string().nullable(),
    task: z.string().nullable(),
    prompt: z.string().nullable(),
    seconds: z.string().nullable(),
    resolution: z.string().nullable(),
    more: z.record(z.string(), z.json()),
  }),
  image: StoredImage.nullable(),
  /** The exchange that sent the latest order; `null` before it, and for orders of earlier versions. */
  exchangeId: ExchangeId.nullable().default(null),
  /** Whether a client sent it as a form. */
  form: z.boolean(),
  waitMinutes: z.number().int(),
  charged: z.enum(['no', 'maybe', 'yes']),
  /** Number of orders sent so far; events of an order name its number. */
  orders: z.number().int(),
  /** The address of the image at the service. `reused`: from an earlier job. */
  upload: z.object({ url: z.string(), reused: z.boolean() }).nullable(),
  /** The body of the latest order. */
  body: z.string().nullable(),
  suspects: z.array(TaskIdCandidate),
  /** Number of rounds in which every candidate was refused. */
  rounds: z.number().int(),
  /** Number of consecutive failures in this state. */
  tries: z.number().int(),
  /** Number of failures after `asksUntil`. */
  late: z.number().int(),
  /** Number of downloads that were no video. */
  duds: z.number().int(),
  askedAt: z.number().int().nullable(),
  asksUntil: z.number().int().nullable(),
  word: z.string().nullable(),
  /** The place of the one number that has only grown; `null` when there is none yet, or no longer. */
  progressAt: JsonPointer.nullable(),
  cost: z.string().nullable(),
  problem: z.string().nullable(),
  reason: z.string().nullable(),
  reasons: z.array(Candidate),
  question: VideoQuestion.nullable(),
  /** The stage in which polling stopped. */
  stage: z.enum(['identifying', 'rendering', 'downloading']).nullable(),
  file: z
    .object({
      name: z.string(),
      path: z.string(),
      type: z.string(),
      bytes: z.number().int(),
      sha256: ContentHash,
    })
    .nullable(),
});
export type JobData = z.infer<typeof JobData>;

/** A stored video job. Times are Unix milliseconds. */
export interface Job extends Readonly<Omit<JobData, 'suspects' | 'reasons'>> {
  readonly suspects: readonly TaskIdCandidate[];
  readonly reasons: readonly Candidate[];
  readonly id: VideoId;
  readonly rev: number;
  readonly state: VideoState;
  readonly origin: 'window' | 'command' | 'client';
  readonly clientId: string | null;
  readonly clientName: string | null;
  /** A base address, or `sandbox`. */
  readonly service: string;
  readonly createdAt: number;
  readonly stateSince: number;
  /** When the next action is due; `null` when there is none. */
  readonly dueAt: number | null;
  /** When that was planned. A time in the future means that the clock was set back. */
  readonly plannedAt: number | null;
  readonly position: number | null;
  readonly orderedAt: number | null;
  readonly taskId: string | null;
  readonly progress: number | null;
}

/** The initial values of a job. */
export const INITIAL_JOB = {
  exchangeId: null,
  form: false,
  charged: 'no',
  orders: 0,
  upload: null,
  body: null,
  suspects: [],
  rounds: 0,
  tries: 0,
  late: 0,
  duds: 0,
  askedAt: null,
  asksUntil: null,
  word: null,
  progressAt: null,
  cost: null,
  problem: null,
  reason: null,
  reasons: [],
  question: null,
  stage: null,
  file: null,
  orderedAt: null,
  taskId: null,
  progress: null,
} as const satisfies Partial<Job>;
