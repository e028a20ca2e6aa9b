import type { VideoId, VideoJob } from '../shared/video.ts';
import { Attendance } from './attendance.ts';
import type { AttendanceOptions } from './attendance.ts';
import { counted } from './figures.ts';
import { showNotice } from './notice.ts';
import type { Shell } from './shell.ts';
import { listenForStop } from './stopping.ts';
import { waitForVideos } from './video-wait.ts';
import { headOf, isUnderWay, oneLine, STATE_WORDS } from './video-words.ts';

/** How long an order that is on its way may take to be answered after the first Ctrl-C. */
const DRAIN_MS = 60_000;

/** How the waiting ended. */
export interface Ended {
  readonly jobs: readonly VideoJob[];
  /** When a person ended it: how to come back to those that go on. */
  readonly stopped: string | null;
}

/**
 * Waits for jobs with somebody running them, and tells how far they are. `begin` names them, once somebody does.
 * Ctrl-C ends the waiting, never a job.
 */
export async function attendVideos(
  options: AttendanceOptions,
  begin: () => Promise<readonly VideoId[]>,
): Promise<Ended> {
  const { shell, rooms } = options;
  const attendance = new Attendance(options);
  const { stop, onHurry } = listenForStop(shell.terminal, () => attendance.release());
  onHurry(async () => await attendance.close(0));
  try {
    await attendance.keep();
    const ids = await begin();
    const { videos } = rooms;
    const jobs = await waitForVideos({ shell, videos, ids, attendance, stop });
    if (jobs.some(isUnderWay)) {
      return { jobs, stopped: stopWords(jobs, attendance, shell) };
    }
    await tellPerson(shell, jobs);
    return { jobs, stopped: null };
  } finally {
    await attendance.close(DRAIN_MS);
  }
}

function stopWords(
  jobs: readonly VideoJob[],
  { holder }: Attendance,
  { terminal, command }: Shell,
): string {
  if (holder === null && jobs.some(({ state }) => state === 'submitting')) {
    terminal.complain(
      `An order is on its way: its answer is waited for, at most ${DRAIN_MS / 1_000} s. Ctrl-C again stops at once and leaves it unsure.`,
    );
  }
  const open = jobs.filter(isUnderWay);
  const it = open.length === 1 ? 'the video' : 'the videos';
  const ids = open.length === jobs.length && open.length > 3 ? [] : open.map(headOf);
  return [
    holder === null
      ? `Stopped. Nothing is lost, but nobody asks for ${it} until Gatehouse runs again. To go on:`
      : `Stopped waiting. Gatehouse (pid ${holder.pid}) goes on with ${it}. To come back:`,
    `  ${[command, 'video', 'watch', ...ids].join(' ')}`,
  ].join('\n');
}

async function tellPerson(
  { terminal, environment }: Shell,
  jobs: readonly VideoJob[],
): Promise<void> {
  terminal.ring();
  const [first] = jobs;
  if (first === undefined) return;
  const done = jobs.filter(({ state }) => state === 'done').length;
  await showNotice(
    jobs.length === 1
      ? {
          title: `Video ${STATE_WORDS[first.state]}`,
          text: oneLine(first.request.prompt ?? headOf(first)).slice(0, 200),
        }
      : { title: 'Gatehouse', text: `${done} of ${counted(jobs.length, 'video')} done` },
    environment,
  );
}
