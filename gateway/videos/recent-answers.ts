import type { KeptAnswer } from '../proxy/proxy.ts';

const FRESH_MS = 5_000;

/** The latest answers about tasks, as long as they are fresh. By the monotonic clock: nobody sets that. */
export class RecentAnswers {
  readonly #answers = new Map<string, { readonly answer: KeptAnswer; readonly until: number }>();

  find(service: string, taskId: string): KeptAnswer | null {
    const known = this.#answers.get(keyOf(service, taskId));
    return known === undefined || known.until <= performance.now() ? null : known.answer;
  }

  /** Only good ones are given again. */
  note(service: string, taskId: string, answer: KeptAnswer): void {
    const now = performance.now();
    for (const [key, { until }] of this.#answers) {
      if (until > now) break;
      this.#answers.delete(key);
    }
    const key = keyOf(service, taskId);
    this.#answers.delete(key);
    if (answer.status !== 200) return;
    this.#answers.set(key, { answer, until: now + FRESH_MS });
  }
}

function keyOf(service: string, taskId: string): string {
  return JSON.stringify([service, taskId]);
}
