import type { StoredResponse } from '../../proxy/proxy.ts';
import type { Reply } from '../service/types.ts';

const MAX_AGE_MS = 5_000;
/** A longer reply may be truncated. */
const MAX_REPLY_CHARACTERS = 1024 * 1024;

/** Keeps the latest status of each task for five seconds of the monotonic clock, which nobody can set. */
export class StatusCache {
  readonly #answers = new Map<
    string,
    { readonly answer: StoredResponse; readonly until: number }
  >();

  get(service: string, taskId: string): StoredResponse | null {
    const known = this.#answers.get(toKey(service, taskId));
    return known === undefined || known.until <= performance.now() ? null : known.answer;
  }

  /** Keeps a reply of the service, received at Unix time `at` in milliseconds, if it is a whole JSON answer with status 200. */
  setReply(service: string, taskId: string, reply: Reply, at: number): void {
    if (reply.kind !== 'answer' || reply.json === undefined) return;
    if (reply.text.length >= MAX_REPLY_CHARACTERS) return;
    const headers = ['content-type', 'application/json'];
    const body = Buffer.from(reply.text);
    this.set(service, taskId, { status: reply.status, headers, body, at });
  }

  /** Keeps an answer with status 200, and drops the kept one for any other. */
  set(service: string, taskId: string, answer: StoredResponse): void {
    const now = performance.now();
    for (const [key, { until }] of this.#answers) {
      if (until > now) break;
      this.#answers.delete(key);
    }
    const key = toKey(service, taskId);
    this.#answers.delete(key);
    if (answer.status !== 200) return;
    this.#answers.set(key, { answer, until: now + MAX_AGE_MS });
  }
}

function toKey(service: string, taskId: string): string {
  return JSON.stringify([service, taskId]);
}
