import { rm, stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { NewVideo, type VideoAction, VideoId, type VideoJob } from '../../shared/video/video.ts';
import type { Upstream } from '../../shared/upstream.ts';
import type { DiskFile } from '../lib/disk.ts';
import type { Host } from '../host.ts';
import type { Images } from '../images/images.ts';
import { NotFoundError, UserError } from '../errors.ts';
import { listAnswers } from './store/answers.ts';
import { addedStatement } from './store/added.ts';
import { answerByMap, applyDecision, unreadableError } from './apply-decision.ts';
import { type Job, INITIAL_JOB } from './transitions/job.ts';
import { ACTIVE_VIDEO_STATES, PERSON_VIDEO_STATES } from '../../shared/video/video-states.ts';
import {
  changeFieldMap,
  listPresets,
  readFieldMap,
  readFieldMaps,
  removePreset,
  savePreset,
} from './store/field-maps.ts';
import { findByExchange } from './store/find-by-exchange.ts';
import type { JobRepository } from './store/job-repository.ts';
import { countStates, listJobs } from './store/list-jobs.ts';
import { Throttle } from '../lib/throttle.ts';
import { removePartialFiles } from './run/partial-file-path.ts';
import { findNextPosition, moveInQueue } from './store/queue.ts';
import type { VideoPageQuery, Videos, NewVideoOrder } from './types.ts';
import { toVideoJob, type ViewContext } from './to-video-job.ts';

export interface VideosApiOptions {
  readonly repository: JobRepository;
  readonly images: Images;
  /** All upstreams, also one for this run only. */
  readonly upstreams: () => Promise<readonly Upstream[]>;
  readonly prices: ViewContext['prices'];
  readonly host: Pick<Host, 'dataDir'>;
}

const NO_FILE = 'This video is not on this disk.';
/** The beginning of an id as people type it. */
const ID_PREFIX = /^[0-9a-f]{1,16}$/u;

/** Creates the part of the videos module that windows and commands use. */
export function createVideos(options: VideosApiOptions): Videos {
  const { repository, images } = options;
  const { store } = repository;
  const show = async (job: Job): Promise<VideoJob> =>
    await toVideoJob(job, await readContext(options));
  return {
    page: async (query) => await readPage(options, query),
    async get(id) {
      const job = await repository.find(id);
      if (job === null) throw unreadableError(repository, id);
      return { job: await show(job), answers: await listAnswers(store, id) };
    },
    damaged: async () => await repository.findUnreadable(),
    findByExchange: async (exchange) => await findByExchange(repository, exchange),
    findIdsByPrefix: async (head) => await findIdsByPrefix(repository, head),
    add: async (newOrder) => await show(await addJob(options, newOrder)),
    change: async (id, video) => await show(await changeDraft(options, id, video)),
    act: async (id: VideoId, action: VideoAction) =>
      await show(await applyDecision(repository, id, action)),
    move: async (id, before) => await moveInQueue(repository, id, before),
    remove: async (id, deleteFile) => await removeJob(options, id, deleteFile),
    file: async (id) => await findFile(repository, id),
    images,
    presets: async () => await listPresets(store),
    savePreset: async (preset) => await savePreset(store, preset),
    removePreset: async (name) => await removePreset(store, name),
    fields: async (service) => await readFieldMap(store, service),
    async setFields(service, map) {
      const saved = await changeFieldMap(store, service, () => map);
      repository.notify();
      await answerByMap(repository, service, saved);
      return saved;
    },
    on(listener) {
      const throttle = new Throttle(listener);
      const stops = [
        repository.on(() => throttle.trigger()),
        store.onExternalChange(() => throttle.trigger()),
        () => throttle.close(),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

async function readContext({
  repository,
  upstreams,
  prices,
}: VideosApiOptions): Promise<ViewContext> {
  return { upstreams: await upstreams(), maps: await readFieldMaps(repository.store), prices };
}

async function readPage(options: VideosApiOptions, query: VideoPageQuery) {
  const { repository } = options;
  const { jobs, more } = await listJobs(repository, query);
  const context = await readContext(options);
  return {
    jobs: await Promise.all(jobs.map((job) => toVideoJob(job, context))),
    next: more ? (jobs.at(-1)?.id ?? null) : null,
    counts: await countStates(repository),
  };
}

async function findIdsByPrefix(
  { store: { db } }: JobRepository,
  head: string,
): Promise<readonly VideoId[]> {
  if (!ID_PREFIX.test(head)) return [];
  const rows = await db
    .selectFrom('video_job')
    .select('id')
    .where('id', '>=', head)
    // The upper bound is greater than any digit, so that the index is used.
    .where('id', '<', `${head}g`)
    .limit(2)
    .execute();
  return rows.map(({ id }) => VideoId.parse(id));
}

/** @throws UserError */
async function toDescription({ images }: VideosApiOptions, video: NewVideo) {
  const read = NewVideo.safeParse(video);
  if (!read.success) {
    const issue = read.error.issues[0];
    const field = issue?.path[0] === undefined ? null : String(issue.path[0]);
    throw new UserError(issue?.message ?? 'This cannot be ordered.', field);
  }
  const { image: hash, waitMinutes, ...request } = read.data;
  if (hash === null) return { request, image: null, waitMinutes };
  const found = await images.find(hash);
  if (found === null) {
    throw new UserError('The image no longer exists. Choose it again.', 'image');
  }
  const { name, type, bytes } = found;
  return { request, image: { hash, name, type, bytes }, waitMinutes };
}

async function addJob(options: VideosApiOptions, newOrder: NewVideoOrder): Promise<Job> {
  const { repository } = options;
  const { id, video, confirmed, origin, service } = newOrder;
  const described = await toDescription(options, video);
  const { at } = repository.stamp();
  const job: Job = {
    ...INITIAL_JOB,
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
    position: confirmed ? await findNextPosition(repository) : null,
  };
  return (await repository.insertIf(addedStatement(id, at), job))
    ? job
    : await findAddedBefore(repository, job);
}

/** Finds the video that an earlier call with the same id added. @throws UserError */
async function findAddedBefore(
  repository: JobRepository,
  { id, state, ...settings }: Job,
): Promise<Job> {
  const there = await repository.find(id);
  if (there === null) {
    if (repository.unreadableIds.includes(id)) throw unreadableError(repository, id);
    throw new UserError('This video was added before, and removed since.');
  }
  const isSame =
    isDeepStrictEqual(there.request, settings.request) &&
    there.image?.hash === settings.image?.hash &&
    there.waitMinutes === settings.waitMinutes;
  if (!isSame) throw new UserError('Another video has this id. Create a new id for each video.');
  if (there.state === 'draft' && state !== 'draft') {
    throw new UserError('This video was added as a draft. Confirm it instead of adding it again.');
  }
  return there;
}

async function changeDraft(options: VideosApiOptions, id: VideoId, video: NewVideo): Promise<Job> {
  const described = await toDescription(options, video);
  const changed = await options.repository.apply(id, {
    event: ({ state }) => {
      if (state !== 'draft') throw new UserError('This video was confirmed and cannot be changed.');
      return { kind: 'described', ...options.repository.stamp(), ...described };
    },
  });
  if (changed === null) throw unreadableError(options.repository, id);
  return changed.after;
}

async function removeJob(
  { repository, host }: VideosApiOptions,
  id: VideoId,
  deleteFile: boolean,
): Promise<void> {
  for (;;) {
    const job = await repository.find(id);
    if (job === null) throw unreadableError(repository, id);
    if ([...ACTIVE_VIDEO_STATES, ...PERSON_VIDEO_STATES].includes(job.state)) {
      throw new UserError('This video is in progress. Stop checking it first.');
    }
    if (!(await repository.delete(job))) continue;
    await removePartialFiles(host.dataDir, job);
    if (deleteFile && job.file !== null) await rm(job.file.path, { force: true });
    return;
  }
}

async function findFile(repository: JobRepository, id: VideoId): Promise<DiskFile> {
  const file = (await repository.find(id))?.file ?? null;
  const found = file === null ? null : await stat(file.path).catch(() => null);
  if (file === null || found?.isFile() !== true) throw new NotFoundError(NO_FILE);
  const { path, name, type } = file;
  return { path, name, type, bytes: found.size };
}
