import { setImmediate as nextTurn } from 'node:timers/promises';
import { ByteChunks } from '../../../lib/byte-chunks.ts';
import {
  MAX_DEPTH,
  MAX_MEMBERS,
  tooDeepProblem,
  tooManyMembersProblem,
  tooManyValuesProblem,
} from './json-limits.ts';
import { JsonNumber } from './json-number.ts';
import { createSkipPlain, type SkipPlain } from './skip-plain.ts';

/** Bytes that are scanned before other work may run. */
const SLICE_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const WORDS: ReadonlyMap<number, Buffer> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
);
/** The characters after a backslash, but for `u`. */
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

const EMPTY = Buffer.alloc(0);
/** Characters of an escape of four hexadecimal digits after its backslash. */
const ESCAPE_LENGTH = 5;

/** The kinds of token that may follow (RFC 8259 sections 2 to 5). */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'end';

/** The result of a scan; `members` are those of the outermost object, `null` for everything else. */
export interface ScannedJson {
  readonly valid: boolean;
  readonly members: readonly Member[] | null;
}

/**
 * Scans a body as JSON (RFC 8259) in one pass, without building its values; it may be in pieces. Yields to other work after each MiB,
 * and returns a promise only for a longer body.
 * @throws Problem body_too_complex when it is nested more than 512 levels deep, has more than 10,000 members in the outermost object, a
 * number with more than 1,000 consecutive digits, or more than `values` values in all.
 */
export function scanJson(
  body: Buffer | ByteChunks,
  values = Number.POSITIVE_INFINITY,
): ScannedJson | Promise<ScannedJson> {
  const bytes = body instanceof ByteChunks ? body : new ByteChunks([body]);
  const scan = new JsonScan(bytes, values);
  if (bytes.length > SLICE_BYTES) return scanSlices(scan, bytes);
  for (const chunk of bytes.chunks) scan.push(chunk);
  return scan.result();
}

async function scanSlices(scan: JsonScan, { chunks }: ByteChunks): Promise<ScannedJson> {
  let scanned = 0;
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
      const slice = chunk.subarray(at, at + SLICE_BYTES);
      if (!scan.push(slice)) return scan.result();
      scanned += slice.length;
      if (scanned < SLICE_BYTES) continue;
      scanned = 0;
      await nextTurn();
    }
  }
  return scan.result();
}

/** Scans a JSON text piece by piece: a token may begin in one and end in another. */
class JsonScan {
  readonly #body: ByteChunks;
  readonly #maxValues: number;
  readonly #members: Member[] = [];
  /** For each level, whether it is an object (1) or a list (0). */
  readonly #objects: (0 | 1)[] = [];
  readonly #number = new JsonNumber();
  #depth = 0;
  #values = 0;
  /** Offset of the present piece. */
  #offset = 0;
  #isInvalid = false;
  #expected: Expected = 'value';
  /** The kind of the token that goes on in the next piece. */
  #inside: 'string' | 'number' | 'word' | null = null;
  /** Of an escape in a string: characters that are still to come, 5 after the backslash. */
  #escape = 0;
  /** Bytes of a word that are still to come. */
  #word: Buffer = EMPTY;
  /** Offsets of the current member of the outermost object. */
  #key = { start: 0, end: 0, value: 0 };

  constructor(body: ByteChunks, maxValues: number) {
    this.#body = body;
    this.#maxValues = maxValues;
  }

  /** Scans the next piece. Returns false when the text is no JSON. */
  push(piece: Buffer): boolean {
    const skipPlain = createSkipPlain(piece);
    let at = this.#offset === 0 && startsWithBom(piece) ? 3 : 0;
    while (at >= 0 && at < piece.length) {
      if (this.#inside !== null) at = this.#continue(piece, at, skipPlain);
      else {
        const byte = piece[at] ?? 0;
        if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) at += 1;
        else at = this.#scanToken(byte, at);
      }
    }
    this.#offset += piece.length;
    this.#isInvalid ||= at < 0;
    return !this.#isInvalid;
  }

