import { MAX_DIGITS, tooManyDigitsProblem } from './json-limits.ts';

const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** The part of a number that was read last (RFC 8259 section 6). */
type Part =
  | 'start'
  | 'minus'
  | 'zero'
  | 'integer'
  | 'point'
  | 'fraction'
  | 'e'
  | 'sign'
  | 'exponent';

/** The part that a digit belongs to, by the part before it; a zero is followed by none. */
const DIGITS = {
  start: 'integer',
  minus: 'integer',
  integer: 'integer',
  point: 'fraction',
  fraction: 'fraction',
  e: 'exponent',
  sign: 'exponent',
  exponent: 'exponent',
  zero: null,
} as const satisfies Record<Part, Part | null>;

/** Scans a number of a JSON text that arrives in pieces. */
export class JsonNumber {
  #part: Part = 'start';
  #digits = 0;

  /** Whether the number may end here. */
  get isComplete(): boolean {
    const part = this.#part;
    return part === 'integer' || part === 'zero' || part === 'fraction' || part === 'exponent';
  }

  /** Begins another number. */
  reset(): void {
    this.#part = 'start';
    this.#digits = 0;
  }

  /** Returns the offset from `from` on where the number ends, or the length of the bytes. @throws Problem body_too_complex */
  skip(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && this.#take(bytes[at] ?? 0)) at += 1;
    return at;
  }

  /** Takes the next byte; returns false for one that does not belong to the number. */
  #take(byte: number): boolean {
    const part = this.#part;
    if (byte >= ZERO && byte <= NINE) {
      const next = DIGITS[part];
      if (next === null) return false;
      if (this.#digits === MAX_DIGITS) throw tooManyDigitsProblem();
      this.#digits += 1;
      const isLeading = byte === ZERO && (part === 'start' || part === 'minus');
      this.#part = isLeading ? 'zero' : next;
      return true;
    }
    const next = findPart(part, byte);
    if (next === null) return false;
    this.#part = next;
    this.#digits = 0;
    return true;
  }
}

/** Finds the part that begins with a byte other than a digit; `null` where it may not follow. */
function findPart(part: Part, byte: number): Part | null {
  if (byte === MINUS && part === 'start') return 'minus';
  if (byte === POINT && (part === 'integer' || part === 'zero')) return 'point';
  if ((byte | 0x20) === 0x65 && (part === 'integer' || part === 'zero' || part === 'fraction'))
    return 'e';
  return (byte === PLUS || byte === MINUS) && part === 'e' ? 'sign' : null;
}
