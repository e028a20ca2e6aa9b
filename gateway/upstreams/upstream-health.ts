import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { Status } from '../../shared/status.ts';

/** What the latest exchanges and tests show of one upstream. */
export type HealthSnapshot = Pick<Status, 'reach' | 'keyRefusedAt' | 'limitedAt'>;

const INITIAL_HEALTH: HealthSnapshot = {
  reach: {
    state: 'unknown',
    sentence: 'Nothing has been asked of the service in this run yet.',
    at: null,
  },
  keyRefusedAt: null,
  limitedAt: null,
};
const ANSWERED = 'The service answered.';
const NOT_REACHED = 'The service could not be reached.';
const UNREACHED_CODES: ReadonlySet<string | null> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
]);

/** A limit stands for as long as the service asks to be left alone; at least so long, that a person can see it, and at most a day. */
const MIN_LIMITED_MS = 60_000;
const MAX_LIMITED_MS = 24 * 3_600_000;

/** Watches whether an upstream can be reached, takes its key and has room for more. */
export class UpstreamHealth {
  readonly #onChange: () => void;
  readonly #now: () => number;
  #outlook = INITIAL_HEALTH;
  /** When the limit that was reached is none any more; also by the timer, for the clock may be set back. */
  #limitedUntil = 0;
  #limitEnds: NodeJS.Timeout | undefined;

  /**
   * `onFlip` is told when the service is reached again or no longer, when it refuses the key or takes it again, and when a limit is reached
   * or is none any more. `now` in Unix milliseconds.
   */
  constructor(onFlip: () => void, now: () => number) {
    this.#onChange = onFlip;
    this.#now = now;
  }

  get snapshot(): HealthSnapshot {
    const isOver = this.#outlook.limitedAt !== null && this.#now() >= this.#limitedUntil;
    return isOver ? { ...this.#outlook, limitedAt: null } : this.#outlook;
  }

  /** Draws its conclusions from an exchange that has ended. `retryAfterMs`: for how long its answer asks to be left alone. */
  record(exchange: ExchangeRecord, retryAfterMs: number | null): void {
    const { attempts, status, errorCode, errorMessage, endedBy, startedAt, durationMs } = exchange;
    if (attempts === 0) return;
    const at = Math.round(startedAt + durationMs);
    if (UNREACHED_CODES.has(errorCode)) this.failed(errorMessage ?? NOT_REACHED, at);
    else if (status !== null && endedBy !== 'gateway' && !errorCode?.startsWith('upstream_')) {
      this.answered(status, at, retryAfterMs);
    }
  }

  /** The service took a call, whoever made it. */
  succeeded(): void {
    const { reach, keyRefusedAt, limitedAt } = this.#outlook;
    const isWell = reach.state === 'reachable' && keyRefusedAt === null && limitedAt === null;
    if (!isWell) this.answered(200, this.#now());
  }

  /** The service answered with this status. */
  answered(status: number, at: number, retryAfterMs: number | null = null): void {
    if (status === 429) this.#limitFor(retryAfterMs ?? 0, at);
    const reach = { state: 'reachable', sentence: ANSWERED, at } as const;
    const { keyRefusedAt, limitedAt } = status < 400 ? INITIAL_HEALTH : this.#outlook;
    this.#set({
      reach,
      keyRefusedAt: status === 401 ? at : keyRefusedAt,
      limitedAt: status === 429 ? at : limitedAt,
    });
  }

  /** No answer came; `sentence` says why. */
  failed(sentence: string, at: number): void {
    this.#set({ ...this.#outlook, reach: { state: 'unreachable', sentence, at } });
  }

  /** Another key: nobody has refused it yet, and its limits are others. */
  keyChanged(): void {
    this.#set({ ...this.#outlook, keyRefusedAt: null, limitedAt: null });
  }

  #limitFor(askedMs: number, at: number): void {
    const ms = Math.min(Math.max(askedMs, MIN_LIMITED_MS), MAX_LIMITED_MS);
    this.#limitedUntil = at + ms;
    clearTimeout(this.#limitEnds);
    const end = () => this.#set({ ...this.#outlook, limitedAt: null });
    this.#limitEnds = setTimeout(end, ms).unref();
  }

  #set(snapshot: HealthSnapshot): void {
    const before = this.#outlook;
    this.#outlook = snapshot;
    if (stateOf(before) !== stateOf(snapshot)) this.#onChange();
  }
}

/** What a person would see of it. */
function stateOf({ reach, keyRefusedAt, limitedAt }: HealthSnapshot): string {
  return `${reach.state} ${keyRefusedAt === null} ${limitedAt === null}`;
}
