import type { Candidate, FieldMap, StatusMeaning } from '../../../shared/video/video.ts';
import type { EventPayload } from '../transitions/event.ts';

import type { Job, TaskIdCandidate } from '../transitions/job.ts';
import type { ParsedReply } from './parse-order.ts';
import { isRefusal, describeReply } from './describe-reply.ts';
import { findReasons, findGrowingNumbers, parseTask, getValueAt } from './detect-fields.ts';
import type { Reply } from './types.ts';

/** Parses the reply to a poll of a candidate for the task's id. */
export function parseVerdict(reply: Reply): TaskIdCandidate['verdict'] {
  if (reply.kind === 'none') return 'unasked';
  const { status, json } = reply;
  if (isRefusal(status)) return 'refused';
  if (status < 200 || status > 299 || json === undefined) return 'unasked';
  return findStatusWord(json) === null ? 'refused' : 'accepted';
}

function findStatusWord(json: unknown): string | null {
  return parseTask(json, { progress: null, cost: null }).word;
}

/** Facts that the meaning of a poll depends on. */
export interface PollContext {
  readonly job: Job;
  readonly map: FieldMap;
  /** Earlier answers about the task, parsed, latest first. */
  readonly before: readonly unknown[];
  /** Whether the file is downloaded when the task is completed. */
  readonly fetches: boolean;
}

type ParsedPoll = ParsedReply<EventPayload<'polled'> | EventPayload<'poll-failed'>>;

const GOES_ON = 'This says nothing about the video; Gatehouse continues to check.';

/** Parses the reply to a poll (spec section 4.7). Anything without a status word is a failed poll. */
export function parsePoll(reply: Reply, context: PollContext): ParsedPoll {
  const { job, map } = context;
  const taskId = job.taskId ?? '';
  const good = reply.kind === 'answer' && reply.status >= 200 && reply.status <= 299;
  const json = good ? reply.json : undefined;
  const { word, progress, cost } = parseTask(json, map);
  if (word === null) return toUninformative(reply, taskId);
  const meaning = findMeaning(word, json, context);
  const why = meaning === 'failed' ? findReason(json, word, context) : NO_REASON;
  const shape =
    map.progress === null ? findProgress(json, context) : { progress, progressAt: null };
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
      fetches: context.fetches,
    },
    learned: why.pointer === null ? {} : { reason: why.pointer },
  };
}

function toUninformative(reply: Reply, taskId: string): ParsedPoll {
  const retryAfterMs = reply.kind === 'answer' ? reply.retryAfterMs : null;
  const good = reply.kind === 'answer' && reply.status >= 200 && reply.status <= 299;
  const reason = good ? 'The service answered without a status word.' : describeReply(reply);
  const sentence = `${reason} ${GOES_ON}`;
  return { event: { kind: 'poll-failed', taskId, sentence, retryAfterMs }, learned: {} };
}

/**
 * Finds the meaning of a status word. The spec names `completed` only (section 3). A usual word for a failure counts if a reason is beside
 * it. Any other word means `working` until a person explains it.
 */
function findMeaning(word: string, json: unknown, context: PollContext): StatusMeaning {
  if (word === 'completed') return 'completed';
  const { words } = context.map;
  if (Object.hasOwn(words, word)) return words[word] ?? 'working';
  return isFailureWithReason(word, findNewReasons(json, word, context)) ? 'failed' : 'working';
}

/** Finds the texts of this answer that neither the request nor the latest answer with another status had. */
function findNewReasons(json: unknown, word: string, { job, before }: PollContext): Candidate[] {
  const other = before.find((one) => findStatusWord(one) !== word);
  return findReasons(json, [other, job.request, job.taskId]);
}

interface FoundReason {
  readonly reason: string | null;
  readonly reasons: readonly Candidate[];
  readonly pointer: string | null;
}

const NO_REASON: FoundReason = { reason: null, reasons: [], pointer: null };

function findReason(json: unknown, word: string, context: PollContext): FoundReason {
  const { map } = context;
  const known = map.reason === null ? null : getValueAt(json, map.reason);
  if (known !== null) return { ...NO_REASON, reason: known };
  const reasons = findNewReasons(json, word, context);
  const [only] = reasons;
  if (only !== undefined && reasons.length === 1) {
    return { reason: only.value, reasons: [], pointer: only.pointer };
  }
  const reason = only === undefined ? `The service says “${word}” and gives no reason.` : null;
  return { reason, reasons, pointer: null };
}

/** Finds the progress by its shape: the one number up to 100 that has only grown. */
function findProgress(json: unknown, { job, before }: PollContext) {
  const none = { progress: null, progressAt: null };
  if (job.progressAt !== null) {
    const percent = Number(getValueAt(json, job.progressAt) ?? Number.NaN);
    const grows = percent <= 100 && percent / 100 >= (job.progress ?? 0);
    return grows ? { progress: percent / 100, progressAt: job.progressAt } : none;
  }
  const grown = findGrowingNumbers(before[0], json);
  const [only] = grown;
  if (only === undefined || grown.length > 1) return none;
  return { progress: Number(only.value) / 100, progressAt: only.pointer };
}

/** Usual status words for a failure, alone or behind the name of a step. The specification names none (section 3). */
const FAILURE_WORD =
  /^(?!(?:not?|non|never|without)[_-])(?:[a-z]+[_-])*(?:fail(?:ed|ure)?|error(?:ed)?|cancell?ed|expired|rejected|timed[_-]?out|timeout|violation)$/iu;

/** Names of members in which services put a reason. */
const REASON_MEMBER = /error|reason|message|msg|detail|cause|fail|\/code$/iu;

/** Matches a text with words, also in scripts without spaces; no time, id or URL. */
const PROSE = /\p{L}\s+\p{L}|\p{Lo}{2}/u;

/**
 * Whether an unknown status word means a failure: it is a usual one and there is a reason beside it. `reasons` are the texts of the answer
 * that neither the request nor an earlier answer had.
 */
export function isFailureWithReason(word: string, reasons: readonly Candidate[]): boolean {
  if (!FAILURE_WORD.test(word)) return false;
  return reasons.some(({ pointer, value }) => REASON_MEMBER.test(pointer) || PROSE.test(value));
}
