import { type VideoDetail, type VideoFilter, type VideoJob, VideoState } from '../shared/video.ts';
import { counted, moment, shorten, span } from './figures.ts';
import { readWhole } from './numbers.ts';
import { UsageProblem } from './problem.ts';
import { withRooms } from './rooms.ts';
import type { Rooms } from './rooms.ts';
import type { Shell } from './shell.ts';
import type { TableOf } from './table.ts';
import { findVideo } from './video-find.ts';
import {
  chargeWords,
  endWords,
  headOf,
  isUnderWay,
  liveWords,
  oneLine,
  STATE_WORDS,
  stateName,
} from './video-words.ts';

export interface ListFlags {
  readonly state?: readonly string[];
  readonly limit: string;
  readonly json?: boolean;
  readonly data?: string;
}

const PAGE = 200;

/** `gatehouse video list`: waiting ones first, in their order, then the others, newest first. */
export async function listVideos(shell: Shell, flags: ListFlags): Promise<void> {
  const { state: states = [] } = flags;
  const filter = readFilter(states);
  const limit = readWhole(flags.limit, { name: '--limit', from: 1, to: 100_000 });
  await withRooms(shell, flags.data, async (rooms) => {
    const { jobs, counts } = await readPages(rooms, filter, limit);
    const damaged = await rooms.videos.damaged();
    if (flags.json === true) {
      shell.terminal.printJson({ videos: jobs, counts, damaged });
      return;
    }
    if (jobs.length > 0) {
      shell.terminal.printTable(videoTable(jobs, shell.now()));
    } else if (damaged.length === 0) {
      shell.terminal.say(
        states.length > 0
          ? 'No video is in this state.'
          : `There is no video yet. Order one: ${shell.command} video new --image FILE --prompt TEXT`,
      );
    }
    if (damaged.length > 0) shell.terminal.complain(damagedWords(damaged, shell.command));
  });
}

/** Of videos whose rows are damaged, with what to do. */
export function damagedWords(ids: readonly string[], command: string): string {
  const which =
    ids.length === 1
      ? `The video ${oneLine(ids.join())} is damaged in gatehouse.db: it is not shown, and nothing is sent for it.`
      : `${counted(ids.length, 'video')} are damaged in gatehouse.db: they are not shown, and nothing is sent for them (${oneLine(ids.join(', '))}).`;
  return `${which} Copies of the database may have more: ${command} restore`;
}

/** @throws UsageProblem */
function readFilter(states: readonly string[]): VideoFilter {
  if (states.length === 0) return {};
  return {
    states: states.map((text) => {
      const wanted = text.trim().toLowerCase();
      const state = VideoState.options.find(
        (name) => name === wanted || STATE_WORDS[name] === wanted,
      );
      if (state !== undefined) return state;
      throw new UsageProblem(
        `--state takes one of: ${VideoState.options.map(stateName).join(', ')}.`,
      );
    }),
  };
}

async function readPages({ videos }: Rooms, filter: VideoFilter, limit: number) {
  const jobs: VideoJob[] = [];
  let page = await videos.page({ filter, limit: Math.min(PAGE, limit) });
  const { counts } = page;
  jobs.push(...page.jobs);
  while (page.next !== null && jobs.length < limit) {
    const rest = Math.min(PAGE, limit - jobs.length);
    page = await videos.page({ filter, limit: rest, after: page.next });
    jobs.push(...page.jobs);
  }
  return { jobs, counts };
}

function videoTable(jobs: readonly VideoJob[], now: number): TableOf {
  return {
    head: ['Id', 'State', 'Prompt', 'Model', 'Charge', 'Began'],
    rows: jobs.map((job) => [
      headOf(job),
      isUnderWay(job) ? shorten(liveWords(job, now), 60) : STATE_WORDS[job.state],
      shorten(oneLine(job.request.prompt ?? '–'), 60),
      job.request.model ?? '–',
      chargeWords(job),
      `${span(now - job.createdAt)} ago`,
    ]),
    narrowing: [
      { cut: 2, least: 24 },
      { below: [3, 4] },
      { cut: 1, least: 20 },
      { cut: 2, least: 10 },
    ],
  };
}

/** `gatehouse video list ID`: everything of one job, with the answers of the service as they came. */
export async function showVideo(shell: Shell, id: string, flags: ListFlags): Promise<void> {
  const { terminal, command, now } = shell;
  await withRooms(shell, flags.data, async (rooms) => {
    const detail = await findVideo(rooms, id);
    if (flags.json === true) {
      terminal.printJson({ video: detail.job, answers: detail.answers });
      return;
    }
    for (const [name, text] of describe(detail, now())) {
      if (text !== '') terminal.say(text, { first: name.padEnd(NAME_WIDTH), width: NAME_WIDTH });
    }
    if (!isUnderWay(detail.job)) terminal.say(`\n${endWords(detail.job, command)}`);
  });
}

const NAME_WIDTH = 12;

function describe(
  { job, answers }: VideoDetail,
  now: number,
): readonly (readonly [string, string])[] {
  const { request, image } = job;
  const more = Object.keys(request.more).length === 0 ? '' : JSON.stringify(request.more);
  const form = [request.model, request.task, request.resolution].filter((part) => part !== null);
  const by = { window: 'in the window', command: 'at the command line', client: job.clientName };
  return [
    ['Video', job.id],
    ['State', isUnderWay(job) ? liveWords(job, now) : STATE_WORDS[job.state]],
    ['Prompt', oneLine(request.prompt ?? '')],
    [
      'Request',
      [...form, request.seconds === null ? '' : `${request.seconds} s`].filter(Boolean).join(', '),
    ],
    ['  more', more],
    ['Image', image === null ? '' : `${oneLine(image.name)} (${image.type})`],
    [
      'Ordered',
      `${moment(job.createdAt)}, ${by[job.origin] ?? 'by a client'}, from ${job.service.name}`,
    ],
    ['Sent', job.submittedAt === null ? 'nothing yet' : moment(job.submittedAt)],
    ['Task', job.taskId ?? ''],
    ['Word', job.word === null ? '' : `"${oneLine(job.word)}"`],
    ['Charge', chargeWords(job)],
    ...answers.flatMap(({ stage, at, times, status, text }): [string, string][] => [
      [
        'Answer',
        `${stage}, ${moment(at)}, ${status ?? 'none'}${times > 1 ? `, ${times} times the same` : ''}`,
      ],
      ['', oneLine(text)],
    ]),
  ];
}
