import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { Status } from '../../shared/status.ts';

/** What the latest exchanges and tests show of one upstream. */
export type Outlook = Pick<Status, 'reach' | 'keyRefusedAt'>;

const NOTHING_YET: Outlook = {
  reach: {
    state: 'unknown',
    sentence: 'Nothing has been asked of the service in this run yet.',
    at: null,
  },
  keyRefusedAt: null,
};
const ANSWERED = 'The service answered.';
const NOT_REACHED = 'The service could not be reached.';
const UNREACHED: ReadonlySet<string | null> = new Set(['upstream_unreachable', 'upstream_timeout']);

/** Watches whether an upstream can be reached and takes its key. */
export class Reach {
  readonly #onFlip: () => void;
  #outlook = NOTHING_YET;

  /** `onFlip` is told when the service is reached again or no longer, and when it refuses the key or takes it again. */
  constructor(onFlip: () => void) {
    this.#onFlip = onFlip;
  }

  get outlook(): Outlook {
    return this.#outlook;
  }

  /** Draws its conclusions from an exchange that has ended. */
  note(exchange: ExchangeRecord): void {
    const { attempts, status, errorCode, errorMessage, endedBy, startedAt, durationMs } = exchange;
    if (attempts === 0) return;
    const at = Math.round(startedAt + durationMs);
    if (UNREACHED.has(errorCode)) this.failed(errorMessage ?? NOT_REACHED, at);
    else if (status !== null && endedBy !== 'gateway' && !errorCode?.startsWith('upstream_')) {
      this.answered(status, at);
    }
  }

  /** The service answered with this status. */
  answered(status: number, at: number): void {
    const { keyRefusedAt } = this.#outlook;
    const reach = { state: 'reachable', sentence: ANSWERED, at } as const;
    if (status === 401) this.#set({ reach, keyRefusedAt: at });
    else this.#set({ reach, keyRefusedAt: status < 400 ? null : keyRefusedAt });
  }

  /** No answer came; `sentence` says why. */
  failed(sentence: string, at: number): void {
    this.#set({ ...this.#outlook, reach: { state: 'unreachable', sentence, at } });
  }

  /** Another key: nobody has refused it yet. */
  keyChanged(): void {
    this.#set({ ...this.#outlook, keyRefusedAt: null });
  }

  #set(outlook: Outlook): void {
    const before = this.#outlook;
    this.#outlook = outlook;
    const refused = (one: Outlook) => one.keyRefusedAt !== null;
    const flipped =
      before.reach.state !== outlook.reach.state || refused(before) !== refused(outlook);
    if (flipped) this.#onFlip();
  }
}
