import {
  type VideoDetail,
  type VideoFilter,
  type VideoJob,
  VideoState,
} from '../../../shared/video/video.ts';
import { formatTimestamp, truncate, formatElapsed } from '../../output/format.ts';
import { describeDamagedVideos } from '../../../gateway/doctor/doctor.ts';
import { parseInteger } from '../../arguments/parse-numbers.ts';
import { UsageError } from '../../errors.ts';
import { readLockOwner } from '../../../host/lock/instance-lock.ts';
import { withRepositories, type CommandRepositories } from '../../with-repositories.ts';
import type { CommandContext } from '../../command-context.ts';
import type { TableData } from '../../output/table.ts';
import { describeCharge } from '../../../shared/video/describe-charge.ts';
import { findVideo } from './find.ts';
import {
  describeOutcome,
  describePause,
  describeUnpriced,
  shortId,
  isActive,
  formatLiveStatus,
  singleLine,
  STATE_LABELS,
  formatState,
} from '../../output/format-video.ts';

export interface ListFlags {
  readonly state?: readonly string[];
  readonly limit: string;
  readonly json?: boolean;
  readonly data?: string;
}

const PAGE_SIZE = 200;
/** The longest state in the table; that of a paused one with its command is whole. */
const MAX_STATE = 80;

/** Defines `gatehouse video list`: waiting ones first, in their order, then the others, newest first. */
export async function listVideos(context: CommandContext, flags: ListFlags): Promise<void> {
  const { state: states = [] } = flags;
  const filter = parseFilter(states);
  const limit = parseInteger(flags.limit, { name: '--limit', from: 1, to: 100_000 });
  await withRepositories(context, flags.data, async (repositories) => {
    const { jobs, counts } = await readPages(repositories, filter, limit);
    const damaged = await repositories.videos.damaged();
    if (flags.json === true) {
      context.terminal.printJson({ videos: jobs, counts, damaged });
      return;
    }
    if (jobs.length > 0) {
      const pause = await findPause(context, repositories);
      const { currency } = repositories.settings.current();
      await context.terminal.printTable(videoTable(jobs, { currency, now: context.now(), pause }));
      const unpriced = describeMissingPrices(jobs, context, repositories);
      if (unpriced !== null) context.terminal.printError(unpriced);
    } else if (damaged.length === 0) {
      context.terminal.printText(
        states.length > 0
          ? 'No video is in this state.'
          : `There is no video yet. Order one: ${context.command} video new --image FILE --prompt TEXT`,
      );
    }
    if (damaged.length > 0) {
      const ids = damaged.map((id) => singleLine(id));
      context.terminal.printError(describeDamagedVideos(ids, context.command));
    }
  });
}

/** Parses the filter. @throws UsageError */
function parseFilter(states: readonly string[]): VideoFilter {
  if (states.length === 0) return {};
  return {
    states: states.map((text) => {
      const normalized = text.trim().toLowerCase();
      const state = VideoState.options.find(
        (name) => name === normalized || STATE_LABELS[name] === normalized,
      );
      if (state !== undefined) return state;
      throw new UsageError(
        `--state takes one of: ${VideoState.options.map(formatState).join(', ')}.`,
      );
    }),
  };
}

async function readPages({ videos }: CommandRepositories, filter: VideoFilter, limit: number) {
  const jobs: VideoJob[] = [];
  let page = await videos.page({ filter, limit: Math.min(PAGE_SIZE, limit) });
  const { counts } = page;
  jobs.push(...page.jobs);
  while (page.next !== null && jobs.length < limit) {
    const rest = Math.min(PAGE_SIZE, limit - jobs.length);
    page = await videos.page({ filter, limit: rest, after: page.next });
    jobs.push(...page.jobs);
  }
  return { jobs, counts };
}

/** Says why nothing is ordered now, if the Gatehouse of the data folder is paused. */
async function findPause(
  { command }: CommandContext,
  { host }: CommandRepositories,
): Promise<string | null> {
  return describePause((await readLockOwner(host.dataDir))?.paused === true, command);
}

