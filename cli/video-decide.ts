import {
  type VideoAct,
  VideoAct as VideoActSchema,
  type VideoJob,
  WordMeaning,
} from '../shared/video.ts';
import { readHolder } from '../hosting/lock.ts';
import { readWhole } from './numbers.ts';
import { UsageProblem } from './problem.ts';
import { withRooms } from './rooms.ts';
import type { Rooms } from './rooms.ts';
import type { Shell } from './shell.ts';
import { attendVideos } from './video-attend.ts';
import { requireConsent } from './video-consent.ts';
import { findVideo } from './video-find.ts';
import { resumption } from './video-resume.ts';
import { reportVideos } from './video-report.ts';
import { changeWords, chargeWords, endWords, headOf, isUnderWay } from './video-words.ts';

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

/** `gatehouse video answer`: what only a person can tell about an answer of the service. */
export async function answerVideo(shell: Shell, id: string, flags: AnswerFlags): Promise<void> {
  const act = readAnswer(flags);
  await withRooms(shell, flags.data, async (rooms) => {
    const { job } = await findVideo(rooms, id);
    await tellNext(shell, rooms, { flags, job: await rooms.videos.act(job.id, act) });
  });
}

/** @throws UsageProblem */
function readAnswer({ pointer, value, id, word }: AnswerFlags): VideoAct {
  const acts = [
    ...(pointer === undefined ? [] : [{ act: 'answer', pointer }]),
    ...(value === undefined ? [] : [{ act: 'answer-value', value }]),
    ...(id === undefined ? [] : [{ act: 'give-id', taskId: id }]),
    ...(word === undefined ? [] : [{ act: 'explain-word', meaning: word }]),
  ];
  if (acts.length !== 1) {
    throw new UsageProblem('Give exactly one of --pointer, --value, --id and --word.');
  }
  if (word !== undefined && !WordMeaning.safeParse(word).success) {
    throw new UsageProblem(`--word takes one of: ${WordMeaning.options.join(', ')}.`);
  }
  const read = VideoActSchema.safeParse(acts[0]);
  if (read.success) return read.data;
  throw new UsageProblem(read.error.issues[0]?.message ?? 'This cannot be used as an answer.');
}

/** `gatehouse video resume`: goes on with a job that does not go on by itself, or asks for longer. */
export async function resumeVideo(
  shell: Shell,
  id: string,
  { flags, version }: { readonly flags: ResumeFlags; readonly version: string },
): Promise<void> {
  const minutes = readMinutes(flags.minutes);
  await withRooms(shell, flags.data, async (rooms) => {
    const { job } = await findVideo(rooms, id);
    const act = resumption(
      job,
      { minutes, submitAgain: flags.submitAgain === true },
      shell.command,
    );
    if (act.act === 'submit-again' || act.act === 'confirm') {
      shell.terminal.complain(PRICES[act.act]);
      await requireConsent(shell, { yes: flags.yes === true, question: 'Order it?' });
    }
    const decide = async () => [(await rooms.videos.act(job.id, act)).id];
    const alone = (await readHolder(rooms.host.dataDir)) === null;
    if (flags.wait === true || (alone && shell.terminal.interactive)) {
      const { jobs, stopped } = await attendVideos({ shell, rooms, version }, decide);
      await reportVideos(shell, jobs, { json: flags.json === true, copy: null, stopped });
    } else {
      await decide();
      await tellNext(shell, rooms, { flags, job: (await rooms.videos.get(job.id)).job });
    }
  });
}

const PRICES = {
  'submit-again':
    'The order is sent again as a new one. If the service took the first one after all, it makes two videos and charges both. Look into its console first.',
  confirm: 'One submission is one charge.',
};

function readMinutes(text: string | undefined): number | null {
  return text === undefined
    ? null
    : readWhole(text, { name: '--minutes', from: 1, to: 7 * 24 * 60 });
}

/** `gatehouse video cancel`: stops asking. */
export async function cancelVideo(shell: Shell, id: string, flags: Flags): Promise<void> {
  await withRooms(shell, flags.data, async (rooms) => {
    const { job } = await findVideo(rooms, id);
    const cancelled = await rooms.videos.act(job.id, { act: 'cancel' });
    if (flags.json === true) shell.terminal.printJson({ videos: [cancelled] });
    else shell.terminal.say(`Video ${headOf(job)}: ${endWords(cancelled, shell.command)}`);
  });
}

/** `gatehouse video remove`: takes a job off the list. */
export async function removeVideo(shell: Shell, id: string, flags: RemoveFlags): Promise<void> {
  const { terminal } = shell;
  await withRooms(shell, flags.data, async (rooms) => {
    const { job } = await findVideo(rooms, id);
    const { file } = job;
    await rooms.videos.remove(job.id, flags.deleteFile === true);
    if (flags.json === true) {
      terminal.printJson({ videos: [job] });
      return;
    }
    const stays = file?.present === true && flags.deleteFile !== true;
    const rest = stays ? ` Its file stays:\n  ${file.path}` : '';
    terminal.say(`Video ${headOf(job)} is off the list (${chargeWords(job)}).${rest}`);
  });
}

/** What a job does after somebody has decided something about it. */
async function tellNext(
  { terminal, command }: Shell,
  { host }: Rooms,
  { flags, job }: { readonly flags: Flags; readonly job: VideoJob },
): Promise<void> {
  if (flags.json === true) {
    terminal.printJson({ videos: [job] });
    return;
  }
  const words = isUnderWay(job) ? `${changeWords(job)}.` : endWords(job, command);
  terminal.say(`Video ${headOf(job)}: ${words}`);
  if (isUnderWay(job)) {
    const holder = await readHolder(host.dataDir);
    terminal.complain(
      `${holder === null ? 'It goes on once Gatehouse runs, or while this does:' : 'To look on:'}\n  ${command} video watch ${headOf(job)}`,
    );
  }
}
