import type { FirstOfEqual, InFlightExchange } from '../in-flight-exchange.ts';

/** Rows that an hour has room for, besides those in which the rest is counted. */
const MAX_ROWS = 300;
/** The history shows a row where its first request began, so a row must not go on for longer. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Counts refused requests together that came without a known local key and are equal: same user agent, path and answer, within a minute of
 * the first. An hour has room for so many rows; the rest of it is counted together for each answer and minute, so that nobody fills the
 * history by calling itself something else each time.
 */
export class UnknownClients {
  readonly #first = new Map<string, FirstOfEqual>();
  #hourFrom = 0;
  #rows = 0;

  /** To be called once what becomes of the request is known. Does nothing for a known client. */
  count(inFlight: InFlightExchange): void {
    if (inFlight.client !== null || inFlight.counted) return;
    this.#beginHour(inFlight.startedAt);
    const answer = [inFlight.status, inFlight.errorCode, inFlight.endedBy];
    const asked = [
      inFlight.method,
      inFlight.truncate(inFlight.pathReceived),
      inFlight.truncate(inFlight.userAgent ?? ''),
    ];
    const repairs = inFlight.repairs.map(({ code }) => code);
    const kind = JSON.stringify([answer, asked, repairs, inFlight.errorMessage]);
    const rest = JSON.stringify(answer);
    const open = this.#openRow(kind, inFlight);
    if (open !== null) inFlight.countWith(open, true);
    else if (this.#rows < MAX_ROWS) {
      this.#rows += 1;
      inFlight.countWith(this.#begin(kind, inFlight), true);
    } else inFlight.countWith(this.#openRow(rest, inFlight) ?? this.#begin(rest, inFlight), false);
  }

  #beginHour(at: number): void {
    if (Math.abs(at - this.#hourFrom) < HOUR_MS) return;
    this.#first.clear();
    this.#rows = 0;
    this.#hourFrom = at;
  }

  /** Also for a request that began a little earlier: some are refused later than others. */
  #openRow(kind: string, { startedAt }: InFlightExchange): FirstOfEqual | null {
    const first = this.#first.get(kind);
    const isOpen = first !== undefined && Math.abs(startedAt - first.startedAt) < MINUTE_MS;
    return isOpen ? first : null;
  }

  #begin(kind: string, { id, startedAt }: InFlightExchange): FirstOfEqual {
    const first = { id, startedAt };
    this.#first.set(kind, first);
    return first;
  }
}
