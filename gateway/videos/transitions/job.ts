import { z } from 'zod';
import { ContentHash, StoredImage } from '../../../shared/image.ts';
import {
  Candidate,
  JsonPointer,
  type VideoId,
  VideoQuestion,
  type VideoState,
} from '../../../shared/video.ts';

/*
 * The states of a job, and what leads out of each. `step` in step.ts is the one function that changes a state.
 *
 * draft          Described; nothing is sent. A person confirms: waiting.
 * waiting        Confirmed, one submission, one charge; waits for its turn. Its turn: uploading, or submitting when there is no image or the
 *                service still has it.
 * uploading      The image is on its way, which costs nothing: a failure is tried again, and what was found on its way at a start as well.
 *                The address is told: submitting. It cannot be told: needs-answer. The service refuses the image: failed.
 * submitting     The order with its exact bytes was on disk before it left. Accepted (2xx): rendering when the field map names the place of
 *                the id, otherwise identifying. Turned away before anything was ordered (429, not one byte sent): waiting. Refused (4xx):
 *                failed; but a 400 for an upload that was used again may mean its address alone: uploading, once. Anything else (3xx, 5xx,
 *                no answer, found on its way at a start): unsure.
 * unsure         The order may have arrived. Only a person leaves this state: sends again (waiting; it may be charged twice), names the
 *                task (rendering), or gives up (cancelled).
 * identifying    The service took the order. What may be the id in its answer is asked for, which is free; exactly one that is accepted:
 *                rendering. None or several, each with a definite answer: needs-answer. No network decides nothing.
 * needs-answer   A field could not be told; the answer is shown whole. A person picks: waiting (the address of the upload) or rendering
 *                (the id).
 * rendering      Asked about until it is completed: downloading. A word that is known to mean failed, or a usual word for a failure with a
 *                reason beside it: failed. No failed request ends it;
 *                once `asksUntil` is over and an answer came after that: timed-out.
 * downloading    Only after completed. Whole and a video: done. What does not work is tried again, twelve times: timed-out, never failed,
 *                for the video is paid and there.
 * done           The file is on this disk. When it is gone from there, it can be fetched again. A client's order that is only watched ends
 *                here without a file: the client fetches it.
 * failed         The service refused the order, or says that the render failed. A person may say that the word means something else.
 * timed-out      Asking stopped; the service may still be rendering. A person asks for longer, without a new charge.
 * cancelled      We stopped asking. What the service has begun it finishes and charges; `charged` stays as it was. With a known task,
 *                asking can go on.
 *
 * A client's order begins in submitting, for the proxy sends it. It is never sent again by Gatehouse.
 */

/** Something in the answer to an order that may be the task's identifier, and what the service says to it. */
const TaskIdCandidate = Candidate.extend({ verdict: z.enum(['unasked', 'accepted', 'refused']) });
export type TaskIdCandidate = z.infer<typeof TaskIdCandidate>;

/** What a job knows besides the columns of its row. */
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
  /** A client sent it as a form. */
  form: z.boolean(),
  waitMinutes: z.number().int(),
  charged: z.enum(['no', 'maybe', 'yes']),
  /** Orders that left so far; the events of an order say which one they are about. */
  orders: z.number().int(),
  /** Where the service keeps the image. `reused`: from an earlier job. */
  upload: z.object({ url: z.string(), reused: z.boolean() }).nullable(),
  /** The order as it left last. */
  body: z.string().nullable(),
  suspects: z.array(TaskIdCandidate),
  /** Whole rounds in which every suspect was refused. */
  rounds: z.number().int(),
  /** Failures in a row in this state. */
  tries: z.number().int(),
  /** Failures after `asksUntil`. */
  late: z.number().int(),
  /** Downloads that were no video. */
  duds: z.number().int(),
  askedAt: z.number().int().nullable(),
  asksUntil: z.number().int().nullable(),
  word: z.string().nullable(),
  /** Where the number stands that only ever grew; `null`: none yet, or no longer. */
  progressAt: JsonPointer.nullable(),
  cost: z.string().nullable(),
  problem: z.string().nullable(),
  reason: z.string().nullable(),
  reasons: z.array(Candidate),
  question: VideoQuestion.nullable(),
  /** What was being done when asking stopped. */
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

/** One video from reference image to file, as it is kept. Times are Unix milliseconds. */
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
  /** When something is to be done for it; `null`: nothing by itself. */
  readonly dueAt: number | null;
  /** When that was decided: a time to come means that the clock was set back. */
  readonly plannedAt: number | null;
  readonly position: number | null;
  readonly orderedAt: number | null;
  readonly taskId: string | null;
  readonly progress: number | null;
}

/** A job that nothing has happened to yet. */
export const INITIAL_JOB = {
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
