import { isFree } from '../../../shared/money/charge.ts';
import {
  type VideoAction,
  VideoAction as VideoActSchema,
  type VideoJob,
  StatusMeaning,
} from '../../../shared/video/video.ts';
import { readLockOwner } from '../../../host/lock/instance-lock.ts';
import { parseInteger } from '../../arguments/parse-numbers.ts';
import { UsageError } from '../../errors.ts';
import { withRepositories, type CommandRepositories } from '../../with-repositories.ts';
import type { CommandContext } from '../../command-context.ts';
import { runAndWait } from './run-and-wait.ts';
import { requireConsent } from './consent.ts';
import { findVideo } from './find.ts';
import { toResumeAction } from './resume.ts';
import { describeOrderCost } from './order-cost.ts';
import { reportVideos } from './report.ts';
import {
  formatChange,
  describePause,
  describeChargeBriefly,
  describeOutcome,
  shortId,
  isActive,
} from '../../output/format-video.ts';

interface Flags {
  readonly json?: boolean;
  readonly data?: string;
}

export interface AnswerFlags extends Flags {
  readonly pointer?: string;
  readonly value?: string;
  readonly id?: string;
  readonly word?: string;
}

export interface ResumeFlags extends Flags {
  readonly minutes?: string;
  readonly submitAgain?: boolean;
  readonly wait?: boolean;
  readonly yes?: boolean;
}

export interface RemoveFlags extends Flags {
  readonly deleteFile?: boolean;
}

/** Defines `gatehouse video answer`, with which a person explains an answer of the service. */
export async function answerVideo(
  context: CommandContext,
  id: string,
  flags: AnswerFlags,
): Promise<void> {
  const action = toAnswerAction(flags);
  await withRepositories(context, flags.data, async (repositories) => {
    const { job } = await findVideo(repositories, id);
    await printNextStep(context, repositories, {
      flags,
      job: await repositories.videos.act(job.id, action),
    });
  });
}

/** Parses the decision. @throws UsageError */
function toAnswerAction({ pointer, value, id, word }: AnswerFlags): VideoAction {
  const acts = [
    ...(pointer === undefined ? [] : [{ type: 'answer', pointer }]),
    ...(value === undefined ? [] : [{ type: 'answer-value', value }]),
    ...(id === undefined ? [] : [{ type: 'give-id', taskId: id }]),
    ...(word === undefined ? [] : [{ type: 'explain-word', meaning: word }]),
  ];
  if (acts.length !== 1) {
    throw new UsageError('Give exactly one of --pointer, --value, --id and --word.');
  }
  if (word !== undefined && !StatusMeaning.safeParse(word).success) {
    throw new UsageError(`--word takes one of: ${StatusMeaning.options.join(', ')}.`);
  }
  const read = VideoActSchema.safeParse(acts[0]);
  if (read.success) return read.data;
  throw new UsageError(read.error.issues[0]?.message ?? 'This cannot be used as an answer.');
}

/** Defines `gatehouse video resume`, which resumes a job that does not continue by itself, or extends its polling. */
export async function resumeVideo(
  context: CommandContext,
  id: string,
  { flags, version }: { readonly flags: ResumeFlags; readonly version: string },
): Promise<void> {
  const minutes = parseMinutes(flags.minutes);
  await withRepositories(context, flags.data, async (repositories) => {
    const { job } = await findVideo(repositories, id);
    const { currency } = repositories.settings.current();
    const action = toResumeAction(
      job,
      { minutes, submitAgain: flags.submitAgain === true },
      { command: context.command, currency },
    );
    if (action.type === 'submit-again' || action.type === 'confirm') {
      const free = isFree(job.service.id);
      const cost = describeOrderCost(
        repositories,
        { service: job.service.address, request: job.request, count: 1 },
        context.command,
      );
      context.terminal.printError(
        free ? `${SANDBOX_NOTICE[action.type]}: ${cost}.` : `${CHARGE_NOTICE[action.type]} ${cost}`,
      );
      await requireConsent(context, { yes: flags.yes === true, question: 'Order it?', free });
    }
    const decide = async () => [(await repositories.videos.act(job.id, action)).id];
    const alone = (await readLockOwner(repositories.host.dataDir)) === null;
    if (flags.wait === true || (alone && context.terminal.interactive)) {
      const { jobs, stopped } = await runAndWait({ context, repositories, version }, decide);
      await reportVideos(context, jobs, {
        json: flags.json === true,
        currency,
        copy: null,
        stopped,
      });
    } else {
      await decide();
      await printNextStep(context, repositories, {
        flags,
        job: (await repositories.videos.get(job.id)).job,
      });
    }
  });
}

const CHARGE_NOTICE = {
  'submit-again':
    'The order is sent again as a new one. If the service took the first one after all, it makes two videos and charges both. Check its console first.',
  confirm: 'One order is one charge.',
};
const SANDBOX_NOTICE = {
  'submit-again': 'The order is sent again as a new one',
  confirm: 'The sandbox only simulates it',
};

function parseMinutes(text: string | undefined): number | null {
  return text === undefined
    ? null
    : parseInteger(text, { name: '--minutes', from: 1, to: 7 * 24 * 60 });
}

/** Defines `gatehouse video cancel`, which stops polling. */
export async function cancelVideo(
  context: CommandContext,
  id: string,
  flags: Flags,
): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const { job } = await findVideo(repositories, id);
    const cancelled = await repositories.videos.act(job.id, { type: 'cancel' });
    if (flags.json === true) context.terminal.printJson({ videos: [cancelled] });
    else
      context.terminal.printText(
        `Video ${shortId(job)}: ${describeOutcome(cancelled, { command: context.command, currency: repositories.settings.current().currency })}`,
      );
  });
}

/** Defines `gatehouse video remove`, which removes a job from the list. */
export async function removeVideo(
  context: CommandContext,
  id: string,
  flags: RemoveFlags,
): Promise<void> {
  const { terminal } = context;
  await withRepositories(context, flags.data, async (repositories) => {
    const { job } = await findVideo(repositories, id);
    const { file } = job;
    await repositories.videos.remove(job.id, flags.deleteFile === true);
    if (flags.json === true) {
      terminal.printJson({ videos: [job] });
      return;
    }
    const stays = file?.present === true && flags.deleteFile !== true;
    const rest = stays ? ` Its file is kept:\n  ${file.path}` : '';
    terminal.printText(
      `Video ${shortId(job)} was removed from the list (${describeChargeBriefly(job, repositories.settings.current().currency)}).${rest}`,
    );
  });
}

/** Describes what a job does after a decision. */
async function printNextStep(
  { terminal, command }: CommandContext,
  { host, settings }: CommandRepositories,
  { flags, job }: { readonly flags: Flags; readonly job: VideoJob },
): Promise<void> {
  if (flags.json === true) {
    terminal.printJson({ videos: [job] });
    return;
  }
  const owner = await readLockOwner(host.dataDir);
  const pause = describePause(owner?.paused === true, command);
  const description = isActive(job)
    ? `${formatChange(job, pause)}.`
    : describeOutcome(job, { command, currency: settings.current().currency });
  terminal.printText(`Video ${shortId(job)}: ${description}`);
  if (isActive(job)) {
    terminal.printError(
      `${owner === null ? 'It continues once Gatehouse runs, or while this command does:' : 'To watch it:'}\n  ${command} video watch ${shortId(job)}`,
    );
  }
}
