import { basename, join } from 'node:path';
import { Problem } from '../../../shared/problem.ts';
import type { RunnerDeps } from './deps.ts';
import { recordOrderAnswer } from './record-order-answer.ts';
import { recordPoll } from './record-poll.ts';
import { toAnswerText } from '../store/answers.ts';
import type { Job, TaskIdCandidate } from '../transitions/job.ts';
import { readFieldMap } from '../store/field-maps.ts';
import type { JobRepository, JobTransition } from '../store/job-repository.ts';
import { parseUpload, type ParsedUpload } from '../service/parse-order.ts';
import { parseVerdict } from '../service/parse-poll.ts';
import type { RecordedRequest, ServiceRequest, RequestRecorder } from './request-recorder.ts';
import { describeReply } from '../service/describe-reply.ts';
import { parseReply } from '../service/detect-fields.ts';
import type { VideoServiceClient } from '../service/video-service-client.ts';
import type { DownloadResult, FileMark, Reply, ServiceConnection } from '../service/types.ts';
import { toPartialFilePath } from './partial-file-path.ts';
import { findWorkingUrl } from '../service/find-working-url.ts';
import { findUpload, deleteUpload, uploadStatement } from '../store/uploads.ts';
import { videoName } from './video-name.ts';
import type { Images } from '../../images/images.ts';
import { toOrderFacts } from '../../../shared/video/order-facts.ts';
import { toVideoLength } from '../../prices/prices.ts';

/** Dependencies of the actions. */
export interface JobActionDeps {
  readonly repository: JobRepository;
  readonly images: Images;
  readonly serviceClient: VideoServiceClient;
  readonly recorder: RequestRecorder;
  readonly run: RunnerDeps;
  readonly dataDir: string;
  /** Is called with every reply of a service. */
  readonly onReply: (job: Job, taskId: string | null, reply: Reply) => void;
}

/** A connection to a service, and the signal that ends its use. */
export interface ServiceAccess {
  readonly connection: ServiceConnection;
  readonly signal: AbortSignal;
}

/** Repeats `work` until it succeeds, while this process runs. `payload` is logged when it fails. */
export type SaveUntilDone = (payload: string, work: () => Promise<void>) => Promise<void>;

const STOPPED =
  'Gatehouse was stopped while the order was being sent, so it is unknown whether it arrived.';
const PROGRESS_MS = 1_000;

/** Performs the actions of a job at its service. Each one ends with an event that is applied to the job. */
export class JobActions {
  readonly #deps: JobActionDeps;

  constructor(deps: JobActionDeps) {
    this.#deps = deps;
  }

  /** Returns why a waiting job must not be ordered now, a sentence; `null` when it may. */
  findRefusal({ service, request }: Job): string | null {
    const { model, seconds, resolution } = toOrderFacts(request);
    const video = toVideoLength(seconds, resolution);
    return this.#deps.recorder.findRefusal(service, { model, video });
  }

  /** Takes a waiting job out of the queue. If its image is uploaded already, its order is on the disk then and must be sent now. */
  async claim(job: Job): Promise<JobTransition | null> {
    const { repository } = this.#deps;
    const { at } = repository.stamp();
    const { service, image } = job;
    const imageUpload = image === null ? null : { service, sha256: image.hash, at };
    const upload = imageUpload === null ? null : await findUpload(repository.store, imageUpload);
    return await repository.dispatch(job.id, { kind: 'claimed', upload });
  }