  /** Returns the result after the last piece. */
  result(): ScannedJson {
    if (this.#inside === 'number' && this.#number.isComplete) this.#endValue(this.#offset);
    const valid = !this.#isInvalid && this.#inside === null && this.#expected === 'end';
    return { valid, members: valid && this.#objects[0] === 1 ? this.#members : null };
  }

  /** Scans the rest of the present token, as far as it is in this piece. Returns the offset after it; a negative number where it is not JSON. */
  #continue(piece: Buffer, at: number, skipPlain: SkipPlain): number {
    if (this.#inside === 'string') return this.#skipString(piece, at, skipPlain);
    if (this.#inside === 'word') return this.#skipWord(piece, at);
    const end = this.#number.skip(piece, at);
    if (end === piece.length) return end;
    if (!this.#number.isComplete) return -1;
    this.#endValue(this.#offset + end);
    return end;
  }

  /** Scans the token at `at`, or begins to. Returns the offset after it; a negative number where it is not JSON. */
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
    if (this.#depth === 1) this.#key.start = this.#offset + at;
    this.#expected = 'colon';
    this.#inside = 'string';
    return at + 1;
  }

  #scanValue(byte: number, at: number): number {
    this.#values += 1;
    if (this.#values > this.#maxValues) throw tooManyValuesProblem(this.#maxValues);
    if (this.#depth === 1) this.#key.value = this.#offset + at;
    if (byte === OPEN_OBJECT) return this.#open(1, at);
    if (byte === OPEN_LIST) return this.#open(0, at);
    if (byte === QUOTE) {
      this.#inside = 'string';
      return at + 1;
    }
    const word = WORDS.get(byte);
    this.#inside = word === undefined ? 'number' : 'word';
    if (word === undefined) this.#number.reset();
    else this.#word = word;
    return at;
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
    this.#endValue(this.#offset + at + 1);
    return at + 1;
  }

  /** Scans a string (RFC 8259 section 7) up to its end or that of the piece. */
  #skipString(piece: Buffer, from: number, skipPlain: SkipPlain): number {
    let at = from;
    while (at < piece.length) {
      if (this.#escape === 0) at = skipPlain(at);
      const byte = piece[at];
      if (byte === undefined) return at;
      at += 1;
      if (this.#escape > 0) {
        if (!this.#takeEscaped(byte)) return -1;
      } else if (byte === QUOTE) {
        this.#endString(this.#offset + at);
        return at;
      } else if (byte < 0x20) return -1;
      else if (byte === BACKSLASH) this.#escape = ESCAPE_LENGTH;
    }
    return at;
  }

  /** Takes the next character of an escape. Returns false when it is none. */
  #takeEscaped(byte: number): boolean {
    const isFirst = this.#escape === ESCAPE_LENGTH;
    this.#escape = isFirst && byte !== 0x75 ? 0 : this.#escape - 1;
    return isFirst ? byte === 0x75 || ESCAPED.has(byte) : isHexDigit(byte);
  }

  #skipWord(piece: Buffer, from: number): number {
    let at = from;
    while (at < piece.length && this.#word.length > 0) {
      if (piece[at] !== this.#word[0]) return -1;
      this.#word = this.#word.subarray(1);
      at += 1;
    }
    if (this.#word.length === 0) this.#endValue(this.#offset + at);
    return at;
  }

  #endString(end: number): void {
    if (this.#expected !== 'colon') return this.#endValue(end);
    this.#inside = null;
    if (this.#depth === 1) this.#key.end = end;
  }

  /** Records that a value ends before `end`. */
  #endValue(end: number): void {
    this.#inside = null;
    this.#expected = this.#depth === 0 ? 'end' : 'comma-or-end';
    if (this.#depth !== 1 || this.#objects[0] !== 1) return;
    if (this.#members.length === MAX_MEMBERS) throw tooManyMembersProblem();
    const { start: keyStart, end: keyEnd, value: valueStart } = this.#key;
    const key = keyText(this.#body.slice(keyStart, keyEnd));
    this.#members.push({ key, keyStart, keyEnd, valueStart, valueEnd: end });
  }
}

function isHexDigit(byte: number): boolean {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

/** Whether the bytes begin with a UTF-8 byte order mark. */
export function startsWithBom(body: Uint8Array): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

/** Decodes a key from its bytes, quotes included. */
export function keyText(bytes: Buffer): string {
  const text = bytes.toString();
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
