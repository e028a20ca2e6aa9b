import { basename, join } from 'node:path';
import type { RunGround } from './ground.ts';
import { cameOf, type Hearing } from './hearing.ts';
import type { Job, Suspect } from './job.ts';
import { readFieldMap } from './learned.ts';
import type { Changed } from './ledger.ts';
import { readOrderAnswer, readUpload, type UploadReading } from './order-reading.ts';
import { readVerdict } from './poll-reading.ts';
import type { Errand, Recorder } from './recorder.ts';
import { whatCame } from './saying.ts';
import { readJson } from './studio/shapes.ts';
import type { Fetched, FileMark, Reply, Studio, Wire } from './studio/studio.ts';
import { partFileOf } from './part-file.ts';
import { tellAddress } from './upload-address.ts';
import { findUpload, forgetUpload, uploadStep } from './uploads.ts';
import { videoName } from './video-name.ts';
import type { Images } from '../images/images.ts';

/** What acting for jobs needs. */
export interface ActGround {
  readonly hearing: Hearing;
  readonly images: Images;
  readonly studio: Studio;
  readonly recorder: Recorder;
  readonly run: RunGround;
  readonly dataDir: string;
  /** Told of every answer of a service. */
  readonly onReply: (job: Job, taskId: string | null, reply: Reply) => void;
}

/** The way to a service while it lasts, and what stops its use. */
export interface Way {
  readonly wire: Wire;
  readonly signal: AbortSignal;
}

/** Does something until it is done, as long as this process lives. `said`: what would be lost otherwise. */
export type Persist = (said: string, work: () => Promise<void>) => Promise<void>;

const STOPPED =
  'Gatehouse was stopped while the order was on its way, so nobody knows whether it arrived.';
const PROGRESS_MS = 1_000;

/** What is done for a job at its service. Each act ends with what the job heard of it. */
export class Acts {
  readonly #ground: ActGround;

  constructor(ground: ActGround) {
    this.#ground = ground;
  }

  /** A waiting job's turn. Resolves with the job when its order is on the disk and has to leave now. */
  async claim(job: Job): Promise<Changed | null> {
    const { hearing } = this.#ground;
    const { ledger } = hearing;
    const { at } = ledger.occasion();
    const { service, image } = job;
    const wanted = image === null ? null : { service, sha256: image.hash, at };
    const upload = wanted === null ? null : await findUpload(ledger.store, wanted);
    return await hearing.tell(job.id, { kind: 'claimed', upload });
  }

