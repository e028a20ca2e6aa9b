import type { FirstOfEqual, InFlightExchange } from '../in-flight-exchange.ts';

/** Maximum of rows per hour, besides those in which the rest is counted. */
const MAX_ROWS = 300;
/** The history shows a row at the time of its first request, so a row spans a minute at most. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Counts equal refused requests without a known local key, or with one of the same client that was revoked or replaced, in one row of the history: same user agent, path and response, within a minute
 * of the first. After 300 rows in an hour the rest is counted per response and minute, so that a client cannot fill the history by
 * changing its user agent.
 */
export class UnknownClients {
  readonly #first = new Map<string, FirstOfEqual>();
  #hourFrom = 0;
  #rows = 0;

  /** Counts a request whose outcome is known. Does nothing for a known key. */
  count(inFlight: InFlightExchange): void {
    if (inFlight.hasKnownKey || inFlight.counted) return;
    this.#startHour(inFlight.startedAt);
    const { service, status, errorCode, endedBy, client } = inFlight;
    const response = [service, status, errorCode, endedBy, client?.id];
    const request = [
      inFlight.method,
      inFlight.truncate(inFlight.pathReceived),
      inFlight.truncate(inFlight.userAgent ?? ''),
    ];
    const repairs = inFlight.repairs.map(({ code }) => code);
    const kind = JSON.stringify([response, request, repairs, inFlight.errorMessage]);
    const rest = JSON.stringify(response);
    const row = this.#findOpenRow(kind, inFlight);
    if (row !== null) inFlight.countWith(row, true);
    else if (this.#rows < MAX_ROWS) {
      this.#rows += 1;
      inFlight.countWith(this.#addRow(kind, inFlight), true);
    } else
      inFlight.countWith(this.#findOpenRow(rest, inFlight) ?? this.#addRow(rest, inFlight), false);
  }

  #startHour(at: number): void {
    if (Math.abs(at - this.#hourFrom) < HOUR_MS) return;
    this.#first.clear();
    this.#rows = 0;
    this.#hourFrom = at;
  }

  /** Finds the row of equal requests. A request may have begun a little before the row, because some are refused later. */
  #findOpenRow(kind: string, { startedAt }: InFlightExchange): FirstOfEqual | null {
    const first = this.#first.get(kind);
    const isOpen = first !== undefined && Math.abs(startedAt - first.startedAt) < MINUTE_MS;
    return isOpen ? first : null;
  }

  #addRow(kind: string, { id, startedAt }: InFlightExchange): FirstOfEqual {
    const first = { id, startedAt };
    this.#first.set(kind, first);
    return first;
  }
}
