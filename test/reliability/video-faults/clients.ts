import { z } from 'zod';
import type { Sandbox } from '../../../sandbox/server.ts';
import type { VideoJob } from '../../../shared/video/video.ts';
import { type ClientTarget, type ClientAnswer, orderWithRetries } from './client.ts';
import { RunStats } from './run-stats.ts';
import type { OrderHabit, Plan } from './planned-actions.ts';

const CONFLICT = 409;
/** A response of the sandbox to a form, with the `id` that the gateway may have added. */
const FormAnswer = z.looseObject({ id: z.string().optional() });
/** States in which an order has not been answered yet. */
const UNSETTLED: readonly VideoJob['state'][] = ['submitting', 'unsure'];

/** The clients of a scenario: each repeats an identical order, all copies of it at once, until every copy has its response. */
export class Clients {
  readonly #stats: RunStats;
  readonly #sandbox: Sandbox;
  /** Responses that the copies of an order received, by prompt. */
  readonly #got = new Map<string, ClientAnswer[]>();

  constructor(stats: RunStats, sandbox: Sandbox) {
    this.#stats = stats;
    this.#sandbox = sandbox;
  }

  /** Returns whether every copy of an order has its response. */
  isAnswered({ who, prompt, habit }: Plan): boolean {
    return who === 'person' || this.#copiesDone(prompt) >= habit.copies;
  }

  /** Sends the orders that have no response yet. Calls back after each response. */
  order(wish: Plan, target: ClientTarget, onAnswer: () => void): void {
    const left = wish.habit.copies - this.#copiesDone(wish.prompt);
    for (let copy = 0; copy < left; copy += 1) void this.#orderOne(wish, target, onAnswer);
  }

  /**
   * Returns whether the clock may pass the end of ten minutes now: no client waits for the response to an order that the service has
   * answered, because an identical order would then correctly be a new one.
   */
  mayForget(wishes: readonly Plan[], settled: (wish: Plan) => boolean): boolean {
    return wishes.every((wish) => this.isAnswered(wish) || !settled(wish));
  }

  /** Returns whether the service may have answered an order while an engine runs. */
  isTaken({ prompt }: Plan): boolean {
    return this.#sandbox.orders.some((order) => order.prompt === prompt);
  }

  /** Finds contradictions between the responses to the copies of one order. */
  contradictions(wishes: readonly Plan[], calm: boolean): readonly string[] {
    return wishes.flatMap(({ prompt, habit }) => {
      const all = this.#got.get(prompt) ?? [];
      const texts = all.filter(({ status }) => status < 300).map(({ text }) => text);
      const different = areOneAnswer(texts, habit)
        ? []
        : [`Different answers to "${prompt}": ${JSON.stringify([...new Set(texts)])}`];
      const wrong = calm && all.some(({ status }) => status === CONFLICT);
      return [...different, ...(wrong ? [`409 although nothing went wrong: "${prompt}"`] : [])];
    });
  }

  async #orderOne(wish: Plan, target: ClientTarget, onAnswer: () => void): Promise<void> {
    const got = await orderWithRetries(wish, target);
    if (got === null) return;
    const all = this.#got.get(wish.prompt) ?? [];
    this.#got.set(wish.prompt, [...all, got]);
    RunStats.count(this.#stats.acts, `client: got ${got.status}`);
    onAnswer();
  }

  #copiesDone(prompt: string): number {
    return this.#got.get(prompt)?.length ?? 0;
  }
}

/**
 * Returns whether these responses are copies of one. A copy that was requested by a form may lack the `id` that the gateway adds: the
 * task may become known only after that copy had to be sent.
 */
export function areOneAnswer(
  texts: readonly string[],
  { body }: Pick<OrderHabit, 'body'>,
): boolean {
  const same = new Set(texts).size <= 1;
  if (same || body !== 'form') return same;
  // The sandbox also sends responses that are not JSON, to which nothing can be added.
  const answers = texts.map((text) => FormAnswer.safeParse(readJson(text)).data ?? { text });
  const ids = new Set(answers.flatMap(({ id }) => id ?? []));
  const others = new Set(answers.map((answer) => JSON.stringify({ ...answer, id: undefined })));
  return ids.size <= 1 && others.size <= 1;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns whether the engine knows the outcome of an order. */
export function isSettled(job: VideoJob | undefined): boolean {
  return job !== undefined && !UNSETTLED.includes(job.state);
}
