import type { Reply } from '../service/types.ts';

/** Pauses requests to services that asked for it, by the monotonic clock, which nobody can set. */
export class ServiceBackoff {
  readonly #until = new Map<string, number>();

  /** Pauses a service after a reply that asks for it, for `usualMs` unless the reply names a time. */
  observe(service: string, reply: Reply, usualMs: number): void {
    if (reply.kind !== 'answer' || reply.status < 400) return;
    const { status, retryAfterMs } = reply;
    if (status !== 429 && retryAfterMs === null) return;
    const until = performance.now() + (retryAfterMs ?? usualMs);
    this.#until.set(service, Math.max(until, this.#until.get(service) ?? 0));
  }

  /** Lists the paused services. */
  listPaused(): readonly string[] {
    const now = performance.now();
    for (const [service, until] of this.#until) if (until <= now) this.#until.delete(service);
    return [...this.#until.keys()];
  }

  /** Returns the milliseconds until the first pause ends; `null` when there is none. */
  toNextDelay(): number | null {
    const [first] = [...this.#until.values()].toSorted((one, other) => one - other);
    return first === undefined ? null : Math.max(0, first - performance.now());
  }

  /** Ends all pauses after a change that may have removed the reason. */
  reset(): void {
    this.#until.clear();
  }
}