  /** Uploads the image of a job, after which its order may be on the disk and must be sent now. */
  async upload(job: Job, access: ServiceAccess): Promise<JobTransition | null> {
    const { repository, images, serviceClient } = this.#deps;
    const { signal } = access;
    const { service, image } = job;
    const file = image === null ? null : await images.find(image.hash);
    if (file === null || image === null) {
      const sentence = 'The image is no longer in the data folder. Nothing was ordered.';
      return await repository.dispatch(job.id, { kind: 'upload-refused', sentence });
    }
    const { connection, done } = this.#begin(access.connection, {
      route: 'files',
      method: 'POST',
      path: '/v1/files',
      bytesIn: file.bytes,
    });
    const reply = await serviceClient.upload(connection, file, signal);
    done(reply);
    this.#deps.onReply(job, null, reply);
    const map = await readFieldMap(repository.store, service);
    const mark = { bytes: file.bytes, sha256: image.hash };
    const { event, learned } = await this.#resolveAddress(parseUpload(reply, map), mark, access);
    await repository.saveLearnedFields(service, learned);
    const { at } = repository.stamp();
    const also =
      event.kind === 'uploaded'
        ? [uploadStatement({ service, sha256: image.hash, url: event.url, at })]
        : [];
    const answer = repository.createAnswer('upload', toAnswerText(reply));
    // The event may lead to an order.
    signal.throwIfAborted();
    return await repository.dispatch(job.id, event, { answer, also });
  }

  /** Chooses the address that returns the image when a reply has several. */
  async #resolveAddress(
    parsed: ParsedUpload,
    file: FileMark,
    access: ServiceAccess,
  ): Promise<ParsedUpload> {
    const { event } = parsed;
    if (event.kind !== 'upload-unclear') return parsed;
    const found = await findWorkingUrl(event.question.candidates, async (address) => {
      return await this.#deps.serviceClient.givesFile({ ...access, address, file });
    });
    if (found === null) return parsed;
    return { event: { kind: 'uploaded', url: found.value }, learned: { fileUrl: found.pointer } };
  }

  /** Sends an order that is on the disk, once, and saves the outcome. */
  async order(job: Job, access: ServiceAccess, saveUntilDone: SaveUntilDone): Promise<void> {
    const { repository } = this.#deps;
    const body = Buffer.from(job.body ?? '');
    const reply = await this.#submit(job, body, access);
    this.#deps.onReply(job, null, reply);
    const answer = repository.createAnswer('submit', toAnswerText(reply));
    await saveUntilDone(answer.text, async () => {
      const request = parseReply(job.body ?? '');
      const order = { job, reply, request, answer };
      const event = await recordOrderAnswer(repository, order, () => []);
      if (event.kind === 'refused' && event.maybeUpload && job.upload !== null) {
        await deleteUpload(repository.store, job.service, job.upload.url);
      }
    });
  }

  /** Sends an order, unless it would exceed a limit: then the job waits on. */
  async #submit(job: Job, body: Buffer, access: ServiceAccess): Promise<Reply> {
    const { model, seconds, resolution } = toOrderFacts(job.request);
    const request = {
      route: 'video-submit',
      method: 'POST',
      path: '/v1/videos',
      model,
      bytesIn: body.length,
      video: toVideoLength(seconds, resolution),
    } as const;
    let recorded: RecordedRequest;
    try {
      recorded = this.#begin(access.connection, request);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { kind: 'none', nothingSent: true, sentence: error.message };
    }
    const { id: exchangeId, connection, done } = recorded;
    const { repository, serviceClient } = this.#deps;
    const sent = { kind: 'sent', order: job.orders, exchangeId } as const;
    // Without it only the history does not lead to the video.
    await repository.dispatch(job.id, sent).catch(() => null);
    const reply = await serviceClient.submit(connection, body, access.signal).catch((): Reply => {
      return { kind: 'none', nothingSent: false, sentence: STOPPED };
    });
    done(reply);
    return reply;
  }

  /** Polls every candidate for the task's id, as long as the service answers. */
  async identify(job: Job, access: ServiceAccess): Promise<void> {
    const { repository } = this.#deps;
    const candidates: TaskIdCandidate[] = [];
    let problem: string | null = null;
    for (const candidate of job.suspects) {
      if (candidate.verdict !== 'unasked' || problem !== null) {
        candidates.push(candidate);
        continue;
      }
      const reply = await this.#ask(job, candidate.value, access);
      const verdict = parseVerdict(reply);
      if (verdict === 'unasked') problem = describeReply(reply);
      candidates.push({ ...candidate, verdict });
      await repository.dispatch(job.id, null, {
        answer: repository.createAnswer('identify', toAnswerText(reply)),
      });
    }
    const changed = await repository.dispatch(job.id, {
      kind: 'candidates-polled',
      suspects: candidates,
      problem,
    });
    if (changed?.before.state !== 'identifying' || changed.after.state !== 'rendering') return;
    const found = candidates.find(({ value }) => value === changed.after.taskId);
    if (found !== undefined)
      await repository.saveLearnedFields(job.service, { taskId: found.pointer });
  }

  /** Polls the task of a job. */
  async poll(job: Job, access: ServiceAccess): Promise<void> {
    const taskId = job.taskId ?? '';
    const path = `/v1/videos/${encodeURIComponent(taskId)}`;
    const { connection, done } = this.#begin(access.connection, {
      route: 'video-status',
      method: 'GET',
      path,
    });
    const reply = await this.#ask(job, taskId, { ...access, connection });
    const changed = await recordPoll(this.#deps, job, reply);
    if (changed !== null && hasChanged(changed)) done(reply);
  }

  async #ask(job: Job, taskId: string, { connection, signal }: ServiceAccess): Promise<Reply> {
    const reply = await this.#deps.serviceClient.ask(connection, taskId, signal);
    this.#deps.onReply(job, taskId, reply);
    return reply;
  }

  /** Downloads a finished video. */
  async fetch(job: Job, access: ServiceAccess): Promise<void> {
    const { serviceClient, run, dataDir } = this.#deps;
    const taskId = job.taskId ?? '';
    const path = `/v1/videos/${encodeURIComponent(taskId)}/content`;
    const { connection, done } = this.#begin(access.connection, {
      route: 'video-content',
      method: 'GET',
      path,
    });
    const videos = join(dataDir, 'videos');
    const result = await serviceClient.download(connection, taskId, {
      folder: run.settings().videoFolder ?? videos,
      name: videoName({
        prompt: job.request.prompt,
        id: job.id,
        at: job.orderedAt ?? job.createdAt,
      }),
      partFile: toPartialFilePath(dataDir, job),
      onProgress: this.#createProgressListener(job),
      signal: access.signal,
    });
    done(result);
    await this.#recordDownload(job, taskId, result);
  }

  async #recordDownload(job: Job, taskId: string, result: DownloadResult): Promise<void> {
    const { repository } = this.#deps;
    if (result.kind === 'saved') {
      const { path, type, bytes, sha256 } = result;
      const file = { name: basename(path), path, type, bytes, sha256 };
      await repository.dispatch(job.id, { kind: 'downloaded', taskId, file });
      return;
    }
    const { kind: how, sentence, retryAfterMs, status, text } = result;
    const answer = repository.createAnswer('download', {
      status,
      text: text === '' ? sentence : text,
    });
    const event = { kind: 'download-failed', taskId, how, sentence, retryAfterMs } as const;
    await repository.dispatch(job.id, event, { answer });
  }

  #createProgressListener({ id }: Job): (bytes: number, total: number | null) => void {
    const { repository } = this.#deps;
    let savedAt = Number.NEGATIVE_INFINITY;
    return (bytes, total) => {
      const now = performance.now();
      if (total === null || total <= 0 || now - savedAt < PROGRESS_MS) return;
      savedAt = now;
      void repository.saveProgress(id, Math.min(1, bytes / total));
    };
  }

  #begin(connection: ServiceConnection, request: ServiceRequest) {
    const path = `${connection.target.basePath}${request.path}`;
    return this.#deps.recorder.begin(connection, { ...request, path });
  }
}

/** Whether a poll changed the job. Other polls are not recorded in the history. */
function hasChanged({ before, after }: JobTransition): boolean {
  if (before.word !== after.word || before.state !== after.state) return true;
  return (before.problem === null) !== (after.problem === null);
}
