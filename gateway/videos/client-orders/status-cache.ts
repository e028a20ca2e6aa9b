import type { StoredResponse } from '../../proxy/proxy.ts';

const FRESH_MS = 5_000;

/** The latest answers about tasks, as long as they are fresh. By the monotonic clock: nobody sets that. */
export class StatusCache {
  readonly #answers = new Map<
    string,
    { readonly answer: StoredResponse; readonly until: number }
  >();

  get(service: string, taskId: string): StoredResponse | null {
    const known = this.#answers.get(toKey(service, taskId));
    return known === undefined || known.until <= performance.now() ? null : known.answer;
  }

  /** Only good ones are given again. */
  set(service: string, taskId: string, answer: StoredResponse): void {
    const now = performance.now();
    for (const [key, { until }] of this.#answers) {
      if (until > now) break;
      this.#answers.delete(key);
    }
    const key = toKey(service, taskId);
    this.#answers.delete(key);
    if (answer.status !== 200) return;
    this.#answers.set(key, { answer, until: now + FRESH_MS });
  }
}

function toKey(service: string, taskId: string): string {
  return JSON.stringify([service, taskId]);
}
