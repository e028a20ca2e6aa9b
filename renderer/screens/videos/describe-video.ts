import { describeCharge } from '../../../shared/video/describe-charge.ts';
import { isQueued } from '../../../shared/video/video-states.ts';
import type { VideoJob } from '../../../shared/video/video.ts';
import { isHeldByLimit } from '../../format/video-state.ts';
import { formatCount } from '../../../shared/format.ts';

/** Formats a duration: `8 s`, `3 min`, `2 h 5 min`, `3 d`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${formatCount(Math.floor(hours / 24))} d`;
}

type Timed = Pick<
  VideoJob,
  | 'state'
  | 'stateSince'
  | 'askedAt'
  | 'nextAt'
  | 'submittedAt'
  | 'progress'
  | 'word'
  | 'origin'
  | 'problem'
>;

/**
 * Describes the activity at `now` in parts: "checked 12 s ago", "next check in 6 s", "running for 3 min", of one that the service still queues "ordered 3 min ago". Empty when nothing is in
 * progress.
 */
export function describeLive(job: Timed, now: number): readonly string[] {
  const { state, stateSince, askedAt, nextAt, submittedAt } = job;
  const next = nextAt === null ? null : formatNextPoll(nextAt - now);
  switch (state) {
    case 'waiting':
      // The limit says when it begins anew; a check before then changes nothing.
      if (isHeldByLimit(job)) return [];
      return joinPresent([
        next !== null && `${job.problem === null ? 'continues' : 'next check'} ${next}`,
      ]);
    case 'uploading':
    case 'submitting':
    case 'identifying':
      return joinPresent([
        `for ${formatElapsed(now - stateSince)}`,
        next !== null && `retry ${next}`,
      ]);
    case 'rendering':
      return joinPresent([
        statusWord(job),
        askedAt !== null && `checked ${formatElapsed(now - askedAt)} ago`,
        next !== null && `next check ${next}`,
        `${isQueued(job) ? 'ordered' : 'running for'} ${formatElapsed(now - (submittedAt ?? stateSince))}${isQueued(job) ? ' ago' : ''}`,
      ]);
    case 'downloading':
      return joinPresent([formatPercent(job), next !== null && `retry ${next}`]);
    case 'draft':
    case 'unsure':
    case 'needs-answer':
    case 'done':
    case 'failed':
    case 'timed-out':
    case 'cancelled':
      return [];
  }
}

function joinPresent(parts: readonly (string | false | null)[]): readonly string[] {
  return parts.filter((part) => typeof part === 'string');
}

function formatNextPoll(ms: number): string {
  return ms < 1_000 ? 'now' : `in ${formatElapsed(ms)}`;
}

/** Returns the service's own status word if it says more than our state. */
function statusWord({ word: text, progress }: Timed): string | null {
  const share = formatPercent({ progress });
  if (text === null) return share;
  return share === null ? `“${shorten(text)}”` : `“${shorten(text)}” ${share}`;
}

function formatPercent({ progress }: Pick<VideoJob, 'progress'>): string | null {
  return progress === null ? null : `${Math.floor(progress * 100)} %`;
}

const MAX_WORD_LENGTH = 40;

function shorten(text: string): string {
  return text.length > MAX_WORD_LENGTH ? `${text.slice(0, MAX_WORD_LENGTH)}…` : text;
}

/** Describes whether a video was charged, as far as known, and the amount; `null` when nothing was sent. */
export function describeSentCharge(
  job: Parameters<typeof describeCharge>[0] & Pick<VideoJob, 'state'>,
  currency: string,
): string | null {
  const isUnsent = job.charged === 'no' && (job.state === 'draft' || job.state === 'waiting');
  return isUnsent ? null : describeCharge(job, currency);
}
