import { isDeepStrictEqual } from 'node:util';
import type { FieldMap, VideoAnswer, VideoId } from '../../shared/video.ts';
import type { Step } from '../store/store.ts';
import { latestRecords, type NewAnswer } from './answers.ts';
import type { AnyHappening } from './event.ts';
import type { RunGround } from './ground.ts';
import type { Job } from './job.ts';
import { changeFieldMap, readFieldMap } from './learned.ts';
import type { Changed, Ledger } from './ledger.ts';
import { readPoll } from './poll-reading.ts';
import { readJson } from './studio/shapes.ts';
import type { Reply } from './studio/studio.ts';

/** What is written down together with what happened. */
export interface Attached {
  readonly answer?: NewAnswer;
  readonly also?: readonly Step[];
}

/** Lets jobs hear what came of an act: theirs, or a client's. */
export class Hearing {
  readonly ledger: Ledger;
  readonly #run: RunGround;

  constructor(ledger: Ledger, run: RunGround) {
    this.ledger = ledger;
    this.#run = run;
  }

  /** `null` for `what`: only the answer is kept. Resolves with `null` when the job is not there any more. */
  async tell(
    id: VideoId,
    what: AnyHappening | null,
    attached: Attached = {},
  ): Promise<Changed | null> {
    const event = what === null ? null : { ...what, ...this.ledger.occasion() };
    return await this.ledger.change(id, {
      event: () => event,
      pace: this.#run.pace,
      ...attached,
    });
  }

  /** An answer as it is kept: without any key. */
  answer(stage: VideoAnswer['stage'], { status, text }: Came): NewAnswer {
    const { at } = this.ledger.occasion();
    return { stage, at, status, text: this.#run.redact(text) };
  }

  /** Remembers where a service puts what the spec does not name. */
  async learn(service: string, learned: Partial<FieldMap>): Promise<void> {
    const known = await readFieldMap(this.ledger.store, service);
    if (isDeepStrictEqual({ ...known, ...learned }, known)) return;
    await changeFieldMap(this.ledger.store, service, (map) => ({ ...map, ...learned }));
    this.ledger.tell();
  }

  /** An answer about the task of a job. */
  async poll(job: Job, reply: Reply): Promise<Changed | null> {
    const { store } = this.ledger;
    const { event, learned } = readPoll(reply, {
      job,
      map: await readFieldMap(store, job.service),
      before: (await latestRecords(store, job.id)).map(readJson),
      fetches: job.origin !== 'client' || this.#run.settings().keepClientVideos,
    });
    const changed = await this.tell(job.id, event, { answer: this.answer('poll', cameOf(reply)) });
    await this.learn(job.service, learned);
    return changed;
  }
}

interface Came {
  readonly status: number | null;
  readonly text: string;
}

/** What is kept of a reply: the answer, or why there is none. */
export function cameOf(reply: Reply): Came {
  return reply.kind === 'answer' ? reply : { status: null, text: reply.sentence };
}
