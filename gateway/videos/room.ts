import { rm, stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { NewVideo, type VideoAct, VideoId, type VideoJob } from '../../shared/video.ts';
import type { Upstream } from '../../shared/upstream.ts';
import type { DiskFile } from '../disk.ts';
import type { Host } from '../host.ts';
import type { Images } from '../images/images.ts';
import { NotFound, Refused } from '../refused.ts';
import { listAnswers } from './answers.ts';
import { addedStep } from './added.ts';
import { answerByMap, decide, unreadable } from './desk.ts';
import { type Job, NOTHING_YET, UNDER_WAY } from './job.ts';
import {
  changeFieldMap,
  listPresets,
  readFieldMap,
  readFieldMaps,
  removePreset,
  savePreset,
} from './learned.ts';
import type { Ledger } from './ledger.ts';
import { countStates, listJobs } from './list.ts';
import { OftenEnough } from '../often-enough.ts';
import { removeParts } from './part-file.ts';
import { endOfQueue, moveInQueue } from './queue.ts';
import type { VideoPageAsked, Videos, Wanted } from './videos.ts';
import { viewOf } from './view.ts';

export interface RoomOptions {
  readonly ledger: Ledger;
  readonly images: Images;
  /** Every service there is. */
  readonly upstreams: () => Promise<readonly Upstream[]>;
  readonly host: Pick<Host, 'dataDir'>;
}

const NO_FILE = 'This video is not on this disk, or not any more.';
/** Of an id, as people type it. */
const HEAD = /^[0-9a-f]{1,16}$/u;

/** The jobs as people see and change them. */
export function openRoom(options: RoomOptions): Videos {
  const { ledger, images } = options;
  const { store } = ledger;
  const show = async (job: Job): Promise<VideoJob> =>
    await viewOf(job, {
      upstreams: await options.upstreams(),
      maps: await readFieldMaps(store),
    });
  return {
    page: async (asked) => await readPage(options, asked),
    async get(id) {
      const job = await ledger.find(id);
      if (job === null) throw unreadable(ledger, id);
      return { job: await show(job), answers: await listAnswers(store, id) };
    },
    damaged: async () => await ledger.findDamaged(),
    idsFrom: async (head) => await idsFrom(ledger, head),
    add: async (wanted) => await show(await addJob(options, wanted)),
    change: async (id, video) => await show(await describeAgain(options, id, video)),
    act: async (id: VideoId, act: VideoAct) => await show(await decide(ledger, id, act)),
    move: async (id, before) => await moveInQueue(ledger, id, before),
    remove: async (id, deleteFile) => await removeJob(options, id, deleteFile),
    file: async (id) => await findFile(ledger, id),
    images,
    presets: async () => await listPresets(store),
    savePreset: async (preset) => await savePreset(store, preset),
    removePreset: async (name) => await removePreset(store, name),
    fields: async (service) => await readFieldMap(store, service),
    async setFields(service, map) {
      const kept = await changeFieldMap(store, service, () => map);
      ledger.tell();
      await answerByMap(ledger, service, kept);
      return kept;
    },
    on(listener) {
      const often = new OftenEnough(listener);
      const stops = [
        ledger.on(() => often.note()),
        store.onOutsideChange(() => often.note()),
        () => often.close(),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

async function readPage({ ledger, upstreams }: RoomOptions, asked: VideoPageAsked) {
  const { jobs, more } = await listJobs(ledger, asked);
  const surroundings = { upstreams: await upstreams(), maps: await readFieldMaps(ledger.store) };
  return {
    jobs: await Promise.all(jobs.map((job) => viewOf(job, surroundings))),
    next: more ? (jobs.at(-1)?.id ?? null) : null,
    counts: await countStates(ledger),
  };
}

async function idsFrom({ store: { db } }: Ledger, head: string): Promise<readonly VideoId[]> {
  if (!HEAD.test(head)) return [];
  const rows = await db
    .selectFrom('video_job')
    .select('id')
    .where('id', '>=', head)
    // Greater than any digit, so that the index is used.
    .where('id', '<', `${head}g`)
    .limit(2)
    .execute();
  return rows.map(({ id }) => VideoId.parse(id));
}

/** @throws Refused */
async function describe({ images }: RoomOptions, video: NewVideo) {
  const read = NewVideo.safeParse(video);
  if (!read.success) {
    const issue = read.error.issues[0];
    const field = issue?.path[0] === undefined ? null : String(issue.path[0]);
    throw new Refused(issue?.message ?? 'This cannot be ordered.', field);
  }
  const { image: hash, waitMinutes, ...request } = read.data;
  if (hash === null) return { request, image: null, waitMinutes };
  const found = await images.find(hash);
  if (found === null) {
    throw new Refused('The image is not there any more. Choose it again.', 'image');
  }
  const { name, type, bytes } = found;
  return { request, image: { hash, name, type, bytes }, waitMinutes };
}

async function addJob(options: RoomOptions, wanted: Wanted): Promise<Job> {
  const { ledger } = options;
  const { id, video, confirmed, origin, service } = wanted;
  const described = await describe(options, video);
  const { at } = ledger.occasion();
  const job: Job = {
    ...NOTHING_YET,
    ...described,
    id,
    rev: 1,
    state: confirmed ? 'waiting' : 'draft',
    origin,
    clientId: null,
    clientName: null,
    service,
    createdAt: at,
    stateSince: at,
    dueAt: confirmed ? at : null,
    plannedAt: at,
    position: confirmed ? await endOfQueue(ledger) : null,
  };
  return (await ledger.insertIf(addedStep(id, at), job)) ? job : await addedBefore(ledger, job);
}

/** The video that the same call added when it arrived before. @throws Refused */
async function addedBefore(ledger: Ledger, { id, state, ...wanted }: Job): Promise<Job> {
  const there = await ledger.find(id);
  if (there === null) {
    if (ledger.damaged.includes(id)) throw unreadable(ledger, id);
    throw new Refused('This video was added before, and removed since.');
  }
  const isSame =
    isDeepStrictEqual(there.request, wanted.request) &&
    there.image?.hash === wanted.image?.hash &&
    there.waitMinutes === wanted.waitMinutes;
  if (!isSame) throw new Refused('Another video has this id. Make a new id for each video.');
  if (there.state === 'draft' && state !== 'draft') {
    throw new Refused('This video was added as a draft. Confirm it instead of adding it again.');
  }
  return there;
}

async function describeAgain(options: RoomOptions, id: VideoId, video: NewVideo): Promise<Job> {
  const described = await describe(options, video);
  const changed = await options.ledger.change(id, {
    event: ({ state }) => {
      if (state !== 'draft') throw new Refused('This video was confirmed and cannot be changed.');
      return { kind: 'described', ...options.ledger.occasion(), ...described };
    },
  });
  if (changed === null) throw unreadable(options.ledger, id);
  return changed.after;
}

async function removeJob(
  { ledger, host }: RoomOptions,
  id: VideoId,
  deleteFile: boolean,
): Promise<void> {
  for (;;) {
    const job = await ledger.find(id);
    if (job === null) throw unreadable(ledger, id);
    if (UNDER_WAY.includes(job.state) || job.state === 'unsure' || job.state === 'needs-answer') {
      throw new Refused('This video is under way. Stop asking for it first.');
    }
    if (!(await ledger.delete(job))) continue;
    await removeParts(host.dataDir, job);
    if (deleteFile && job.file !== null) await rm(job.file.path, { force: true });
    return;
  }
}

async function findFile(ledger: Ledger, id: VideoId): Promise<DiskFile> {
  const file = (await ledger.find(id))?.file ?? null;
  const found = file === null ? null : await stat(file.path).catch(() => null);
  if (file === null || found?.isFile() !== true) throw new NotFound(NO_FILE);
  const { path, name, type } = file;
  return { path, name, type, bytes: found.size };
}
