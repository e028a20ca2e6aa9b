import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { Status } from '../../shared/status.ts';

/** What the latest exchanges and tests show of one upstream. */
export type Outlook = Pick<Status, 'reach' | 'keyRefusedAt' | 'limitedAt'>;

const NOTHING_YET: Outlook = {
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
const UNREACHED: ReadonlySet<string | null> = new Set(['upstream_unreachable', 'upstream_timeout']);

/** Watches whether an upstream can be reached, takes its key and has room for more. */
export class Reach {
  readonly #onFlip: () => void;
  #outlook = NOTHING_YET;

  /** `onFlip` is told when the service is reached again or no longer, when it refuses the key or takes it again, and when a limit is reached or is none any more. */
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
    const reach = { state: 'reachable', sentence: ANSWERED, at } as const;
    const { keyRefusedAt, limitedAt } = status < 400 ? NOTHING_YET : this.#outlook;
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

  #set(outlook: Outlook): void {
    const before = this.#outlook;
    this.#outlook = outlook;
    if (stateOf(before) !== stateOf(outlook)) this.#onFlip();
  }
}

/** What a person would see of it. */
function stateOf({ reach, keyRefusedAt, limitedAt }: Outlook): string {
  return `${reach.state} ${keyRefusedAt === null} ${limitedAt === null}`;
}
