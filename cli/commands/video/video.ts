import type { Command } from 'commander';
import { DEFAULT_VIDEO_REQUEST, type VideoId, VideoState } from '../../../shared/video/video.ts';
import { withRepositories, type CommandRepositories } from '../../with-repositories.ts';
import type { CommandContext } from '../../command-context.ts';
import { runAndWait } from './run-and-wait.ts';
import {
  answerVideo,
  cancelVideo,
  removeVideo,
  resumeVideo,
  type AnswerFlags,
  type RemoveFlags,
  type ResumeFlags,
} from './decide.ts';
import { planCopy, type CopyFlags } from './copy-file.ts';
import { findVideo } from './find.ts';
import { listVideos, showVideo, type ListFlags } from './list.ts';
import { newVideos, type NewFlags } from './new.ts';
import { reportVideos } from './report.ts';
import { isActive, formatState } from '../../output/format-video.ts';

interface CommonFlags {
  readonly json?: boolean;
  readonly data?: string;
}

/** Defines `gatehouse video`: videos from reference image to file, in a queue where nothing is lost and nothing is charged twice. */
export function addVideoCommands(program: Command, context: CommandContext, version: string): void {
  const video = program
    .command('video')
    .helpCommand(false)
    .description('order and download videos');
  addNewCommand(video, context, version);
  addQueryCommands(video, context, version);
  addDecisionCommands(video, context, version);
}

const newHelp = (command: string) => `
One order is one charge: it is sent after confirmation, or with --yes. Several
images make several videos. With --wait or --out, and at a terminal where no
Gatehouse runs, the command waits; Ctrl-C ends the waiting, never the job.

Examples:
  ${command} video new --image fox.png --prompt "A red fox runs in snow"
  ${command} video new --image fox.png --prompt "It turns around" --yes --out fox.mp4`;

function addNewCommand(video: Command, context: CommandContext, version: string): void {
  const usual = DEFAULT_VIDEO_REQUEST;
  const command = video
    .command('new')
    .description('order a video')
    .option('--image <file>', 'reference image; may be repeated', collect)
    .requiredOption('--prompt <text>', 'description of the video')
    .option('--model <id>', 'video model', usual.model)
    .option('--task <type>', 'task type', usual.task)
    .option('--seconds <number>', 'length', usual.seconds)
    .option('--resolution <size>', 'resolution', usual.resolution)
    .option('--field <name=json>', 'additional field for the service; may be repeated', collect)
    .option('--minutes <number>', 'how long to poll for it', '30')
    .option('--wait', 'wait until it is finished')
    .option('--out <file>', 'wait, and copy it to this file or folder')
    .option('--force', 'overwrite the file of --out')
    .option('--yes', 'order without confirmation')
    .addHelpText('after', newHelp(context.command));
  withCommonFlags(command).action(
    async (flags: NewFlags) => await newVideos(context, flags, version),
  );
}

const listHelp = `\nStates:\n${VideoState.options.map((state) => `  ${formatState(state)}`).join('\n')}`;

function addQueryCommands(video: Command, context: CommandContext, version: string): void {
  const list = video
    .command('list')
    .description('list videos; with an id, show everything of one')
    .argument('[id]', 'id of a video, or a unique beginning of it')
    .option('--state <state>', 'only this state; may be repeated', collect)
    .option('--limit <number>', 'how many', '20')
    .addHelpText('after', listHelp);
  withCommonFlags(list).action(async (id: string | undefined, flags: ListFlags) =>
    id === undefined ? await listVideos(context, flags) : await showVideo(context, id, flags),
  );
  const watching = video
    .command('watch')
    .description('wait for videos; runs the queue if no Gatehouse does')
    .argument('[ids...]', 'ids of videos (default: all in progress)');
  withCommonFlags(watching).action(
    async (ids: readonly string[], flags: CommonFlags) =>
      await watchVideos(context, ids, { flags, version }),
  );
  const getting = video
    .command('get')
    .description('copy a finished video')
    .argument('<id>', 'its id')
    .option('--out <file>', 'file or folder (default: the current folder)')
    .option('--force', 'overwrite an existing file');
  withCommonFlags(getting).action(
    async (id: string, flags: CommonFlags & CopyFlags) => await getVideo(context, id, flags),
  );
}

