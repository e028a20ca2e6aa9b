import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { findEnding } from '../../shared/exchange/outcome.ts';
import type { History } from '../history/history.ts';
import type { Status } from '../../shared/status.ts';

/** Remembers the latest failed exchange, unless a pause was the reason. */
export class LastError {
  readonly #redact: (text: string) => string;
  #latest: Status['lastError'] = null;

  /** `redact` removes secrets from messages. */
  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  get latest(): Status['lastError'] {
    return this.#latest;
  }

  /** Updates the latest error after an exchange. */
  record(exchange: ExchangeRecord): void {
    const { id, status, errorCode, errorMessage, startedAt, durationMs } = exchange;
    if (findEnding(exchange) !== 'failed' || EXPECTED_CODES.has(errorCode)) return;
    const sentence = this.#redact(errorMessage ?? fallbackMessage(status, errorCode));
    this.#latest = { sentence, at: Math.round(startedAt + durationMs), exchangeId: id };
  }

  /** Drops the error when its record is deleted. Returns the function that stops this. */
  follow(history: Pick<History, 'on' | 'get'>, onForget: () => void): () => void {
    const update = async (latest: NonNullable<Status['lastError']>): Promise<void> => {
      // An error whose record cannot be read is dropped, too.
      const found = await history.get(latest.exchangeId).catch(() => null);
      if (found !== null || this.#latest !== latest) return;
      this.#latest = null;
      onForget();
    };
    return history.on((written) => {
      if (written === 0 && this.#latest !== null) void update(this.#latest);
    });
  }
}

/** Codes of exchanges that failed because a person wanted it. */
const EXPECTED_CODES: ReadonlySet<string | null> = new Set([
  'paused',
  'shutting_down',
  'local_request_refused',
]);

function fallbackMessage(status: number | null, errorCode: string | null): string {
  if (status !== null && status >= 400) return `The service answered with ${status}.`;
  return errorCode === null ? 'No response arrived.' : `The service said “${errorCode}”.`;
}
