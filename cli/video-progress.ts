import type { VideoJob } from '../shared/video.ts';
import { counted, span } from './figures.ts';
import { headOf, isUnderWay, liveWords, STATE_WORDS } from './video-words.ts';

const WIDTH = 20;

/** How much is done, from 0 to 1. */
export function bar(progress: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, progress)) * WIDTH);
  return `[${'='.repeat(full)}${' '.repeat(WIDTH - full)}]`;
}

/** One line about everything that is waited for. What is cut off on a narrow screen stands last. */
export function progressLine(jobs: readonly VideoJob[], now: number): string {
  const open = jobs.filter(isUnderWay);
  const [first] = open;
  if (first === undefined) {
    return '';
  }
  if (jobs.length === 1) {
    const drawn = first.progress === null ? '' : `${bar(first.progress)} `;
    return `${headOf(first)} ${drawn}${liveWords(first, now)}`;
  }
  const counts = new Map<string, number>();
  for (const { state } of jobs) {
    counts.set(STATE_WORDS[state], (counts.get(STATE_WORDS[state]) ?? 0) + 1);
  }
  const states = [...counts].map(([words, count]) => `${count} ${words}`).join(', ');
  const since = Math.min(...open.map(({ createdAt }) => createdAt));
  const done = (jobs.length - open.length) / jobs.length;
  return `${counted(jobs.length, 'video')} ${bar(done)} ${states}, ${span(now - since)} so far`;
}
