import { stat } from 'node:fs/promises';
import { VideoId } from '../../shared/video.ts';
import type { KeptAnswer, OrderVerdict, VideoOrder, VideoOrders } from '../proxy/proxy.ts';
import type { Persist } from './acts.ts';
import { clientJob } from './client-job.ts';
import type { RunGround } from './ground.ts';
import type { Hearing } from './hearing.ts';
import type { Job } from './job.ts';
import { whenIdentified } from './identified.ts';
import { readFieldMap } from './learned.ts';
import { findSame, orderSteps, type SameOrder } from './kept-orders.ts';
import { orderHash } from './order-hash.ts';
import { addressesIn } from './order-reading.ts';
import type { RecentAnswers } from './recent-answers.ts';
import { type OrderSent, SentByClient } from './sent-by-client.ts';
import { readJson } from './studio/shapes.ts';
import type { Reply } from './studio/studio.ts';
import { findUpload, uploadStep } from './uploads.ts';

export interface OrdersOptions {
  readonly hearing: Hearing;
  readonly run: RunGround;
  readonly recent: RecentAnswers;
  readonly persist: Persist;
  /** Told of what nobody planned for and nobody waits for. */
  readonly onFault: (error: unknown) => void;
  readonly randomBytes: (size: number) => Uint8Array;
}

const ID_BYTES = 8;

/** What clients order through the proxy, as jobs of the queue. */
export class Orders implements VideoOrders {
  readonly #options: OrdersOptions;
  /** Orders on their way, and orders being looked for, by what makes them the same. */
  readonly #ahead = new Map<string, Set<Promise<void>>>();

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  async take(order: VideoOrder, gone: AbortSignal): Promise<OrderVerdict> {
    const service = this.#options.run.serviceAt(order.baseUrl);
    const hash = orderHash(order, service);
    if (!order.allowDuplicate) await this.#waitForSame(hash, gone);
    // Nothing is awaited between the wait and this, so of two at the same moment one waits for the other.
    const settle = this.#enter(hash);
    try {
      const { store } = this.#options.hearing.ledger;
      const { at } = this.#options.hearing.ledger.occasion();
      const same = order.allowDuplicate ? null : await findSame(store, hash, at);
      if (same !== null) {
        settle();
        return await this.#named(same, order);
      }
      const job = await this.#insert(order, { service, hash, at });
      return { kind: 'send', sent: new SentByClient(this.#sent(job, order, settle)) };
    } catch (error) {
      settle();
      throw error;
    }
  }

  recentAnswer(baseUrl: string, taskId: string): KeptAnswer | null {
    return this.#options.recent.find(this.#options.run.serviceAt(baseUrl), taskId);
  }

  async cameAsForm(baseUrl: string, taskId: string): Promise<boolean> {
    const jobs = await this.#jobsOf(baseUrl, taskId);
    return jobs.some(({ form }) => form);
  }

  polled(baseUrl: string, taskId: string, answer: KeptAnswer): void {
    const { run, recent, onFault } = this.#options;
    recent.note(run.serviceAt(baseUrl), taskId, answer);
    void this.#hearPoll(baseUrl, taskId, answer).catch(onFault);
  }

  async localVideo(baseUrl: string, taskId: string) {
    for (const { file } of await this.#jobsOf(baseUrl, taskId)) {
      const found = file === null ? null : await stat(file.path).catch(() => null);
      if (file === null || found?.isFile() !== true || found.size !== file.bytes) continue;
      const { path, type, bytes, sha256 } = file;
      return { path, type, bytes, sha256 };
    }
    return null;
  }

  async uploadedUrl(baseUrl: string, sha256: string): Promise<string | null> {
    const { hearing, run } = this.#options;
    const { at } = hearing.ledger.occasion();
    return await findUpload(hearing.ledger.store, {
      service: run.serviceAt(baseUrl),
      sha256,
      at,
    });
  }

  async keepUpload(baseUrl: string, sha256: string, answer: KeptAnswer): Promise<string | null> {
    const { hearing, run } = this.#options;
    const { store } = hearing.ledger;
    const service = run.serviceAt(baseUrl);
    const json = readJson(answer.body.toString());
    const found = addressesIn(json, await readFieldMap(store, service));
    const [only] = found;
    if (only === undefined || found.length > 1) return null;
    await hearing.learn(service, { fileUrl: only.pointer });
    const { at } = hearing.ledger.occasion();
    await store.write([uploadStep({ service, sha256, url: only.value, at })]);
    return only.value;
  }

  async #waitForSame(hash: string, gone: AbortSignal): Promise<void> {
    const left = new Promise<never>((_, reject) => {
      gone.addEventListener('abort', () => reject(gone.reason), { once: true });
    });
    left.catch(() => undefined);
    for (;;) {
      gone.throwIfAborted();
      const ahead = this.#ahead.get(hash);
      if (ahead === undefined) return;
      await Promise.race([Promise.all(ahead), left]);
    }
  }

  /** Gives what ends it. */
  #enter(hash: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = this.#ahead.get(hash) ?? new Set();
    this.#ahead.set(hash, all.add(promise));
    return () => {
      all.delete(promise);
      if (all.size === 0) this.#ahead.delete(hash);
      resolve();
    };
  }

  async #insert(
    order: VideoOrder,
    { service, hash, at }: { service: string; hash: string; at: number },
  ): Promise<Job> {
    const { hearing, run, randomBytes } = this.#options;
    const id = VideoId.parse(Buffer.from(randomBytes(ID_BYTES)).toString('hex'));
    const job = clientJob({ order, id, service, at, redact: run.redact });
    await hearing.ledger.insert(job, orderSteps(id, hash, at));
    return job;
  }

  /** Who ordered by a form looks for the task in the answer, also in one that is given again at once. */
  async #named(same: SameOrder, { form }: VideoOrder): Promise<OrderVerdict> {
    if (!form || same.kind !== 'replay' || same.taskId !== null) return same;
    return { ...same, taskId: await whenIdentified(this.#options.hearing, same.id) };
  }

  #sent(job: Job, { body, form }: VideoOrder, settle: () => void): OrderSent {
    const { hearing, persist } = this.#options;
    return { job, hearing, persist, settle, request: () => readJson(body.toString()), form };
  }

  async #hearPoll(baseUrl: string, taskId: string, answer: KeptAnswer): Promise<void> {
    const reply = replyFrom(answer);
    for (const job of await this.#jobsOf(baseUrl, taskId)) {
      const asks = job.state === 'rendering' || job.state === 'timed-out';
      if (asks) await this.#options.hearing.poll(job, reply);
    }
  }

  async #jobsOf(baseUrl: string, taskId: string): Promise<readonly Job[]> {
    const { hearing, run } = this.#options;
    const rows = await hearing.ledger.store.db
      .selectFrom('video_job')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('service', '=', run.serviceAt(baseUrl))
      .execute();
    return hearing.ledger.read(rows);
  }
}

/** An answer that the proxy kept, as our own requests have theirs. */
function replyFrom({ status, body }: KeptAnswer): Extract<Reply, { kind: 'answer' }> {
  const text = body.toString();
  return { kind: 'answer', status, text, json: readJson(text), retryAfterMs: null };
}
