import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type { Status } from '../../shared/status.ts';

/** The state of an upstream as the latest exchanges and tests show it. */
export type HealthSnapshot = Pick<Status, 'reach' | 'keyRefusedAt' | 'limitedAt'>;

const INITIAL_HEALTH: HealthSnapshot = {
  reach: {
    state: 'unknown',
    sentence: 'Not contacted since Gatehouse started, or switched to it.',
    at: null,
  },
  keyRefusedAt: null,
  limitedAt: null,
};
const ANSWERED = 'The service answered.';
const NOT_REACHED = 'The service could not be reached.';
const NOT_JSON = 'The service did not answer with JSON.';
const UNREACHED_CODES: ReadonlySet<string | null> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
]);

/** A reached limit is shown for the delay that the service asks for; at least so long that a person can see it, and at most a day. */
const MIN_LIMITED_MS = 60_000;
const MAX_LIMITED_MS = 24 * 3_600_000;

/** Tracks whether an upstream is reachable, accepts its key and is below its limit. */
export class UpstreamHealth {
  readonly #onChange: () => void;
  readonly #now: () => number;
  #snapshot = INITIAL_HEALTH;
  /** When the reached limit ends. A timer ends it, too, because the clock may be set back. */
  #limitedUntil = 0;
  #limitEnds: NodeJS.Timeout | undefined;
  #keyMendedAt = 0;

  /**
   * `onChange` is called when the service becomes reachable or unreachable, refuses or accepts the key, and reaches or leaves its limit.
   * `now` gives the Unix time in milliseconds.
   */
  constructor(onChange: () => void, now: () => number) {
    this.#onChange = onChange;
    this.#now = now;
  }

  get snapshot(): HealthSnapshot {
    const isOver = this.#snapshot.limitedAt !== null && this.#now() >= this.#limitedUntil;
    return isOver ? { ...this.#snapshot, limitedAt: null } : this.#snapshot;
  }

  /**
   * When the service last accepted the key after a refusal, or when another key was set, in this run; Unix time in milliseconds, 0 for
   * never. A refusal before says nothing about the key.
   */
  get keyMendedAt(): number {
    return this.#keyMendedAt;
  }

  /** Updates the health after an exchange. `retryAfterMs` is the delay that its answer asks for. */
  record(exchange: ExchangeRecord, retryAfterMs: number | null): void {
    const { attempts, status, errorCode, errorMessage, endedBy, startedAt, durationMs } = exchange;
    if (attempts === 0) return;
    const at = Math.round(startedAt + durationMs);
    if (UNREACHED_CODES.has(errorCode)) this.recordFailure(errorMessage ?? NOT_REACHED, at);
    else if (errorCode === 'unexpected_content_type') {
      this.recordDoubt(errorMessage ?? NOT_JSON, at);
    } else if (status !== null && endedBy !== 'gateway' && !isUnusable(status, errorCode)) {
      this.recordAnswer(status, at, retryAfterMs);
    }
  }

  /** Records that a call of anybody was taken. Whether what took it is the service after all shows only the whole answer. */
  recordSuccess(): void {
    const { reach, keyRefusedAt, limitedAt } = this.#snapshot;
    if (reach.state === 'doubtful') return;
    const isWell = reach.state === 'reachable' && keyRefusedAt === null && limitedAt === null;
    if (!isWell) this.recordAnswer(200, this.#now());
  }

  /** Records an answer with this status. */
  recordAnswer(status: number, at: number, retryAfterMs: number | null = null): void {
    if (status === 429) this.#limitFor(retryAfterMs ?? 0, at);
    const reach = { state: 'reachable', sentence: ANSWERED, at } as const;
    const { keyRefusedAt, limitedAt } = status < 400 ? INITIAL_HEALTH : this.#snapshot;
    if (status < 400 && this.#snapshot.keyRefusedAt !== null) this.#keyMendedAt = this.#now();
    this.#set({
      reach,
      keyRefusedAt: status === 401 ? at : keyRefusedAt,
      limitedAt: status === 429 ? at : limitedAt,
    });
  }

  /** Records that something answered that may not be the service; `sentence` says why. */
  recordDoubt(sentence: string, at: number): void {
    this.#set({ ...this.#snapshot, reach: { state: 'doubtful', sentence, at } });
  }

  /** Records that no answer came; `sentence` says why. */
  recordFailure(sentence: string, at: number): void {
    this.#set({ ...this.#snapshot, reach: { state: 'unreachable', sentence, at } });
  }

  /** Resets what belongs to the old key: its refusal and its limits. */
  resetKeyState(): void {
    this.#keyMendedAt = this.#now();
    this.#set({ ...this.#snapshot, keyRefusedAt: null, limitedAt: null });
  }

  #limitFor(retryAfterMs: number, at: number): void {
    const ms = Math.min(Math.max(retryAfterMs, MIN_LIMITED_MS), MAX_LIMITED_MS);
    this.#limitedUntil = at + ms;
    clearTimeout(this.#limitEnds);
    const end = () => this.#set({ ...this.#snapshot, limitedAt: null });
    this.#limitEnds = setTimeout(end, ms).unref();
  }

  #set(snapshot: HealthSnapshot): void {
    const before = this.#snapshot;
    this.#snapshot = snapshot;
    if (!looksEqual(before, snapshot)) this.#onChange();
  }
}

/** Whether a person sees no difference. */
function looksEqual(one: HealthSnapshot, other: HealthSnapshot): boolean {
  return (
    one.reach.state === other.reach.state &&
    (one.keyRefusedAt === null) === (other.keyRefusedAt === null) &&
    (one.limitedAt === null) === (other.limitedAt === null)
  );
}

/** Whether an answer may have come from something else than the service, or was no answer. */
function isUnusable(status: number, errorCode: string | null): boolean {
  return (status >= 300 && status < 400) || errorCode?.startsWith('upstream_') === true;
}
