import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../../../../shared/problem.ts';

/** Maximum depth of nesting: more than the schema of any tool needs, and safe for programs that parse recursively. */
const MAX_DEPTH = 512;
/** Maximum number of members of the outermost object. No usual request comes close. */
const MAX_MEMBERS = 10_000;
/** Maximum number of consecutive digits of a number: three times as many as the largest double has. */
const MAX_DIGITS = 1000;
/** Bytes that are scanned before other work may run. */
const SLICE_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The kinds of token that may follow (RFC 8259 sections 2 to 5). */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'end';

/** The result of a scan; `members` are those of the outermost object, `null` for everything else. */
export interface ScannedJson {
  readonly valid: boolean;
  readonly members: readonly Member[] | null;
}

/**
 * Scans a body as JSON (RFC 8259) in one pass, without building its values. Yields to other work after each MiB.
 * @throws Problem body_too_complex when it is nested more than 512 levels deep, has more than 10,000 members in the outermost object, a
 * number with more than 1,000 consecutive digits, or more than `values` values in all.
 */
export async function scanJson(
  body: Buffer,
  values = Number.POSITIVE_INFINITY,
): Promise<ScannedJson> {
  const scan = new JsonScan(body, values);
  for (let until = SLICE_BYTES; !scan.advance(until); until += SLICE_BYTES) await nextTurn();
  return scan.result;
}

class JsonScan {
  readonly #body: Buffer;
  readonly #maxValues: number;
  readonly #members: Member[] = [];
  /** For each level, whether it is an object (1) or a list (0). */
  readonly #objects = new Uint8Array(MAX_DEPTH);
  #depth = 0;
  #values = 0;
  #at: number;
  #expected: Expected = 'value';
  /** Offsets of the current member of the outermost object. */
  #key = { start: 0, end: 0, value: 0 };

  constructor(body: Buffer, maxValues: number) {
    this.#body = body;
    this.#maxValues = maxValues;
    this.#at = startsWithBom(body) ? 3 : 0;
  }

  /** Scans up to `until`, and on to the end of the string or number there. Returns true when the scan is finished. */
  advance(until: number): boolean {
    const body = this.#body;
    const end = Math.min(until, body.length);
    while (this.#at >= 0 && this.#at < end) {
      const byte = body[this.#at] ?? 0;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.#at += 1;
      else this.#at = this.#scanToken(byte, this.#at);
    }
    return this.#at < 0 || this.#at >= body.length;
  }

  get result(): ScannedJson {
    const valid = this.#at >= 0 && this.#expected === 'end';
    return { valid, members: valid && this.#objects[0] === 1 ? this.#members : null };
  }

  /** Scans the token at `at` and returns the offset after it; a negative number where it is not JSON. */
  #scanToken(byte: number, at: number): number {
    switch (this.#expected) {
      case 'value-or-end':
        return byte === CLOSE_LIST ? this.#close(0, at) : this.#scanValue(byte, at);
      case 'value':
        return this.#scanValue(byte, at);
      case 'key-or-end':
        return byte === CLOSE_OBJECT ? this.#close(1, at) : this.#scanKey(byte, at);
      case 'key':
        return this.#scanKey(byte, at);
      case 'colon':
        this.#expected = 'value';
        return byte === COLON ? at + 1 : -1;
      case 'comma-or-end':
        return this.#scanComma(byte, at);
      case 'end':
        return -1;
    }
  }

  #scanComma(byte: number, at: number): number {
    const inObject = this.#objects[this.#depth - 1] ?? 0;
    if (byte !== COMMA)
      return byte === (inObject ? CLOSE_OBJECT : CLOSE_LIST) ? this.#close(inObject, at) : -1;
    this.#expected = inObject ? 'key' : 'value';
    return at + 1;
  }

