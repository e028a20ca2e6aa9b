import { isFree } from '../../../shared/money/charge.ts';
import type { StoredImage } from '../../../shared/image.ts';
import {
  DEFAULT_VIDEO_REQUEST,
  NewVideo,
  createVideoId,
  VIDEO_ID_BYTES,
  type VideoId,
} from '../../../shared/video/video.ts';
import { pluralize, formatBytes } from '../../../shared/format.ts';
import { keyAdvice } from '../../../gateway/keys/keys.ts';
import { readLockOwner } from '../../../host/lock/instance-lock.ts';
import { parseInteger } from '../../arguments/parse-numbers.ts';
import { CommandError, UsageError } from '../../errors.ts';
import { withRepositories, type CommandRepositories } from '../../with-repositories.ts';
import { resolveService, openServiceKey } from '../../service.ts';
import type { CommandContext } from '../../command-context.ts';
import { runAndWait } from './run-and-wait.ts';
import { requireConsent } from './consent.ts';
import { planCopy, type CopyFlags } from './copy-file.ts';
import { describeOrderCost } from './order-cost.ts';
import { reportVideos } from './report.ts';
import { shortId } from '../../output/format-video.ts';

export interface NewFlags extends CopyFlags {
  readonly image?: readonly string[];
  readonly prompt: string;
  readonly model: string;
  readonly task: string;
  readonly seconds: string;
  readonly resolution: string;
  readonly field?: readonly string[];
  readonly minutes: string;
  readonly wait?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly data?: string;
}

/** Defines `gatehouse video new`, which creates one job for each image, or one without any. */
export async function newVideos(
  context: CommandContext,
  flags: NewFlags,
  version: string,
): Promise<void> {
  const { image: paths = [] } = flags;
  const template = parseVideo(flags);
  if (template.task === DEFAULT_VIDEO_REQUEST.task && paths.length === 0) {
    throw new UsageError(`The task ${template.task} needs a reference image: add --image FILE.`);
  }
  const copy = await planCopy(flags, paths.length);
  await withRepositories(context, flags.data, async (repositories) => {
    const waits = await shouldWait(context, repositories, flags);
    const service = await findService(context, repositories, waits);
    const images: (StoredImage | null)[] = [];
    for (const path of paths) images.push(await repositories.videos.images.importFile(path));
    if (images.length === 0) images.push(null);
    context.terminal.printError(
      describeOrder(template, images, {
        service,
        cost: describeOrderCost(
          repositories,
          { service, request: template, count: images.length },
          context.command,
        ),
      }),
    );
    await requireConsent(context, {
      yes: flags.yes === true,
      free: isFree(service),
      question: images.length === 1 ? 'Order it?' : `Order ${pluralize(images.length, 'video')}?`,
    });
    const add = async (): Promise<VideoId[]> => {
      const ids: VideoId[] = [];
      for (const image of images) {
        const video = { ...template, image: image?.hash ?? null };
        const id = createVideoId(repositories.host.randomBytes(VIDEO_ID_BYTES));
        const options = { id, video, confirmed: true, origin: 'command', service } as const;
        ids.push((await repositories.videos.add(options)).id);
      }
      return ids;
    };
    if (waits) {
      const { jobs, stopped } = await runAndWait({ context, repositories, version }, add);
      await reportVideos(context, jobs, {
        json: flags.json === true,
        currency: repositories.settings.current().currency,
        copy,
        stopped,
      });
    } else {
      await printQueued({ context, repositories, flags }, await add());
    }
  });
}

const NAMES: Readonly<Record<string, string>> = {
  waitMinutes: '--minutes',
  more: '--field',
};

/** Parses the options. @throws UsageError that names the invalid option */
function parseVideo(flags: NewFlags): NewVideo {
  const { model, task, prompt, seconds, resolution, field: fields = [] } = flags;
  const minutes = { name: '--minutes', from: 1, to: 7 * 24 * 60 };
  const read = NewVideo.safeParse({
    model,
    task,
    prompt,
    seconds,
    resolution,
    more: Object.fromEntries(fields.map(parseField)),
    image: null,
    waitMinutes: parseInteger(flags.minutes, minutes),
  });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = String(issue?.path[0] ?? '');
  throw new UsageError(`${NAMES[field] ?? `--${field}`}: ${issue?.message ?? 'not usable.'}`);
}

