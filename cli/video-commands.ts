import type { Command } from 'commander';
import { DEFAULT_VIDEO_REQUEST, type VideoId, VideoState } from '../shared/video.ts';
import { withRooms } from './rooms.ts';
import type { Rooms } from './rooms.ts';
import type { Shell } from './shell.ts';
import { attendVideos } from './video-attend.ts';
import { answerVideo, cancelVideo, removeVideo, resumeVideo } from './video-decide.ts';
import type { AnswerFlags, RemoveFlags, ResumeFlags } from './video-decide.ts';
import { planCopy } from './video-file.ts';
import type { CopyFlags } from './video-file.ts';
import { findVideo } from './video-find.ts';
import { listVideos, showVideo } from './video-list.ts';
import type { ListFlags } from './video-list.ts';
import { newVideos } from './video-new.ts';
import type { NewFlags } from './video-new.ts';
import { reportVideos } from './video-report.ts';
import { isUnderWay, stateName } from './video-words.ts';

interface UsualFlags {
  readonly json?: boolean;
  readonly data?: string;
}

/** `gatehouse video …`: videos from reference image to file, in a queue where nothing is lost and nothing paid twice. */
export function addVideoCommands(program: Command, shell: Shell, version: string): void {
  const video = program
    .command('video')
    .helpCommand(false)
    .description('order videos and get them');
  addNew(video, shell, version);
  addLooking(video, shell, version);
  addDeciding(video, shell, version);
}

const newHelp = (command: string) => `
One submission is one charge: it is ordered after a yes, or with --yes. Several images
make several videos. With --wait or --out, and at a terminal where no Gatehouse runs,
the command waits; Ctrl-C ends the waiting, never the job.

Examples:
  ${command} video new --image fox.png --prompt "A red fox runs in snow"
  ${command} video new --image fox.png --prompt "It turns around" --yes --out fox.mp4`;

function addNew(video: Command, shell: Shell, version: string): void {
  const usual = DEFAULT_VIDEO_REQUEST;
  const command = video
    .command('new')
    .description('order a video')
    .option('--image <file>', 'reference image; may be repeated', collect)
    .requiredOption('--prompt <text>', 'what the video should show')
    .option('--model <id>', 'video model', usual.model)
    .option('--task <type>', 'task type', usual.task)
    .option('--seconds <number>', 'length', usual.seconds)
    .option('--resolution <size>', 'resolution', usual.resolution)
    .option('--field <name=json>', 'one more field for the service; may be repeated', collect)
    .option('--minutes <number>', 'how long to ask for it', '30')
    .option('--wait', 'wait until it is there')
    .option('--out <file>', 'wait, and copy it to this file or into this folder')
    .option('--force', 'replace the file of --out')
    .option('--yes', 'order without asking')
    .addHelpText('after', newHelp(shell.command));
  withUsualFlags(command).action(async (flags: NewFlags) => await newVideos(shell, flags, version));
}

const listHelp = `\nStates:\n${VideoState.options.map((state) => `  ${stateName(state)}`).join('\n')}`;

function addLooking(video: Command, shell: Shell, version: string): void {
  const list = video
    .command('list')
    .description('list videos; with an id, show everything of one')
    .argument('[id]', 'the id of a video, or as much of it as is unique')
    .option('--state <state>', 'only this state; may be repeated', collect)
    .option('--limit <number>', 'how many', '20')
    .addHelpText('after', listHelp);
  withUsualFlags(list).action(async (id: string | undefined, flags: ListFlags) =>
    id === undefined ? await listVideos(shell, flags) : await showVideo(shell, id, flags),
  );
  const watching = video
    .command('watch')
    .description('wait for videos; runs them where no Gatehouse does')
    .argument('[ids...]', 'their ids; all that are under way unless given');
  withUsualFlags(watching).action(
    async (ids: readonly string[], flags: UsualFlags) =>
      await watch(shell, ids, { flags, version }),
  );
  const getting = video
    .command('get')
    .description('copy a finished video')
    .argument('<id>', 'its id')
    .option('--out <file>', 'a file or a folder (default: this folder)')
    .option('--force', 'replace a file that is there');
  withUsualFlags(getting).action(
    async (id: string, flags: UsualFlags & CopyFlags) => await get(shell, id, flags),
  );
}

function addDeciding(video: Command, shell: Shell, version: string): void {
  const answer = video
    .command('answer')
    .description('tell what Gatehouse could not: once for a service, or for one video')
    .argument('<id>', 'the id of the video')
    .option('--pointer <place>', 'where the value stands in the answer; remembered')
    .option('--value <text>', 'the value, for this video')
    .option('--id <task>', 'the id that the service gave it')
    .option('--word <meaning>', 'what its status word means: working, failed, completed');
  withUsualFlags(answer).action(
    async (id: string, flags: AnswerFlags) => await answerVideo(shell, id, flags),
  );
  const resume = video
    .command('resume')
    .description('go on with a video that stopped; asks before a new charge')
    .argument('<id>', 'the id of the video')
    .option('--minutes <number>', 'how long to ask for it')
    .option('--submit-again', 'order once more what may have been ordered: a second charge')
    .option('--wait', 'wait until it is there')
    .option('--yes', 'order without asking');
  withUsualFlags(resume).action(
    async (id: string, flags: ResumeFlags) => await resumeVideo(shell, id, { flags, version }),
  );
  const cancel = video
    .command('cancel')
    .description('stop asking for a video; what was ordered stays charged')
    .argument('<id>', 'its id');
  withUsualFlags(cancel).action(
    async (id: string, flags: UsualFlags) => await cancelVideo(shell, id, flags),
  );
  const remove = video
    .command('remove')
    .description('take a video off the list')
    .argument('<id>', 'its id')
    .option('--delete-file', 'delete its file, too');
  withUsualFlags(remove).action(
    async (id: string, flags: RemoveFlags) => await removeVideo(shell, id, flags),
  );
}

function withUsualFlags(command: Command): Command {
  return command.option('--json', 'print JSON').option('--data <dir>', 'data folder');
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

interface WatchPlan {
  readonly flags: UsualFlags;
  readonly version: string;
}

async function watch(
  shell: Shell,
  heads: readonly string[],
  { flags, version }: WatchPlan,
): Promise<void> {
  await withRooms(shell, flags.data, async (rooms) => {
    const found = await Promise.all(heads.map(async (head) => (await findVideo(rooms, head)).job));
    const jobs = heads.length === 0 ? await findUnderWay(rooms) : found;
    const plan = { json: flags.json === true, copy: null };
    if (jobs.length === 0 && !plan.json) {
      shell.terminal.say('No video is under way.');
      return;
    }
    const begin = (): Promise<readonly VideoId[]> => Promise.resolve(jobs.map(({ id }) => id));
    const ended = jobs.some(isUnderWay)
      ? await attendVideos({ shell, rooms, version }, begin)
      : { jobs, stopped: null };
    await reportVideos(shell, ended.jobs, { ...plan, stopped: ended.stopped });
  });
}

/** The first two hundred of them. */
async function findUnderWay({ videos }: Rooms) {
  const states = VideoState.options.filter((state) => isUnderWay({ state }));
  return (await videos.page({ filter: { states }, limit: 200 })).jobs;
}

async function get(shell: Shell, id: string, flags: UsualFlags & CopyFlags): Promise<void> {
  const copy = await planCopy({ ...flags, out: flags.out ?? '.' }, 1);
  await withRooms(shell, flags.data, async (rooms) => {
    const { job } = await findVideo(rooms, id);
    await reportVideos(shell, [job], { json: flags.json === true, copy });
  });
}
