import type { Reply } from '../service/types.ts';

/** Services that asked to be left alone for a while. By the monotonic clock: nobody sets that. */
export class ServiceBackoff {
  readonly #until = new Map<string, number>();

  /** A service that has enough of us is left alone by all jobs, for `usualMs` unless it says how long. */
  observe(service: string, reply: Reply, usualMs: number): void {
    if (reply.kind !== 'answer' || reply.status < 400) return;
    const { status, retryAfterMs } = reply;
    if (status !== 429 && retryAfterMs === null) return;
    const until = performance.now() + (retryAfterMs ?? usualMs);
    this.#until.set(service, Math.max(until, this.#until.get(service) ?? 0));
  }

  /** Those that are to be left alone now. */
  listPaused(): readonly string[] {
    const now = performance.now();
    for (const [service, until] of this.#until) if (until <= now) this.#until.delete(service);
    return [...this.#until.keys()];
  }

  /** Milliseconds until the first of them may be asked again; `null` when there is none. */
  toNextDelay(): number | null {
    const [first] = [...this.#until.values()].toSorted((one, other) => one - other);
    return first === undefined ? null : Math.max(0, first - performance.now());
  }

  /** Something changed that may have been the reason. */
  reset(): void {
    this.#until.clear();
  }
}
