import type { Candidate, FieldMap, WordMeaning } from '../../shared/video.ts';
import type { Happening } from './event.ts';
import { isFailureWithReason } from './failure-word.ts';
import type { Job, Suspect } from './job.ts';
import type { Reading } from './order-reading.ts';
import { isRefusal, whatCame } from './saying.ts';
import { findReasons, growing, readTask, valueAt } from './studio/shapes.ts';
import type { Reply } from './studio/studio.ts';

/** What the service says to something that may be a task's identifier. */
export function readVerdict(reply: Reply): Suspect['verdict'] {
  if (reply.kind === 'none') return 'unasked';
  const { status, json } = reply;
  if (isRefusal(status)) return 'refused';
  if (status < 200 || status > 299 || json === undefined) return 'unasked';
  return wordIn(json) === null ? 'refused' : 'accepted';
}

function wordIn(json: unknown): string | null {
  return readTask(json, { progress: null, cost: null }).word;
}

/** What is known when the service is asked about a task. */
export interface PollGround {
  readonly job: Job;
  readonly map: FieldMap;
  /** Earlier answers about it, the latest first, parsed. */
  readonly before: readonly unknown[];
  /** Whether the file is fetched once it is there. */
  readonly fetches: boolean;
}

type PollReading = Reading<Happening<'polled'> | Happening<'ask-failed'>>;

const GOES_ON = 'This says nothing about the video; Gatehouse goes on asking.';

/** What an answer about a task means (spec section 4.7). Anything but a status word is a failed question. */
export function readPoll(reply: Reply, ground: PollGround): PollReading {
  const { job, map } = ground;
  const taskId = job.taskId ?? '';
  const good = reply.kind === 'answer' && reply.status >= 200 && reply.status <= 299;
  const json = good ? reply.json : undefined;
  const { word, progress, cost } = readTask(json, map);
  if (word === null) return notTold(reply, taskId);
  const meaning = meaningOf(word, json, ground);
  const why = meaning === 'failed' ? findReason(json, word, ground) : NO_REASON;
  const shape = map.progress === null ? growthOf(json, ground) : { progress, progressAt: null };
  return {
    event: {
      kind: 'polled',
      taskId,
      word,
      meaning,
      ...shape,
      cost,
      reason: why.reason,
      reasons: why.reasons,
      fetches: ground.fetches,
    },
    learned: why.pointer === null ? {} : { reason: why.pointer },
  };
}

function notTold(reply: Reply, taskId: string): PollReading {
  const retryAfterMs = reply.kind === 'answer' ? reply.retryAfterMs : null;
  const good = reply.kind === 'answer' && reply.status >= 200 && reply.status <= 299;
  const came = good ? 'The service answered without a status word.' : whatCame(reply);
  const sentence = `${came} ${GOES_ON}`;
  return { event: { kind: 'ask-failed', taskId, sentence, retryAfterMs }, learned: {} };
}

/**
 * `completed` is the one word that the spec names (section 3). A usual word for a failure with a reason beside it is one, for a failed task
 * carries its reason; any other may mean anything until a person says.
 */
function meaningOf(word: string, json: unknown, ground: PollGround): WordMeaning {
  if (word === 'completed') return 'completed';
  const { words } = ground.map;
  if (Object.hasOwn(words, word)) return words[word] ?? 'working';
  return isFailureWithReason(word, reasonsIn(json, word, ground)) ? 'failed' : 'working';
}

/** The texts of this answer that the request and the latest answer with another status did not have. */
function reasonsIn(json: unknown, word: string, { job, before }: PollGround): Candidate[] {
  const other = before.find((one) => wordIn(one) !== word);
  return findReasons(json, [other, job.request, job.taskId]);
}

interface Why {
  readonly reason: string | null;
  readonly reasons: readonly Candidate[];
  readonly pointer: string | null;
}

const NO_REASON: Why = { reason: null, reasons: [], pointer: null };

function findReason(json: unknown, word: string, ground: PollGround): Why {
  const { map } = ground;
  const known = map.reason === null ? null : valueAt(json, map.reason);
  if (known !== null) return { ...NO_REASON, reason: known };
  const reasons = reasonsIn(json, word, ground);
  const [only] = reasons;
  if (only !== undefined && reasons.length === 1) {
    return { reason: only.value, reasons: [], pointer: only.pointer };
  }
  const reason = only === undefined ? `The service says “${word}” and gives no reason.` : null;
  return { reason, reasons, pointer: null };
}

/** By shape: the one number up to 100 that has only ever grown. */
function growthOf(json: unknown, { job, before }: PollGround) {
  const none = { progress: null, progressAt: null };
  if (job.progressAt !== null) {
    const percent = Number(valueAt(json, job.progressAt) ?? Number.NaN);
    const grows = percent <= 100 && percent / 100 >= (job.progress ?? 0);
    return grows ? { progress: percent / 100, progressAt: job.progressAt } : none;
  }
  const grown = growing(before[0], json);
  const [only] = grown;
  if (only === undefined || grown.length > 1) return none;
  return { progress: Number(only.value) / 100, progressAt: only.pointer };
}
