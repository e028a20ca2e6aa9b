import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createVideoId,
  VIDEO_ID_BYTES,
  type VideoId,
  type Candidate,
} from '../../../shared/video/video.ts';
import type {
  AnsweredUpload,
  StoredResponse,
  OrderDecision,
  VideoOrder,
  VideoOrderRegistry,
} from '../../proxy/proxy.ts';
import type { SaveUntilDone } from '../run/job-actions.ts';
import { createClientJob } from './client-job.ts';
import type { RunnerDeps } from '../run/deps.ts';
import type { JobRepository } from '../store/job-repository.ts';
import { recordPoll } from '../run/record-poll.ts';
import type { Job } from '../transitions/job.ts';
import { waitForTaskId } from './wait-for-task-id.ts';
import { readFieldMap } from '../store/field-maps.ts';
import {
  registerStatement,
  findOriginal,
  deleteStatements,
  type OriginalOrder,
  judgeRepeat,
} from '../store/order-dedupe.ts';

import { findUploadUrls } from '../service/parse-order.ts';
import type { StatusCache } from './status-cache.ts';
import { type ClientOrderOptions, ClientOrder } from './client-order.ts';
import { parseReply } from '../service/detect-fields.ts';
import type { VideoServiceClient } from '../service/video-service-client.ts';
import type { FileMark, Reply } from '../service/types.ts';
import { findWorkingUrl } from '../service/find-working-url.ts';
import { findUpload, uploadStatement } from '../store/uploads.ts';
import { createHash } from 'node:crypto';

export interface ClientOrdersOptions {
  readonly repository: JobRepository;
  readonly run: RunnerDeps;
  readonly recent: StatusCache;
  readonly saveUntilDone: SaveUntilDone;
  readonly serviceClient: Pick<VideoServiceClient, 'givesFile'>;
  /** Is called with unexpected errors of work that nobody awaits. */
  readonly onFault: (error: unknown) => void;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Interval of checks for the outcome of an order that another process sends. */
const CHECK_MS = 500;

/** Addresses found in the reply to an upload. */
interface UploadAddresses {
  readonly service: string;
  readonly found: readonly Candidate[];
  readonly signal: AbortSignal;
}

/** Registers the orders of clients that go through the proxy as jobs of the queue. */
export class ClientOrders implements VideoOrderRegistry {
  readonly #options: ClientOrdersOptions;
  /** Orders of this process whose outcome is not on the disk yet. */
  readonly #inFlight = new Map<VideoId, PromiseWithResolvers<void>>();

  constructor(options: ClientOrdersOptions) {
    this.#options = options;
  }

