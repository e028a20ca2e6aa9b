import type { Statement } from '../../store/store.ts';
import { parseOrderAnswer } from '../service/parse-order.ts';
import type { Reply } from '../service/types.ts';
import type { NewAnswer } from '../store/answers.ts';
import { readFieldMap } from '../store/field-maps.ts';
import type { JobRepository } from '../store/job-repository.ts';
import type { Job } from '../transitions/job.ts';

/** The service's reply to an order, and the request that it replies to. */
export interface OrderAnswer {
  readonly job: Job;
  readonly reply: Reply;
  /** The body of the order, parsed; `undefined` when it is not JSON. */
  readonly request: unknown;
  readonly answer: NewAnswer;
}

export type OrderEvent = ReturnType<typeof parseOrderAnswer>;

/**
 * Reads what became of an order and applies it to its job, in one transaction with the statements of `also`. With `null` from `also`
 * the job stays as it is. Resolves with the event.
 */
export async function recordOrderAnswer(
  repository: JobRepository,
  { job, reply, request, answer }: OrderAnswer,
  also: (event: OrderEvent) => readonly Statement[] | null,
): Promise<OrderEvent> {
  const map = await readFieldMap(repository.store, job.service);
  const event = parseOrderAnswer(reply, { order: job.orders, request, map });
  const statements = also(event);
  if (statements !== null) {
    await repository.dispatch(job.id, event, { answer, also: statements });
  }
  return event;
}