interface ListContext {
  readonly currency: string;
  readonly now: number;
  /** Why nothing is ordered now. */
  readonly pause: string | null;
}

function videoTable(jobs: readonly VideoJob[], { currency, now, pause }: ListContext): TableData {
  return {
    head: ['Id', 'State', 'Prompt', 'Model', 'Charge', 'Began'],
    rows: jobs.map((job) => [
      shortId(job),
      isActive(job)
        ? truncate(formatLiveStatus(job, now, pause), MAX_STATE)
        : STATE_LABELS[job.state],
      truncate(singleLine(job.request.prompt ?? '–'), 60),
      job.request.model ?? '–',
      describeCharge(job, currency),
      `${formatElapsed(now - job.createdAt)} ago`,
    ]),
    narrowing: [
      { truncate: 2, minWidth: 24 },
      { below: [3, 4] },
      { truncate: 1, minWidth: 20 },
      { truncate: 2, minWidth: 10 },
    ],
  };
}

function describeMissingPrices(
  jobs: readonly VideoJob[],
  { command, now }: CommandContext,
  { prices }: CommandRepositories,
): string | null {
  const findPrice = (service: string, model: string) => prices.find(service, model, now());
  return describeUnpriced(jobs, { command, findPrice });
}

/** Defines `gatehouse video list ID`, which shows everything about one job, with the answers of the service as they were received. */
export async function showVideo(
  context: CommandContext,
  id: string,
  flags: ListFlags,
): Promise<void> {
  const { terminal, command, now } = context;
  await withRepositories(context, flags.data, async (repositories) => {
    const detail = await findVideo(repositories, id);
    if (flags.json === true) {
      terminal.printJson({ video: detail.job, answers: detail.answers });
      return;
    }
    const { currency } = repositories.settings.current();
    for (const [name, text] of describeVideo(detail, {
      currency,
      now: now(),
      pause: await findPause(context, repositories),
    })) {
      if (text !== '')
        terminal.printText(text, { first: name.padEnd(NAME_WIDTH), width: NAME_WIDTH });
    }
    if (!isActive(detail.job)) {
      terminal.printText(`\n${describeOutcome(detail.job, { command, currency })}`);
    }
    const unpriced = describeMissingPrices([detail.job], context, repositories);
    if (unpriced !== null) terminal.printText(`\n${unpriced}`);
  });
}

const NAME_WIDTH = 12;

function describeVideo(
  { job, answers }: VideoDetail,
  { currency, now, pause }: ListContext,
): readonly (readonly [string, string])[] {
  const { request, image } = job;
  const more = Object.keys(request.more).length === 0 ? '' : JSON.stringify(request.more);
  const form = [request.model, request.task, request.resolution].filter((part) => part !== null);
  const by = { window: 'in the window', command: 'at the command line', client: job.clientName };
  return [
    ['Video', job.id],
    ['State', isActive(job) ? formatLiveStatus(job, now, pause) : STATE_LABELS[job.state]],
    ['Prompt', singleLine(request.prompt ?? '')],
    [
      'Request',
      [...form, request.seconds === null ? '' : `${request.seconds} s`].filter(Boolean).join(', '),
    ],
    ['  more', more],
    ['Image', image === null ? '' : `${singleLine(image.name)} (${image.type})`],
    [
      'Ordered',
      `${formatTimestamp(job.createdAt)}, ${by[job.origin] ?? 'by a client'}, from ${job.service.name}`,
    ],
    ['Sent', job.submittedAt === null ? 'nothing yet' : formatTimestamp(job.submittedAt)],
    ['Task', job.taskId ?? ''],
    ['Status word', job.word === null ? '' : `"${singleLine(job.word)}"`],
    ['Charge', describeCharge(job, currency)],
    ...answers.flatMap(({ stage, at, times, status, text }): [string, string][] => [
      [
        'Answer',
        `${stage}, ${formatTimestamp(at)}, ${status ?? 'none'}${times > 1 ? `, ${times} times the same` : ''}`,
      ],
      ['', singleLine(text)],
    ]),
  ];
}