  async take(order: VideoOrder, signal: AbortSignal): Promise<OrderDecision> {
    const { store } = this.#options.repository;
    const service = this.#options.run.toServiceId(order.baseUrl);
    const identity = { service, hash: hashOrder(order, service) };
    const waitedFor = new Set<VideoId>();
    for (;;) {
      signal.throwIfAborted();
      const sent = await this.#register(order, identity);
      if (sent !== null) return { kind: 'send', sent };
      const original = await findOriginal(store, identity.hash);
      if (original === null) continue;
      const { id } = original;
      const { uptime, bootId } = this.#options.repository.stamp();
      const repeat = { arrivedAt: order.arrivedAt, uptime, bootId, waited: waitedFor.has(id) };
      const outcome = judgeRepeat(original, repeat);
      switch (outcome.kind) {
        case 'over':
          await store.write(deleteStatements(id));
          break;
        case 'on-its-way':
          if (await this.#isDamaged(id)) return { kind: 'unknown', orderedAt: original.orderedAt };
          waitedFor.add(id);
          await waitUnlessAborted(this.#inFlight.get(id)?.promise ?? pause(CHECK_MS), signal);
          break;
        case 'repeat':
          return { ...outcome, taskId: await this.#findTask(original, order) };
        case 'unknown':
          return outcome;
      }
    }
  }

  recentAnswer(baseUrl: string, taskId: string): StoredResponse | null {
    return this.#options.recent.get(this.#options.run.toServiceId(baseUrl), taskId);
  }

  async wasSubmittedAsForm(baseUrl: string, taskId: string): Promise<boolean> {
    const jobs = await this.#findJobs(baseUrl, taskId);
    return jobs.some(({ form }) => form);
  }

  recordPoll(baseUrl: string, taskId: string, answer: StoredResponse): void {
    const { run, recent, onFault } = this.#options;
    recent.set(run.toServiceId(baseUrl), taskId, answer);
    void this.#recordPoll(baseUrl, taskId, answer).catch(onFault);
  }

  async localVideo(baseUrl: string, taskId: string) {
    for (const { file } of await this.#findJobs(baseUrl, taskId)) {
      const found = file === null ? null : await stat(file.path).catch(() => null);
      if (file === null || found?.isFile() !== true || found.size !== file.bytes) continue;
      const { path, type, bytes, sha256 } = file;
      return { path, type, bytes, sha256 };
    }
    return null;
  }

  async uploadedUrl(baseUrl: string, sha256: string): Promise<string | null> {
    const { repository, run } = this.#options;
    const { at } = repository.stamp();
    return await findUpload(repository.store, {
      service: run.toServiceId(baseUrl),
      sha256,
      at,
    });
  }

  async storeUpload(
    { baseUrl, file, answer }: AnsweredUpload,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { repository, run } = this.#options;
    const { store } = repository;
    const service = run.toServiceId(baseUrl);
    const json = parseReply(answer.body.toString());
    const found = findUploadUrls(json, await readFieldMap(store, service));
    const [first, ...more] = found;
    const only =
      more.length === 0 ? first : await this.#findAddress(file, { service, found, signal });
    if (only === undefined) return null;
    const { sha256 } = file;
    await repository.saveLearnedFields(service, { fileUrl: only.pointer });
    const { at } = repository.stamp();
    await store.write([uploadStatement({ service, sha256, url: only.value, at })]);
    return only.value;
  }

  /** Finds the one of several addresses that returns the file. */
  async #findAddress(
    file: FileMark,
    { service, found, signal }: UploadAddresses,
  ): Promise<Candidate | undefined> {
    const { run, serviceClient } = this.#options;
    const lease = await run.acquireConnection(service);
    if ('sentence' in lease) return undefined;
    const { connection } = lease;
    try {
      const working = await findWorkingUrl(found, async (address) => {
        return await serviceClient.givesFile({ connection, address, file, signal });
      });
      return working ?? undefined;
    } finally {
      lease.release();
    }
  }

  /** Whether the row of an order's video cannot be read. Its outcome is unknown then, and no start makes it unsure. */
  async #isDamaged(id: VideoId): Promise<boolean> {
    const { repository } = this.#options;
    return (await repository.find(id)) === null && repository.unreadableIds.includes(id);
  }

  /** Saves an order as one that is sent now. Resolves with `null` when another order has its identity. */
  async #register(
    order: VideoOrder,
    { service, hash }: { readonly service: string; readonly hash: string },
  ): Promise<ClientOrder | null> {
    const { repository, run, randomBytes } = this.#options;
    const { at } = repository.stamp();
    const id = createVideoId(randomBytes(VIDEO_ID_BYTES));
    const job = createClientJob({ order, id, service, at, redact: run.redact });
    const settled = Promise.withResolvers<void>();
    const settle = (): void => {
      this.#inFlight.delete(id);
      settled.resolve();
    };
    // It must be here before others can find it on the disk.
    this.#inFlight.set(id, settled);
    try {
      const first = registerStatement({ id, hash, at, allowDuplicate: order.allowDuplicate });
      if (await repository.insertIf(first, job)) {
        return new ClientOrder(this.#toPendingOrder(job, order, settle));
      }
      this.#inFlight.delete(id);
      return null;
    } catch (error) {
      this.#inFlight.delete(id);
      throw error;
    }
  }

  /** Finds the task of a repeated order; clients that order by a form look for it in the response. */
  async #findTask({ id, taskId }: OriginalOrder, { form }: VideoOrder): Promise<string | null> {
    return form && taskId === null ? await waitForTaskId(this.#options.repository, id) : taskId;
  }

  #toPendingOrder(job: Job, { body, form }: VideoOrder, settle: () => void): ClientOrderOptions {
    const { repository, saveUntilDone } = this.#options;
    return {
      job,
      repository,
      saveUntilDone,
      settle,
      request: () => parseReply(body.toString()),
      form,
    };
  }

  async #recordPoll(baseUrl: string, taskId: string, answer: StoredResponse): Promise<void> {
    const reply = toReply(answer);
    for (const job of await this.#findJobs(baseUrl, taskId)) {
      const isPolled = job.state === 'rendering' || job.state === 'timed-out';
      if (isPolled) await recordPoll(this.#options, job, reply);
    }
  }

  async #findJobs(baseUrl: string, taskId: string): Promise<readonly Job[]> {
    const { repository, run } = this.#options;
    const rows = await repository.store.db
      .selectFrom('video_job')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('service', '=', run.toServiceId(baseUrl))
      .execute();
    return repository.read(rows);
  }
}

/** Converts a stored response to the reply of a request. */
function toReply({ status, body }: StoredResponse): Extract<Reply, { kind: 'answer' }> {
  const text = body.toString();
  return { kind: 'answer', status, text, json: parseReply(text), retryAfterMs: null };
}

/** Waits for a promise. Rejects with the signal's reason when that is aborted first. */
async function waitUnlessAborted(wait: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: disconnected, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave);
  try {
    await Promise.race([wait, disconnected]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** Hashes the identity of an order: its client, service, content and `Idempotency-Key`. */
function hashOrder(
  { client, identity, idempotencyKey }: Pick<VideoOrder, 'client' | 'identity' | 'idempotencyKey'>,
  service: string,
): string {
  const parts = [client.id, service, identity, idempotencyKey];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
