import type { ExchangeId } from '../../shared/exchange/exchange.ts';

/** Digits of an id for its time (enough until the year 2527) and for its counter within one millisecond. */
const TIME_DIGITS = 11;
const PLACE_DIGITS = 5;
const PLACES = 16 ** PLACE_DIGITS;

/**
 * Creates the ids of exchanges: `ex-` and 16 hexadecimal digits, never the same twice, each greater than the one before. In
 * this order the database appends them to its index, which costs half as much per row as random ids.
 */
export class ExchangeIds {
  /** Starts at a random number, so that two runs do not collide when the clock was set back between them. */
  readonly #firstPlace: number;
  #time = 0;
  #timeDigits = hex(0, TIME_DIGITS);
  #place = 0;

  constructor(randomBytes: (size: number) => Uint8Array) {
    const [high = 0, low = 0] = randomBytes(2);
    this.#firstPlace = high * 256 + low;
  }

  /** Returns the next id for a Unix time in milliseconds. After a clock was set back, ids continue from the latest time. */
  next(now: number): ExchangeId {
    const isLater = now > this.#time;
    if (isLater || this.#place + 1 >= PLACES) {
      this.#time = isLater ? now : this.#time + 1;
      this.#timeDigits = hex(this.#time, TIME_DIGITS);
      this.#place = this.#firstPlace;
    } else {
      this.#place += 1;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: this is where ids come from, and a schema would only test for a string
    return `ex-${this.#timeDigits}${hex(this.#place, PLACE_DIGITS)}` as ExchangeId;
  }
}

function hex(value: number, digits: number): string {
  return Math.floor(value).toString(16).padStart(digits, '0');
}
