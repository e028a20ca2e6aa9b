import { beginAsking, enter, stopAsking } from './enter.ts';
import type { VideoEventOf } from './event.ts';
import type { Job, Suspect } from './job.ts';
import { candidatesOf } from './ordering.ts';
import { pollDelay, retryDelay, type VideoPace } from './pace.ts';

/** How often all suspects must be refused: a service may not know a task in its first moments. */
const ROUNDS = 3;
/** Failures after the time is over, before asking stops without an answer. */
const MOST_LATE = 6;
const MOST_FETCHES = 12;
const MOST_DUDS = 3;
/** An expired address is asked for again at once so many times. */
const AT_ONCE = 3;

export function askedSuspects(
  job: Job,
  event: VideoEventOf<'asked-suspects'>,
  pace: VideoPace,
): Job {
  if (job.state !== 'identifying') return job;
  const { at, suspects } = event;
  const found = suspects.filter(({ verdict }) => verdict === 'accepted');
  const next = { ...job, askedAt: at, suspects, problem: event.problem };
  if (suspects.some(({ verdict }) => verdict === 'unasked')) return askAgain(next, event, pace);
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    return beginAsking(next, at, { taskId: only.value });
  }
  if (found.length > 1 || job.rounds + 1 >= ROUNDS) {
    const offered = candidatesOf(found.length > 1 ? found : suspects);
    const question = job.question && { ...job.question, candidates: offered };
    return enter(next, 'needs-answer', { at, question });
  }
  return askAgain(
    { ...next, rounds: job.rounds + 1, suspects: suspects.map(unasked), tries: 0 },
    event,
    pace,
  );
}

function unasked(suspect: Suspect): Suspect {
  return { ...suspect, verdict: 'unasked' };
}

function askAgain(job: Job, { at, chance }: VideoEventOf<'asked-suspects'>, pace: VideoPace): Job {
  if (isOver(job, at)) return stopAsking(job, at, 'identifying');
  const { tries } = job;
  const dueAt = at + pollDelay({ tries, chance, retryAfterMs: null }, pace);
  return { ...job, tries: tries + 1, dueAt };
}

function isOver({ asksUntil }: Job, at: number): boolean {
  return asksUntil !== null && at >= asksUntil;
}

/** The service told the state of the task, to us or to a client. */
export function polled(job: Job, event: VideoEventOf<'polled'>, pace: VideoPace): Job {
  if (event.taskId !== job.taskId) return job;
  const { at, chance, word, cost, progress, progressAt } = event;
  // The service knows the task, so it was ordered.
  const known = { charged: 'yes', word, cost: cost ?? job.cost, askedAt: at } as const;
  if (job.state === 'cancelled') return { ...job, ...known };
  const waits = job.state === 'timed-out' && job.stage === 'rendering';
  if (job.state !== 'rendering' && !waits) return job;
  if (event.meaning === 'completed') return completed({ ...job, ...known }, event);
  if (event.meaning === 'failed') {
    const { reason, reasons } = event;
    return enter(job, 'failed', { at, ...known, reason, reasons });
  }
  if (waits) return { ...job, ...known };
  if (isOver(job, at)) return stopAsking({ ...job, ...known, problem: null }, at, 'rendering');
  const dueAt = at + pollDelay({ tries: 0, chance, retryAfterMs: null }, pace);
  const fresh = { tries: 0, late: 0, problem: null };
  return { ...job, ...known, ...fresh, progress, progressAt, dueAt };
}

function completed(job: Job, { at, fetches }: VideoEventOf<'polled'>): Job {
  if (!fetches) return enter(job, 'done', { at });
  return enter(job, 'downloading', { at, duds: 0, dueAt: at });
}

/** A failed question says nothing about the render (spec section 3, rule 3). */
export function askFailed(job: Job, event: VideoEventOf<'ask-failed'>, pace: VideoPace): Job {
  if (job.state !== 'rendering' || event.taskId !== job.taskId) return job;
  const { at, sentence } = event;
  const late = isOver(job, at) ? job.late + 1 : 0;
  const next = { ...job, askedAt: at, problem: sentence, late };
  if (late >= MOST_LATE) return stopAsking(next, at, 'rendering');
  const tries = job.tries + 1;
  return { ...next, tries, dueAt: at + pollDelay({ ...event, tries }, pace) };
}

export function fetched(job: Job, { at, taskId, file }: VideoEventOf<'fetched'>): Job {
  return job.state === 'downloading' && job.taskId === taskId
    ? enter(job, 'done', { at, file, stage: null })
    : job;
}

/** The video is paid and there, so a download never fails for good. */
export function fetchFailed(job: Job, event: VideoEventOf<'fetch-failed'>, pace: VideoPace): Job {
  if (job.state !== 'downloading' || event.taskId !== job.taskId) return job;
  const { at, how, sentence } = event;
  const tries = job.tries + 1;
  const duds = how === 'no-video' ? job.duds + 1 : job.duds;
  const next = { ...job, tries, duds, problem: sentence, progress: null };
  if (tries >= MOST_FETCHES || duds >= MOST_DUDS) return stopAsking(next, at, 'downloading');
  const atOnce = how === 'link-gone' && tries <= AT_ONCE;
  const delay = atOnce ? 0 : retryDelay({ ...event, tries: job.tries }, pace);
  return { ...next, dueAt: at + delay };
}
