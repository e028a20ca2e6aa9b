import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { History } from '../history/history.ts';
import type { Status } from '../../shared/status.ts';

/** Remembers the latest exchange that failed, unless through its client or because Gatehouse was told to let nothing through. */
export class LastError {
  readonly #redact: (text: string) => string;
  #latest: Status['lastError'] = null;

  /** `redact` takes secrets out of what others say. */
  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  get latest(): Status['lastError'] {
    return this.#latest;
  }

  /** Draws its conclusions from an exchange that has ended. */
  note(exchange: ExchangeRecord): void {
    const { id, status, errorCode, errorMessage, endedBy, startedAt, durationMs } = exchange;
    const failed = errorCode !== null || status === null || status >= 400;
    if (!failed || endedBy === 'client' || EXPECTED_CODES.has(errorCode)) return;
    const sentence = this.#redact(errorMessage ?? fallbackMessage(status, errorCode));
    this.#latest = { sentence, at: Math.round(startedAt + durationMs), exchangeId: id };
  }

  /** Forgets it when its record is deleted. Returns what stops that. */
  follow(history: Pick<History, 'on' | 'get'>, onForget: () => void): () => void {
    const look = async (latest: NonNullable<Status['lastError']>): Promise<void> => {
      // What cannot be looked up does not outlast what was deleted.
      const found = await history.get(latest.exchangeId).catch(() => null);
      if (found !== null || this.#latest !== latest) return;
      this.#latest = null;
      onForget();
    };
    return history.on((written) => {
      if (written === 0 && this.#latest !== null) void look(this.#latest);
    });
  }
}

/** A person wanted it so. */
const EXPECTED_CODES: ReadonlySet<string | null> = new Set(['paused', 'shutting_down']);

function fallbackMessage(status: number | null, errorCode: string | null): string {
  if (status !== null && status >= 400) return `The service answered with ${status}.`;
  return errorCode === null ? 'No answer came.' : `The service said “${errorCode}”.`;
}
