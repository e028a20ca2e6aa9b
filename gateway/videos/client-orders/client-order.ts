import { setTimeout as pause } from 'node:timers/promises';
import type { StoredResponse, PendingOrder } from '../../proxy/proxy.ts';
import type { SaveUntilDone } from '../run/job-actions.ts';
import { recordOrderAnswer } from '../run/record-order-answer.ts';
import type { JobRepository } from '../store/job-repository.ts';
import type { Job } from '../transitions/job.ts';
import { answeredStatements, deleteStatements } from '../store/order-dedupe.ts';
import { waitForTaskId } from './wait-for-task-id.ts';
import { parseReply } from '../service/detect-fields.ts';

/** A client's order that is on the disk and is being sent. */
export interface ClientOrderOptions {
  readonly job: Job;
  readonly repository: JobRepository;
  readonly saveUntilDone: SaveUntilDone;
  /** Wakes the orders that wait for this one. */
  readonly settle: () => void;
  readonly request: () => unknown;
  readonly form: boolean;
}

const LOST = 'The connection to the service was lost, so it is unknown whether the order arrived.';
/** A client waits no longer for our disk. */
const TIMEOUT_MS = 5_000;

/** Saves the outcome of a client's order. */
export class ClientOrder implements PendingOrder {
  readonly #options: ClientOrderOptions;

  constructor(options: ClientOrderOptions) {
    this.#options = options;
  }

  async answered(answer: StoredResponse): Promise<string | null> {
    const { job, form, repository } = this.#options;
    const { text } = repository.createAnswer('submit', toAnswerText(answer));
    await this.#save(text, async () => await this.#recordAnswer(answer));
    const after = await repository.find(job.id).catch(() => null);
    if (!form || after?.state !== 'identifying') return after?.taskId ?? null;
    return await waitForTaskId(repository, job.id);
  }

  async lost(nothingSent: boolean): Promise<void> {
    const { job, repository } = this.#options;
    await this.#save('', async () => {
      if (nothingSent) await this.#remove();
      else await repository.dispatch(job.id, { kind: 'lost', order: job.orders, sentence: LOST });
    });
  }

  /** Saves until it succeeds. Resolves then, or after a timeout while saving goes on. */
  async #save(payload: string, work: () => Promise<void>): Promise<void> {
    const { saveUntilDone, settle } = this.#options;
    const written = saveUntilDone(payload, work)
      // The failure is in the log.
      .catch(() => undefined)
      .finally(settle);
    await Promise.race([written, pause(TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #recordAnswer(answer: StoredResponse): Promise<void> {
    const { job, repository, request } = this.#options;
    const { status } = answer;
    const { text } = toAnswerText(answer);
    const json = parseReply(text);
    const order = {
      job,
      reply: { kind: 'answer', status, text, json, retryAfterMs: null },
      request: request(),
      answer: repository.createAnswer('submit', { status, text }),
    } as const;
    const now = repository.stamp();
    const event = await recordOrderAnswer(repository, order, ({ kind }) => {
      if (kind === 'refused' || kind === 'not-ordered') return null;
      return kind === 'accepted' ? answeredStatements(job.id, answer, now) : [];
    });
    if (event.kind === 'refused' || event.kind === 'not-ordered') await this.#remove();
  }

  /** Deletes the job of an order that was refused, which the client has been told. */
  async #remove(): Promise<void> {
    const { job, repository } = this.#options;
    for (;;) {
      const now = await repository.find(job.id);
      if (now === null || (await repository.delete(now, deleteStatements(job.id)))) return;
    }
  }
}

function toAnswerText({ status, body }: StoredResponse) {
  return { status, text: body.toString() };
}