function addDecisionCommands(video: Command, context: CommandContext, version: string): void {
  const answer = video
    .command('answer')
    .description('answer a question of Gatehouse about a video or its service')
    .argument('<id>', 'the id of the video')
    .option('--pointer <place>', 'JSON pointer to the value in the answer; stored for the service')
    .option('--value <text>', 'the value, for this video only')
    .option('--id <task>', 'id of the video at the service')
    .option('--word <meaning>', 'meaning of its status word: working, failed, completed');
  withCommonFlags(answer).action(
    async (id: string, flags: AnswerFlags) => await answerVideo(context, id, flags),
  );
  const resume = video
    .command('resume')
    .description('resume a stopped video; asks before a new charge')
    .argument('<id>', 'the id of the video')
    .option('--minutes <number>', 'how long to poll for it')
    .option('--submit-again', 'order again although it may have been ordered: a second charge')
    .option('--wait', 'wait until it is finished')
    .option('--yes', 'order without confirmation');
  withCommonFlags(resume).action(
    async (id: string, flags: ResumeFlags) => await resumeVideo(context, id, { flags, version }),
  );
  const cancel = video
    .command('cancel')
    .description('stop polling for a video; an order stays charged')
    .argument('<id>', 'its id');
  withCommonFlags(cancel).action(
    async (id: string, flags: CommonFlags) => await cancelVideo(context, id, flags),
  );
  const remove = video
    .command('remove')
    .description('remove a video from the list')
    .argument('<id>', 'its id')
    .option('--delete-file', 'also delete its file');
  withCommonFlags(remove).action(
    async (id: string, flags: RemoveFlags) => await removeVideo(context, id, flags),
  );
}

function withCommonFlags(command: Command): Command {
  return command.option('--json', 'print JSON').option('--data <dir>', 'data folder');
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

interface WatchOptions {
  readonly flags: CommonFlags;
  readonly version: string;
}

async function watchVideos(
  context: CommandContext,
  idPrefixes: readonly string[],
  { flags, version }: WatchOptions,
): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const found = await Promise.all(
      idPrefixes.map(async (head) => (await findVideo(repositories, head)).job),
    );
    const jobs = idPrefixes.length === 0 ? await findActive(repositories) : found;
    const { currency } = repositories.settings.current();
    const plan = { json: flags.json === true, currency, copy: null };
    if (jobs.length === 0 && !plan.json) {
      context.terminal.printText('No video is in progress.');
      return;
    }
    const begin = (): Promise<readonly VideoId[]> => Promise.resolve(jobs.map(({ id }) => id));
    const ended = jobs.some(isActive)
      ? await runAndWait({ context, repositories, version }, begin)
      : { jobs, stopped: null };
    await reportVideos(context, ended.jobs, { ...plan, stopped: ended.stopped });
  });
}

/** Completes ids from the first two hundred jobs. */
async function findActive({ videos }: CommandRepositories) {
  const states = VideoState.options.filter((state) => isActive({ state }));
  return (await videos.page({ filter: { states }, limit: 200 })).jobs;
}

async function getVideo(
  context: CommandContext,
  id: string,
  flags: CommonFlags & CopyFlags,
): Promise<void> {
  const copy = await planCopy({ ...flags, out: flags.out ?? '.' }, 1);
  await withRepositories(context, flags.data, async (repositories) => {
    const { job } = await findVideo(repositories, id);
    await reportVideos(context, [job], {
      json: flags.json === true,
      currency: repositories.settings.current().currency,
      copy,
    });
  });
}