  /** The same for its image. */
  async upload(job: Job, way: Way): Promise<Changed | null> {
    const { hearing, images, studio } = this.#ground;
    const { signal } = way;
    const { service, image } = job;
    const file = image === null ? null : await images.find(image.hash);
    if (file === null || image === null) {
      const sentence = 'The image is not in the data folder any more. Nothing was ordered.';
      return await hearing.tell(job.id, { kind: 'upload-refused', sentence });
    }
    const { wire, done } = this.#begin(way.wire, {
      route: 'files',
      method: 'POST',
      path: '/v1/files',
      bytesIn: file.bytes,
    });
    const reply = await studio.upload(wire, file, signal);
    done(reply);
    this.#ground.onReply(job, null, reply);
    const map = await readFieldMap(hearing.ledger.store, service);
    const mark = { bytes: file.bytes, sha256: image.hash };
    const { event, learned } = await this.#settle(readUpload(reply, map), mark, way);
    await hearing.learn(service, learned);
    const { at } = hearing.ledger.occasion();
    const also =
      event.kind === 'uploaded'
        ? [uploadStep({ service, sha256: image.hash, url: event.url, at })]
        : [];
    const answer = hearing.answer('upload', cameOf(reply));
    // What it leads to may be an order.
    signal.throwIfAborted();
    return await hearing.tell(job.id, event, { answer, also });
  }

  /** Of several addresses the one that gives the image back is meant; a person is asked about the rest. */
  async #settle(reading: UploadReading, file: FileMark, way: Way): Promise<UploadReading> {
    const { event } = reading;
    if (event.kind !== 'upload-unclear') return reading;
    const found = await tellAddress(event.question.candidates, async (address) => {
      return await this.#ground.studio.gives({ ...way, address, file });
    });
    if (found === null) return reading;
    return { event: { kind: 'uploaded', url: found.value }, learned: { fileUrl: found.pointer } };
  }

  /** Sends an order that is on the disk, once, and puts there what came of it. */
  async order(job: Job, way: Way, persist: Persist): Promise<void> {
    const { hearing, studio } = this.#ground;
    const body = Buffer.from(job.body ?? '');
    const { wire, done } = this.#begin(way.wire, {
      route: 'video-submit',
      method: 'POST',
      path: '/v1/videos',
      model: job.request.model,
      bytesIn: body.length,
    });
    const reply = await studio.submit(wire, body, way.signal).catch((): Reply => {
      return { kind: 'none', nothingSent: false, sentence: STOPPED };
    });
    done(reply);
    this.#ground.onReply(job, null, reply);
    const answer = hearing.answer('submit', cameOf(reply));
    await persist(answer.text, async () => {
      const { store } = hearing.ledger;
      const map = await readFieldMap(store, job.service);
      const request = readJson(job.body ?? '');
      const event = readOrderAnswer(reply, { order: job.orders, request, map });
      await hearing.tell(job.id, event, { answer });
      if (event.kind === 'refused' && event.maybeUpload && job.upload !== null) {
        await forgetUpload(store, job.service, job.upload.url);
      }
    });
  }

  /** Asks for everything that may be the task's identifier, as long as the service answers. */
  async identify(job: Job, way: Way): Promise<void> {
    const { hearing } = this.#ground;
    const suspects: Suspect[] = [];
    let problem: string | null = null;
    for (const suspect of job.suspects) {
      if (suspect.verdict !== 'unasked' || problem !== null) {
        suspects.push(suspect);
        continue;
      }
      const reply = await this.#ask(job, suspect.value, way);
      const verdict = readVerdict(reply);
      if (verdict === 'unasked') problem = whatCame(reply);
      suspects.push({ ...suspect, verdict });
      await hearing.tell(job.id, null, { answer: hearing.answer('identify', cameOf(reply)) });
    }
    const changed = await hearing.tell(job.id, { kind: 'asked-suspects', suspects, problem });
    if (changed?.before.state !== 'identifying' || changed.after.state !== 'rendering') return;
    const found = suspects.find(({ value }) => value === changed.after.taskId);
    if (found !== undefined) await hearing.learn(job.service, { taskId: found.pointer });
  }

  /** Asks about the task of a job. */
  async poll(job: Job, way: Way): Promise<void> {
    const taskId = job.taskId ?? '';
    const path = `/v1/videos/${encodeURIComponent(taskId)}`;
    const { wire, done } = this.#begin(way.wire, { route: 'video-status', method: 'GET', path });
    const reply = await this.#ask(job, taskId, { ...way, wire });
    const changed = await this.#ground.hearing.poll(job, reply);
    if (changed !== null && isNews(changed)) done(reply);
  }

  async #ask(job: Job, taskId: string, { wire, signal }: Way): Promise<Reply> {
    const reply = await this.#ground.studio.ask(wire, taskId, signal);
    this.#ground.onReply(job, taskId, reply);
    return reply;
  }

  /** Fetches a finished video. */
  async fetch(job: Job, way: Way): Promise<void> {
    const { studio, run, dataDir } = this.#ground;
    const taskId = job.taskId ?? '';
    const path = `/v1/videos/${encodeURIComponent(taskId)}/content`;
    const { wire, done } = this.#begin(way.wire, { route: 'video-content', method: 'GET', path });
    const videos = join(dataDir, 'videos');
    const came = await studio.fetch(wire, taskId, {
      folder: run.settings().videoFolder ?? videos,
      name: videoName({
        prompt: job.request.prompt,
        id: job.id,
        at: job.orderedAt ?? job.createdAt,
      }),
      partFile: partFileOf(dataDir, job),
      onProgress: this.#progressOf(job),
      signal: way.signal,
    });
    done(came);
    await this.#hearFetched(job, taskId, came);
  }

  async #hearFetched(job: Job, taskId: string, came: Fetched): Promise<void> {
    const { hearing } = this.#ground;
    if (came.kind === 'saved') {
      const { path, type, bytes, sha256 } = came;
      const file = { name: basename(path), path, type, bytes, sha256 };
      await hearing.tell(job.id, { kind: 'fetched', taskId, file });
      return;
    }
    const { kind: how, sentence, retryAfterMs, status, text } = came;
    const answer = hearing.answer('download', { status, text: text === '' ? sentence : text });
    const event = { kind: 'fetch-failed', taskId, how, sentence, retryAfterMs } as const;
    await hearing.tell(job.id, event, { answer });
  }

  #progressOf({ id }: Job): (bytes: number, total: number | null) => void {
    const { ledger } = this.#ground.hearing;
    let toldAt = Number.NEGATIVE_INFINITY;
    return (bytes, total) => {
      const now = performance.now();
      if (total === null || total <= 0 || now - toldAt < PROGRESS_MS) return;
      toldAt = now;
      void ledger.noteProgress(id, Math.min(1, bytes / total));
    };
  }

  #begin(wire: Wire, errand: Errand) {
    const path = `${wire.target.basePath}${errand.path}`;
    return this.#ground.recorder.begin(wire, { ...errand, path });
  }
}

/** Whether an answer told something that was not known: the others are not worth a line in the history. */
function isNews({ before, after }: Changed): boolean {
  if (before.word !== after.word || before.state !== after.state) return true;
  return (before.problem === null) !== (after.problem === null);
}