/** Parses `NAME=JSON`. @throws UsageError */
function parseField(text: string): readonly [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError('--field takes NAME=JSON, such as --field fps=24.');
  const name = text.slice(0, at);
  try {
    return [name, JSON.parse(text.slice(at + 1))];
  } catch {
    throw new UsageError(
      `--field ${name}: the value after = is not JSON. A text needs quotes: --field '${name}="text"'`,
    );
  }
}

/** Whether the command waits: when a file or waiting was requested, and when nothing would happen otherwise. */
async function shouldWait(
  context: CommandContext,
  { host }: CommandRepositories,
  flags: NewFlags,
): Promise<boolean> {
  if (flags.wait === true || flags.out !== undefined) return true;
  return context.terminal.interactive && (await readLockOwner(host.dataDir)) === null;
}

/**
 * Finds the service to order from: that of the running Gatehouse, otherwise the one that it would use. @throws CommandError when this
 * process has to run the order and has no key
 */
async function findService(
  context: CommandContext,
  repositories: CommandRepositories,
  waits: boolean,
): Promise<string> {
  const owner = await readLockOwner(repositories.host.dataDir);
  if (owner !== null) {
    return owner.service ?? (await repositories.upstreams.active())?.baseUrl ?? 'sandbox';
  }
  const service = await resolveService(context, repositories.upstreams, {});
  if (service === null) return 'sandbox';
  const account = service.baseUrl;
  const keys = await openServiceKey(context, { host: repositories.host, account });
  if (waits && keys.current() === null) {
    const { name, sentence } = keys.state();
    throw new CommandError(`${sentence} ${keyAdvice(name, context.command)}`);
  }
  return account;
}

interface OrderCost {
  readonly service: string;
  /** A sentence; of the sandbox, words in one. */
  readonly cost: string;
}

function describeOrder(
  { model, seconds, resolution }: NewVideo,
  images: readonly (StoredImage | null)[],
  { service, cost }: OrderCost,
): string {
  const what = `${pluralize(images.length, 'video')} of ${seconds} s in ${resolution} by ${model}`;
  const from = images
    .flatMap((image) => (image === null ? [] : [`${image.name} (${formatBytes(image.bytes)})`]))
    .join(', ');
  const charge =
    images.length === 1
      ? 'One order is one charge.'
      : `One order is one charge: ${images.length} charges.`;
  return [
    `${what}${from === '' ? '' : `, from ${from}`}.`,
    isFree(service)
      ? `The sandbox only simulates it: ${cost}.`
      : `It is ordered from ${service}. ${charge} ${cost}`,
  ].join(' ');
}

interface QueuedVideos {
  readonly context: CommandContext;
  readonly repositories: CommandRepositories;
  readonly flags: NewFlags;
}

/** Checks that somebody will send the orders, because a script must not take them for sent. @throws CommandError */
async function printQueued(
  { context, repositories, flags }: QueuedVideos,
  ids: readonly VideoId[],
): Promise<void> {
  const { terminal, command } = context;
  const details = await Promise.all(ids.map(async (id) => await repositories.videos.get(id)));
  const jobs = details.map(({ job }) => job);
  const owner = await readLockOwner(repositories.host.dataDir);
  const shortIds = jobs.map(shortId);
  const it = shortIds.length === 1 ? 'It' : 'Each';
  const watch = `${command} video watch ${shortIds.join(' ')}`;
  if (flags.json === true) terminal.printJson({ videos: jobs, running: owner !== null });
  else shortIds.forEach((head) => terminal.print(head));
  if (owner === null) {
    throw new CommandError(
      `Nothing was ordered yet, because no Gatehouse runs on this data folder. ${it} is in the queue and is sent once one runs. Start it, or run the queue in this terminal until the video is finished:\n  ${command} serve\n  ${watch}`,
    );
  }
  terminal.printError(
    `${it} is in the queue of the Gatehouse that runs here (pid ${owner.pid}). To watch it:\n  ${watch}`,
  );
}
