import type { ExchangeRecord } from '../../shared/exchange.ts';
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
    if (!failed || endedBy === 'client' || WANTED.has(errorCode)) return;
    const sentence = this.#redact(errorMessage ?? plainly(status, errorCode));
    this.#latest = { sentence, at: Math.round(startedAt + durationMs), exchangeId: id };
  }
}

/** A person wanted it so. */
const WANTED: ReadonlySet<string | null> = new Set(['paused', 'shutting_down']);

function plainly(status: number | null, errorCode: string | null): string {
  if (status !== null && status >= 400) return `The service answered with ${status}.`;
  return errorCode === null ? 'No answer came.' : `The service said “${errorCode}”.`;
}
