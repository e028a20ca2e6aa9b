import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Sandbox, VideoOrder } from '../../../sandbox/server.ts';
import type { VideoJob } from '../../../shared/video.ts';
import { play, PLAYER_INSTALLED } from '../../kit/player.ts';
import { SECONDS, type Wish } from './wishes.ts';

/** In each second of a video of the sandbox. */
const FRAMES = 12;

/** What is known of a story at some moment. */
export interface Evidence {
  readonly wishes: readonly Wish[];
  readonly jobs: readonly VideoJob[];
  readonly orders: readonly VideoOrder[];
  /** How many submissions were confirmed, by prompt. */
  readonly confirmed: ReadonlyMap<string, number>;
}

/** More orders than were confirmed: wrong at any moment. */
export function checkCharges({ wishes, orders, confirmed }: Evidence): readonly string[] {
  return wishes.flatMap(({ prompt }) => {
    const made = orders.filter((order) => order.prompt === prompt).length;
    const allowed = confirmed.get(prompt) ?? 0;
    return made <= allowed ? [] : [`${made} orders for ${allowed} confirmed: "${prompt}"`];
  });
}

/** States in which a person will be told that there may be an order, or the answer to it is kept. */
const TOLD: readonly VideoJob['state'][] = ['submitting', 'unsure', 'identifying', 'needs-answer'];

/** Orders that no job knows of, while no engine runs. */
export function checkKnown({ wishes, jobs, orders, confirmed }: Evidence): readonly string[] {
  return wishes.flatMap(({ prompt }) => {
    const made = orders.filter((order) => order.prompt === prompt);
    const allowed = confirmed.get(prompt) ?? 0;
    // Who sends again gives up the order before, knowingly.
    const owed = allowed === 1 ? made : allowed <= made.length ? made.slice(-1) : [];
    const own = jobs.filter((job) => job.request.prompt === prompt);
    const twice = own.length > 1 ? [`${own.length} jobs for "${prompt}"`] : [];
    const lost = owed.filter(({ id }) => !own.some((job) => knows(job, id)));
    return [...twice, ...lost.map(({ id }) => `Nobody knows of ${id}: ${JSON.stringify(own)}`)];
  });
}

/**
 * Asking which of the ids it is may have stopped, too: then it goes on when a person wants it, with the same answer. An order that was on
 * its way to the service when a person gave it up may arrive after that: its job says that it may be charged.
 */
function knows({ taskId, state, charged }: VideoJob, id: string): boolean {
  if (taskId === id || TOLD.includes(state)) return true;
  return (
    taskId === null && (state === 'timed-out' || (state === 'cancelled' && charged === 'maybe'))
  );
}

/** What is wrong at the end: a completed video that is not here byte for byte, or a job that did not end as it should. */
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
  readonly wish: Wish;
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

/** Files in the folder of videos that are no finished video: parts that nobody fetches any more, or a video that is there twice. */
export async function checkFolder({ jobs }: Evidence, folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const wanted = new Set(jobs.map(({ file }) => file?.path));
  const images = join(folder, 'images', sep);
  return paths
    .filter((path) => !wanted.has(path) && !path.startsWith(images))
    .map((path) => `Nobody knows the file ${path}`);
}

/** Whether a player shows the whole video; always where there is no player. */
export async function plays({ file }: VideoJob): Promise<boolean> {
  if (!PLAYER_INSTALLED || file === null) return true;
  const { found, complaints } = play(await readFile(file.path));
  return complaints === '' && found.join(' ') === `${SECONDS * FRAMES} ${SECONDS}.000000`;
}