  #scanKey(byte: number, at: number): number {
    if (byte !== QUOTE) return -1;
    const end = skipString(this.#body, at);
    if (this.#depth === 1) this.#key = { start: at, end, value: 0 };
    this.#expected = 'colon';
    return end;
  }

  #scanValue(byte: number, at: number): number {
    this.#values += 1;
    if (this.#values > this.#maxValues) throw tooManyValuesProblem(this.#maxValues);
    if (this.#depth === 1) this.#key.value = at;
    if (byte === OPEN_OBJECT) return this.#open(1, at);
    if (byte === OPEN_LIST) return this.#open(0, at);
    const end = skipScalar(this.#body, byte, at);
    this.#endValue(end);
    return end;
  }

  #open(object: 0 | 1, at: number): number {
    if (this.#depth === MAX_DEPTH) throw tooDeepProblem();
    this.#objects[this.#depth] = object;
    this.#depth += 1;
    this.#expected = object ? 'key-or-end' : 'value-or-end';
    return at + 1;
  }

  #close(object: number, at: number): number {
    if (this.#objects[this.#depth - 1] !== object) return -1;
    this.#depth -= 1;
    this.#endValue(at + 1);
    return at + 1;
  }

  /** Records that a value ends before `end`. */
  #endValue(end: number): void {
    this.#expected = this.#depth === 0 ? 'end' : 'comma-or-end';
    if (this.#depth !== 1 || this.#objects[0] !== 1 || end < 0) return;
    if (this.#members.length === MAX_MEMBERS) throw tooManyMembersProblem();
    const { start: keyStart, end: keyEnd, value: valueStart } = this.#key;
    const key = keyText(this.#body, keyStart, keyEnd);
    this.#members.push({ key, keyStart, keyEnd, valueStart, valueEnd: end });
  }
}

/** Returns the offset after the string, number or word that begins at `at`; a negative number where there is none. */
function skipScalar(body: Buffer, byte: number, at: number): number {
  if (byte === QUOTE) return skipString(body, at);
  if (byte === 0x74) return skipWord(body, at, 'true');
  if (byte === 0x66) return skipWord(body, at, 'false');
  if (byte === 0x6e) return skipWord(body, at, 'null');
  return skipNumber(body, byte, at);
}

function skipWord(body: Buffer, at: number, word: string): number {
  const end = at + word.length;
  return body.toString('latin1', at, end) === word ? end : -1;
}

/** Returns the offset after a string (RFC 8259 section 7); a negative number when it is malformed. */
function skipString(body: Buffer, at: number): number {
  for (let index = at + 1; index < body.length; index += 1) {
    const byte = body[index] ?? 0;
    if (byte === QUOTE) return index + 1;
    if (byte < 0x20) return -1;
    if (byte !== BACKSLASH) continue;
    index += 1;
    const escaped = body[index];
    if (escaped === 0x75) {
      for (const end = index + 4; index < end; index += 1) {
        if (!isHexDigit(body[index + 1])) return -1;
      }
    } else if (escaped === undefined || !'"\\/bfnrt'.includes(String.fromCharCode(escaped))) {
      return -1;
    }
  }
  return -1;
}

function isHexDigit(byte = 0): boolean {
  const letter = byte | 0x20;
  return (byte >= ZERO && byte <= NINE) || (letter >= 0x61 && letter <= 0x66);
}

/** Returns the offset after a number (RFC 8259 section 6); not above zero when it is malformed. */
function skipNumber(body: Buffer, first: number, at: number): number {
  let index = first === MINUS ? at + 1 : at;
  index = body[index] === ZERO ? index + 1 : skipDigits(body, index);
  if (index > 0 && body[index] === POINT) index = skipDigits(body, index + 1);
  if (index > 0 && (body[index] === 0x65 || body[index] === 0x45)) {
    const sign = body[index + 1];
    index = skipDigits(body, sign === PLUS || sign === MINUS ? index + 2 : index + 1);
  }
  return index;
}

/** Returns the offset after one or more digits; a negative number where there are none. */
function skipDigits(body: Buffer, at: number): number {
  let index = at;
  while (index < body.length && (body[index] ?? 0) >= ZERO && (body[index] ?? 0) <= NINE) {
    if (index - at === MAX_DIGITS) throw tooManyDigitsProblem();
    index += 1;
  }
  return index === at ? -1 : index;
}

function tooManyDigitsProblem(): Problem {
  return new Problem(
    'body_too_complex',
    `The JSON of this request has a number of more than ${MAX_DIGITS} digits, the maximum. Nothing was sent. Send it as a shorter number, or as text.`,
  );
}

function tooDeepProblem(): Problem {
  return new Problem(
    'body_too_complex',
    `The JSON of this request is nested more than ${MAX_DEPTH} levels deep, the maximum. Nothing was sent. Send it with fewer levels.`,
  );
}

function tooManyMembersProblem(): Problem {
  return new Problem(
    'body_too_complex',
    `The JSON of this request has more than ${MAX_MEMBERS} top-level members, the maximum. Nothing was sent. Send it with fewer members.`,
  );
}

function tooManyValuesProblem(max: number): Problem {
  return new Problem(
    'body_too_complex',
    `The JSON of this order has more than ${max} values, the maximum. Nothing was sent. Send it with fewer values.`,
  );
}

/** Whether the bytes begin with a UTF-8 byte order mark. */
export function startsWithBom(body: Uint8Array): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

/** Decodes the key between these offsets, quotes included. */
export function keyText(body: Buffer, start: number, end: number): string {
  const text = body.toString('utf8', start, end);
  if (!text.includes('\\')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    // Not valid JSON, so it matches no key that is looked for.
    return text;
  }
}

/** One member of a JSON object with its byte offsets: the key with its quotes, then the value without surrounding white space. */
export interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}
