import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Sandbox, VideoOrder } from '../../../sandbox/server.ts';
import type { VideoJob } from '../../../shared/video/video.ts';
import { play, PLAYER_INSTALLED } from '../../kit/process/player.ts';
import { SECONDS, type Plan } from './planned-actions.ts';

/** Frames in each second of a video of the sandbox. */
const FRAMES = 12;

/** The state of a scenario at some moment. */
export interface Evidence {
  readonly wishes: readonly Plan[];
  readonly jobs: readonly VideoJob[];
  readonly orders: readonly VideoOrder[];
  /** Number of confirmed submissions by prompt. */
  readonly confirmed: ReadonlyMap<string, number>;
}

/** Finds prompts with more orders than confirmations, which is wrong at any moment. */
export function checkCharges({ wishes, orders, confirmed }: Evidence): readonly string[] {
  return wishes.flatMap(({ prompt }) => {
    const made = orders.filter((order) => order.prompt === prompt).length;
    const allowed = confirmed.get(prompt) ?? 0;
    return made <= allowed ? [] : [`${made} orders for ${allowed} confirmed: "${prompt}"`];
  });
}

/** States in which the user will be asked about a possible order, or its response is stored. */
const AFTER_SUBMISSION: readonly VideoJob['state'][] = [
  'submitting',
  'unsure',
  'identifying',
  'needs-answer',
];

/** Finds orders that no job knows of, while no engine runs. */
export function checkKnown({ wishes, jobs, orders, confirmed }: Evidence): readonly string[] {
  return wishes.flatMap(({ prompt }) => {
    const made = orders.filter((order) => order.prompt === prompt);
    const allowed = confirmed.get(prompt) ?? 0;
    // A user who sends an order again gives up the previous one knowingly.
    const owed = allowed === 1 ? made : allowed <= made.length ? made.slice(-1) : [];
    const own = jobs.filter((job) => job.request.prompt === prompt);
    const twice = own.length > 1 ? [`${own.length} jobs for "${prompt}"`] : [];
    const lost = owed.filter(({ id }) => !own.some((job) => knows(job, id)));
    return [...twice, ...lost.map(({ id }) => `Nobody knows of ${id}: ${JSON.stringify(own)}`)];
  });
}

/**
 * Waiting for the choice of an id may have stopped, too: it continues when the user asks for it, with the same response. An order that
 * was being sent when a user gave it up may arrive after that: its job says that it may be charged.
 */
function knows({ taskId, state, charged }: VideoJob, id: string): boolean {
  if (taskId === id || AFTER_SUBMISSION.includes(state)) return true;
  return (
    taskId === null && (state === 'timed-out' || (state === 'cancelled' && charged === 'maybe'))
  );
}

/** Finds what is wrong at the end: a completed video that is not here byte for byte, or a job that did not end as expected. */
export async function checkEnds(evidence: Evidence, sandbox: Sandbox): Promise<readonly string[]> {
  const wrongs: string[] = [];
  for (const wish of evidence.wishes) {
    const job = evidence.jobs.find(({ request }) => request.prompt === wish.prompt);
    const order = evidence.orders.find(({ id }) => id === job?.taskId);
    const wrong =
      job === undefined ? 'There is no job' : await wrongWith(job, { wish, order, sandbox });
    if (wrong !== null) wrongs.push(`${wrong}: "${wish.prompt}" ${JSON.stringify(job)}`);
  }
  return wrongs;
}

interface Other {
  readonly wish: Plan;
  readonly order: VideoOrder | undefined;
  readonly sandbox: Sandbox;
}

async function wrongWith(job: VideoJob, { wish, order, sandbox }: Other): Promise<string | null> {
  if (job.state === 'cancelled') return order === undefined ? null : 'Given up, but ordered';
  if (order === undefined) return 'Its task is none of the service';
  if (job.charged !== 'yes') return `Ordered, but charged: ${job.charged}`;
  if (wish.fails) return job.state === 'failed' ? null : `Should have failed, is ${job.state}`;
  if (job.state !== 'done') return `Should be done, is ${job.state}`;
  if (job.file === null) return 'Done without a file';
  const bytes = await readFile(job.file.path);
  return bytes.equals(await sandbox.video(order)) ? null : 'The file is not the video';
}

/** Finds files in the folder of videos that are not a finished video: parts that are no longer fetched, or duplicates. */
export async function checkFolder({ jobs }: Evidence, folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const wanted = new Set(jobs.map(({ file }) => file?.path));
  const images = join(folder, 'images', sep);
  return paths
    .filter((path) => !wanted.has(path) && !path.startsWith(images))
    .map((path) => `Nobody knows the file ${path}`);
}

/** Returns whether ffprobe decodes the complete video; always true where it is not installed. */
export async function plays({ file }: VideoJob): Promise<boolean> {
  if (!PLAYER_INSTALLED || file === null) return true;
  const { found, complaints } = play(await readFile(file.path));
  return complaints === '' && found.join(' ') === `${SECONDS * FRAMES} ${SECONDS}.000000`;
}
