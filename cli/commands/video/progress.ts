import type { VideoJob } from '../../../shared/video/video.ts';
import { formatElapsed } from '../../output/format.ts';
import { pluralize } from '../../../shared/format.ts';
import { shortId, isActive, formatLiveStatus, STATE_LABELS } from '../../output/format-video.ts';

const WIDTH = 20;

/** Returns the finished share, from 0 to 1. */
export function formatBar(progress: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, progress)) * WIDTH);
  return `[${'='.repeat(full)}${' '.repeat(WIDTH - full)}]`;
}

/**
 * Formats one line about all jobs that are waited for. On a narrow screen its end is cut off. `pause`: why nothing is ordered now.
 */
export function formatProgress(
  jobs: readonly VideoJob[],
  now: number,
  pause: string | null = null,
): string {
  const open = jobs.filter(isActive);
  const [first] = open;
  if (first === undefined) {
    return '';
  }
  if (jobs.length === 1) {
    const drawn = first.progress === null ? '' : `${formatBar(first.progress)} `;
    return `${shortId(first)} ${drawn}${formatLiveStatus(first, now, pause)}`;
  }
  const counts = new Map<string, number>();
  for (const { state } of jobs) {
    counts.set(STATE_LABELS[state], (counts.get(STATE_LABELS[state]) ?? 0) + 1);
  }
  const states = [...counts].map(([label, count]) => `${count} ${label}`).join(', ');
  const since = Math.min(...open.map(({ createdAt }) => createdAt));
  const done = (jobs.length - open.length) / jobs.length;
  const held = pause !== null && open.some(({ state }) => state === 'waiting') ? `. ${pause}` : '';
  return `${pluralize(jobs.length, 'video')} ${formatBar(done)} ${states}, running for ${formatElapsed(now - since)}${held}`;
}
