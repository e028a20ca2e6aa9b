import type { RunId } from '../../shared/exchange/exchange.ts';
import type { UsageScope } from '../../shared/history/history.ts';

/** A request that a limit refused. */
export interface Refusal {
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly run: RunId | null;
  /** What it needed of the limit; `null` where what it costs is not known. */
  readonly needed: number | null;
}

/** A refusal of a request whose cost is not known is told so long: once there is a price, the limit does not refuse another. */
const UNPRICED_MS = 10 * 60_000;

/** When each limit last refused a request to a service, and to the sandbox, and one whose cost was not known. */
export class Refusals {
  readonly #latest = {
    services: new Map<string, Refusal>(),
    sandbox: new Map<string, Refusal>(),
  };
  readonly #unpriced = {
    services: new Map<string, Refusal>(),
    sandbox: new Map<string, Refusal>(),
  };

  note(scope: UsageScope, limitId: string, refusal: Refusal): void {
    const refusals = refusal.needed === null ? this.#unpriced : this.#latest;
    refusals[scope].set(limitId, refusal);
  }

  /** Returns the latest refusal that is still told at a Unix time in milliseconds; `null` when there is none. */
  find(scope: UsageScope, limitId: string, now: number): Refusal | null {
    const latest = this.#latest[scope].get(limitId) ?? null;
    const unpriced = this.#unpriced[scope].get(limitId);
    const isRecent = unpriced !== undefined && now - unpriced.at < UNPRICED_MS;
    return isRecent && unpriced.at >= (latest?.at ?? 0) ? unpriced : latest;
  }

  forget(limitId: string): void {
    for (const refusals of [this.#latest, this.#unpriced]) {
      refusals.services.delete(limitId);
      refusals.sandbox.delete(limitId);
    }
  }
}
