import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { newVideoId, VIDEO_ID_BYTES, type VideoId } from '../../shared/video.ts';
import type {
  AnsweredUpload,
  KeptAnswer,
  OrderVerdict,
  VideoOrder,
  VideoOrders,
} from '../proxy/proxy.ts';
import type { Persist } from './acts.ts';
import { clientJob } from './client-job.ts';
import type { RunGround } from './ground.ts';
import type { Hearing } from './hearing.ts';
import type { Job } from './job.ts';
import { whenIdentified } from './identified.ts';
import { readFieldMap } from './learned.ts';
import { enterStep, findHolder, forgetSteps, type Holder, standingOf } from './kept-orders.ts';
import { orderHash } from './order-hash.ts';
import { addressesIn } from './order-reading.ts';
import type { RecentAnswers } from './recent-answers.ts';
import { type OrderSent, SentByClient } from './sent-by-client.ts';
import { readJson } from './studio/shapes.ts';
import type { FileMark, Reply, Studio } from './studio/studio.ts';
import { tellAddress } from './upload-address.ts';
import type { Candidate } from '../../shared/video.ts';
import { findUpload, uploadStep } from './uploads.ts';

export interface OrdersOptions {
  readonly hearing: Hearing;
  readonly run: RunGround;
  readonly recent: RecentAnswers;
  readonly persist: Persist;
  readonly studio: Pick<Studio, 'gives'>;
  /** Told of what nobody planned for and nobody waits for. */
  readonly onFault: (error: unknown) => void;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** How often an order that another process has on its way is looked at. */
const LOOK_MS = 500;

/** Addresses in the answer of a service to an upload. */
interface Addresses {
  readonly service: string;
  readonly found: readonly Candidate[];
  readonly gone: AbortSignal;
}

/** What clients order through the proxy, as jobs of the queue. */
export class Orders implements VideoOrders {
  readonly #options: OrdersOptions;
  /** The orders of this process whose outcome is not on the disk yet. */
  readonly #onTheirWay = new Map<VideoId, PromiseWithResolvers<void>>();

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  async take(order: VideoOrder, gone: AbortSignal): Promise<OrderVerdict> {
    const { store } = this.#options.hearing.ledger;
    const service = this.#options.run.serviceAt(order.baseUrl);
    const identity = { service, hash: orderHash(order, service) };
    const awaited = new Set<VideoId>();
    for (;;) {
      gone.throwIfAborted();
      const sent = await this.#enter(order, identity);
      if (sent !== null) return { kind: 'send', sent };
      const holder = await findHolder(store, identity.hash);
      if (holder === null) continue;
      const { id } = holder;
      const { uptime, bootId } = this.#options.hearing.ledger.occasion();
      const repeat = { arrivedAt: order.arrivedAt, uptime, bootId, waited: awaited.has(id) };
      const standing = standingOf(holder, repeat);
      switch (standing.kind) {
        case 'over':
          await store.write(forgetSteps(id));
          break;
        case 'on-its-way':
          if (await this.#isDamaged(id)) return { kind: 'unknown', orderedAt: holder.orderedAt };
          awaited.add(id);
          await unlessGone(this.#onTheirWay.get(id)?.promise ?? pause(LOOK_MS), gone);
          break;
        case 'replay':
          return { ...standing, taskId: await this.#taskOf(holder, order) };
        case 'unknown':
          return standing;
      }
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

  async keepUpload(
    { baseUrl, file, answer }: AnsweredUpload,
    gone: AbortSignal,
  ): Promise<string | null> {
    const { hearing, run } = this.#options;
    const { store } = hearing.ledger;
    const service = run.serviceAt(baseUrl);
    const json = readJson(answer.body.toString());
    const found = addressesIn(json, await readFieldMap(store, service));
    const [first, ...more] = found;
    const only = more.length === 0 ? first : await this.#addressOf(file, { service, found, gone });
    if (only === undefined) return null;
    const { sha256 } = file;
    await hearing.learn(service, { fileUrl: only.pointer });
    const { at } = hearing.ledger.occasion();
    await store.write([uploadStep({ service, sha256, url: only.value, at })]);
    return only.value;
  }

  /** The one of several addresses that gives the file back. */
  async #addressOf(
    file: FileMark,
    { service, found, gone }: Addresses,
  ): Promise<Candidate | undefined> {
    const { run, studio } = this.#options;
    const lent = await run.wireTo(service);
    if ('sentence' in lent) return undefined;
    const { wire } = lent;
    try {
      const told = await tellAddress(found, async (address) => {
        return await studio.gives({ wire, address, file, signal: gone });
      });
      return told ?? undefined;
    } finally {
      lent.release();
    }
  }

  /** Whether nobody can say what became of an order: the row of its video cannot be read, so a start after a kill does not make it unsure. */
  async #isDamaged(id: VideoId): Promise<boolean> {
    const { ledger } = this.#options.hearing;
    return (await ledger.find(id)) === null && ledger.damaged.includes(id);
  }

  /** Puts the order on the disk as one that leaves now; `null` when another one holds its identity. */
  async #enter(
    order: VideoOrder,
    { service, hash }: { readonly service: string; readonly hash: string },
  ): Promise<SentByClient | null> {
    const { hearing, run, randomBytes } = this.#options;
    const { at } = hearing.ledger.occasion();
    const id = newVideoId(randomBytes(VIDEO_ID_BYTES));
    const job = clientJob({ order, id, service, at, redact: run.redact });
    const way = Promise.withResolvers<void>();
    const settle = (): void => {
      this.#onTheirWay.delete(id);
      way.resolve();
    };
    // Whoever finds it on the disk must find it here, too.
    this.#onTheirWay.set(id, way);
    try {
      const first = enterStep({ id, hash, at, allowDuplicate: order.allowDuplicate });
      if (await hearing.ledger.insertIf(first, job)) {
        return new SentByClient(this.#sent(job, order, settle));
      }
      this.#onTheirWay.delete(id);
      return null;
    } catch (error) {
      this.#onTheirWay.delete(id);
      throw error;
    }
  }

  /** Who ordered by a form looks for the task in the answer, also in one that is given again at once. */
  async #taskOf({ id, taskId }: Holder, { form }: VideoOrder): Promise<string | null> {
    return form && taskId === null ? await whenIdentified(this.#options.hearing, id) : taskId;
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

/** Rejects with the signal's reason when that aborts first. */
async function unlessGone(wait: Promise<unknown>, gone: AbortSignal): Promise<void> {
  gone.throwIfAborted();
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(gone.reason);
  gone.addEventListener('abort', leave);
  try {
    await Promise.race([wait, left]);
  } finally {
    gone.removeEventListener('abort', leave);
  }
}
