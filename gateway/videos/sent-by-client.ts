import { setTimeout as pause } from 'node:timers/promises';
import type { KeptAnswer, SentOrder } from '../proxy/proxy.ts';
import type { Persist } from './acts.ts';
import type { Hearing } from './hearing.ts';
import type { Job } from './job.ts';
import { answeredSteps, forgetSteps } from './kept-orders.ts';
import { whenIdentified } from './identified.ts';
import { readFieldMap } from './learned.ts';
import { readOrderAnswer } from './order-reading.ts';
import { readJson } from './studio/shapes.ts';

/** An order of a client that is on the disk and on its way. */
export interface OrderSent {
  readonly job: Job;
  readonly hearing: Hearing;
  readonly persist: Persist;
  /** Lets those go on that wait for the same order. */
  readonly settle: () => void;
  readonly request: () => unknown;
  readonly form: boolean;
}

const LOST = 'The connection to the service was lost, so nobody knows whether the order arrived.';
/** A client is not kept waiting for our own troubles with the disk. */
const PATIENCE_MS = 5_000;

/** Puts on the disk what came of it. */
export class SentByClient implements SentOrder {
  readonly #sent: OrderSent;

  constructor(sent: OrderSent) {
    this.#sent = sent;
  }

  async answered(answer: KeptAnswer): Promise<string | null> {
    const { job, form, hearing } = this.#sent;
    const { text } = hearing.answer('submit', came(answer));
    await this.#write(text, async () => await this.#hear(answer));
    const after = await hearing.ledger.find(job.id).catch(() => null);
    if (!form || after?.state !== 'identifying') return after?.taskId ?? null;
    return await whenIdentified(hearing, job.id);
  }

  async lost(nothingSent: boolean): Promise<void> {
    const { job, hearing } = this.#sent;
    await this.#write('', async () => {
      if (nothingSent) await this.#forget();
      else await hearing.tell(job.id, { kind: 'lost', order: job.orders, sentence: LOST });
    });
  }

  /** Resolves when it is written, or when the client has waited long enough: then it is still tried. */
  async #write(said: string, work: () => Promise<void>): Promise<void> {
    const { persist, settle } = this.#sent;
    const written = persist(said, work)
      // It is in the log.
      .catch(() => undefined)
      .finally(settle);
    await Promise.race([written, pause(PATIENCE_MS, undefined, { ref: false })]);
  }

  async #hear(answer: KeptAnswer): Promise<void> {
    const { job, hearing, request } = this.#sent;
    const { status } = answer;
    const { text } = came(answer);
    const map = await readFieldMap(hearing.ledger.store, job.service);
    const reply = {
      kind: 'answer',
      status,
      text,
      json: readJson(text),
      retryAfterMs: null,
    } as const;
    const event = readOrderAnswer(reply, { order: job.orders, request: request(), map });
    if (event.kind === 'refused' || event.kind === 'not-ordered') return await this.#forget();
    const now = hearing.ledger.occasion();
    const kept = event.kind === 'accepted' ? answeredSteps(job.id, answer, now) : [];
    const note = hearing.answer('submit', came(answer));
    await hearing.tell(job.id, event, { answer: note, also: kept });
  }

  /** Nothing was ordered, and the client knows. */
  async #forget(): Promise<void> {
    const { job, hearing } = this.#sent;
    for (;;) {
      const now = await hearing.ledger.find(job.id);
      if (now === null || (await hearing.ledger.delete(now, forgetSteps(job.id)))) return;
    }
  }
}

function came({ status, body }: KeptAnswer) {
  return { status, text: body.toString() };
}
