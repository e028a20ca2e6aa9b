import type { KeptImage } from '../shared/image.ts';
import {
  DEFAULT_VIDEO_REQUEST,
  NewVideo,
  newVideoId,
  VIDEO_ID_BYTES,
  type VideoId,
} from '../shared/video.ts';
import { counted, size } from './figures.ts';
import { adviceFor } from './key-status.ts';
import { readHolder } from '../hosting/lock.ts';
import { readWhole } from './numbers.ts';
import { CommandFailed, UsageProblem } from './problem.ts';
import { withRooms } from './rooms.ts';
import type { Rooms } from './rooms.ts';
import { chooseService, openServiceKey } from './service.ts';
import type { Shell } from './shell.ts';
import { attendVideos } from './video-attend.ts';
import { requireConsent } from './video-consent.ts';
import { planCopy } from './video-file.ts';
import type { CopyFlags } from './video-file.ts';
import { reportVideos } from './video-report.ts';
import { headOf } from './video-words.ts';

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

/** `gatehouse video new`: one job for each image, or one without any. */
export async function newVideos(shell: Shell, flags: NewFlags, version: string): Promise<void> {
  const { image: paths = [] } = flags;
  const template = readVideo(flags);
  if (template.task === DEFAULT_VIDEO_REQUEST.task && paths.length === 0) {
    throw new UsageProblem(`The task ${template.task} needs a reference image: add --image FILE.`);
  }
  const copy = await planCopy(flags, paths.length);
  await withRooms(shell, flags.data, async (rooms) => {
    const waits = await willWait(shell, rooms, flags);
    const service = await serviceFor(shell, rooms, waits);
    const images: (KeptImage | null)[] = [];
    for (const path of paths) images.push(await rooms.videos.images.keep(path));
    if (images.length === 0) images.push(null);
    shell.terminal.complain(orderWords(template, images, service));
    await requireConsent(shell, {
      yes: flags.yes === true,
      question: images.length === 1 ? 'Order it?' : `Order ${counted(images.length, 'video')}?`,
    });
    const add = async (): Promise<VideoId[]> => {
      const ids: VideoId[] = [];
      for (const image of images) {
        const video = { ...template, image: image?.hash ?? null };
        const id = newVideoId(rooms.host.randomBytes(VIDEO_ID_BYTES));
        const wanted = { id, video, confirmed: true, origin: 'command', service } as const;
        ids.push((await rooms.videos.add(wanted)).id);
      }
      return ids;
    };
    if (waits) {
      const { jobs, stopped } = await attendVideos({ shell, rooms, version }, add);
      await reportVideos(shell, jobs, { json: flags.json === true, copy, stopped });
    } else {
      await tellQueued({ shell, rooms, flags }, await add());
    }
  });
}

const NAMES: Readonly<Record<string, string>> = {
  waitMinutes: '--minutes',
  more: '--field',
};

/** @throws UsageProblem that names the option to blame */
function readVideo(flags: NewFlags): NewVideo {
  const { model, task, prompt, seconds, resolution, field: fields = [] } = flags;
  const minutes = { name: '--minutes', from: 1, to: 7 * 24 * 60 };
  const read = NewVideo.safeParse({
    model,
    task,
    prompt,
    seconds,
    resolution,
    more: Object.fromEntries(fields.map(readField)),
    image: null,
    waitMinutes: readWhole(flags.minutes, minutes),
  });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = String(issue?.path[0] ?? '');
  throw new UsageProblem(`${NAMES[field] ?? `--${field}`}: ${issue?.message ?? 'not usable.'}`);
}

/** `NAME=JSON`. @throws UsageProblem */
function readField(text: string): readonly [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageProblem('--field takes NAME=JSON, such as --field fps=24.');
  const name = text.slice(0, at);
  try {
    return [name, JSON.parse(text.slice(at + 1))];
  } catch {
    throw new UsageProblem(
      `--field ${name}: what follows the = is not JSON. A text stands in quotes: --field '${name}="text"'`,
    );
  }
}

/** Who asks for a file or says so waits, and a person where nothing would happen otherwise. */
async function willWait(shell: Shell, { host }: Rooms, flags: NewFlags): Promise<boolean> {
  if (flags.wait === true || flags.out !== undefined) return true;
  return shell.terminal.interactive && (await readHolder(host.dataDir)) === null;
}

/**
 * The service to order from: that of the Gatehouse that runs here, otherwise the one that it would use.
 * @throws CommandFailed when this process is to run the order and has no key
 */
async function serviceFor(shell: Shell, rooms: Rooms, waits: boolean): Promise<string> {
  const holder = await readHolder(rooms.host.dataDir);
  if (holder !== null) {
    return holder.service ?? (await rooms.upstreams.active())?.baseUrl ?? 'sandbox';
  }
  const service = await chooseService(shell, rooms.upstreams, {});
  if (service === null) return 'sandbox';
  const account = service.baseUrl;
  const keys = await openServiceKey(shell, { host: rooms.host, account });
  if (waits && keys.current() === null) {
    const { name, sentence } = keys.state();
    throw new CommandFailed(`${sentence} ${adviceFor(name, shell.command)}`);
  }
  return account;
}

function orderWords(
  { model, seconds, resolution }: NewVideo,
  images: readonly (KeptImage | null)[],
  service: string,
): string {
  const what = `${counted(images.length, 'video')} of ${seconds} s in ${resolution} by ${model}`;
  const from = images
    .flatMap((image) => (image === null ? [] : [`${image.name} (${size(image.bytes)})`]))
    .join(', ');
  const charge =
    images.length === 1
      ? 'One submission is one charge.'
      : `One submission is one charge: ${images.length} charges.`;
  return [
    `${what}${from === '' ? '' : `, from ${from}`}.`,
    service === 'sandbox'
      ? 'The sandbox makes it up, and nobody pays for it.'
      : `It is ordered from ${service}. ${charge}`,
  ].join(' ');
}

interface Queued {
  readonly shell: Shell;
  readonly rooms: Rooms;
  readonly flags: NewFlags;
}

/** @throws CommandFailed when nobody will send them: a script must not take that for done. */
async function tellQueued({ shell, rooms, flags }: Queued, ids: readonly VideoId[]): Promise<void> {
  const { terminal, command } = shell;
  const details = await Promise.all(ids.map(async (id) => await rooms.videos.get(id)));
  const jobs = details.map(({ job }) => job);
  const holder = await readHolder(rooms.host.dataDir);
  const heads = jobs.map(headOf);
  const it = heads.length === 1 ? 'It' : 'Each';
  const watch = `${command} video watch ${heads.join(' ')}`;
  if (flags.json === true) terminal.printJson({ videos: jobs, running: holder !== null });
  else heads.forEach((head) => terminal.print(head));
  if (holder === null) {
    throw new CommandFailed(
      `Nothing was ordered yet, for no Gatehouse runs on this data folder. ${it} is in the queue and is sent once one runs. Start it, or let this terminal run it until the video is there:\n  ${command} serve\n  ${watch}`,
    );
  }
  terminal.complain(
    `${it} is in the queue of the Gatehouse that runs here (pid ${holder.pid}). To look on:\n  ${watch}`,
  );
}
