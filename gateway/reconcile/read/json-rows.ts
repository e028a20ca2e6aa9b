import { UserError } from '../../errors.ts';
import type { RawRow } from './raw-row.ts';
import { MAX_ROW } from './text.ts';

/** Levels of objects in a row whose members are columns. */
const MAX_DEPTH = 4;

/**
 * Yields the rows of JSON: one object a line, an array of objects, or an object with such an array. The column of a member of an inner
 * object has both names, joined by a point. @throws UserError with the number of an entry that is no JSON
 */
export async function* readJsonRows(
  head: string,
  pieces: AsyncIterable<string>,
): AsyncGenerator<RawRow, void, void> {
  const splitter = new ObjectSplitter(isWrapped(head) ? 'arrays' : 'all');
  let place = 0;
  for await (const piece of pieces) {
    for (const text of splitter.split(piece)) {
      place += 1;
      yield { place, cells: toCells(parseObject(text, place)), fault: null };
    }
  }
  if (splitter.isInside) throw new UserError('The file ends within an entry.');
}

/** Returns whether the text is one object with a list of objects, which are the rows; otherwise the outermost objects are. */
function isWrapped(head: string): boolean {
  const text = head.trimStart();
  if (!text.startsWith('{')) return false;
  const [line = ''] = text.split('\n', 1);
  try {
    const value: unknown = JSON.parse(line);
    return Object.values(Object(value)).some(isListOfObjects);
  } catch {
    return true;
  }
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null;
}

function parseObject(text: string, place: number): object {
  try {
    const value: unknown = JSON.parse(text);
    return Object(value);
  } catch (error) {
    throw new UserError(`Entry ${place}: this is not JSON.`, null, { cause: error });
  }
}

function toCells(row: object): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  addCells(cells, row, '');
  return cells;
}

function addCells(cells: Map<string, string>, value: object, before: string): void {
  for (const [member, inner] of Object.entries(value)) {
    const name = before + member;
    if (inner === null) cells.set(name, '');
    else if (typeof inner !== 'object') cells.set(name, String(inner));
    else if (!Array.isArray(inner) && name.split('.').length < MAX_DEPTH) {
      addCells(cells, inner, `${name}.`);
    }
  }
}

const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);
const OPEN_LIST = '['.charCodeAt(0);
const CLOSE_LIST = ']'.charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
/** Signs that may be between rows: white space and commas. */
const BETWEEN_ROWS = new Set(Array.from(' \t\r\n,', (sign) => sign.charCodeAt(0)));
const ESCAPE = '\\'.charCodeAt(0);

/** Finds the objects that are rows in a text that comes in pieces: all outermost ones, or those in lists of the outermost object. */
class ObjectSplitter {
  readonly #rows: 'all' | 'arrays';
  /** The brackets that are open, without those of a row. */
  #outer = 0;
  /** The brackets that are open in a row; 0 outside of rows. */
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isInList = false;
  /** The beginning of a row from earlier pieces. */
  #start = '';

  constructor(rows: 'all' | 'arrays') {
    this.#rows = rows;
  }

  /** Whether the text ended before its last bracket was closed. */
  get isInside(): boolean {
    return this.#depth > 0 || this.#outer > 0 || this.#isText;
  }

  *split(piece: string): Generator<string, void, void> {
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const sign = piece.charCodeAt(at);
      if (this.#isText) this.#continueText(sign);
      else if (sign === QUOTE && this.#hasTexts) this.#isText = true;
      else if (sign === OPEN || sign === OPEN_LIST) {
        if (this.#open(sign)) from = at;
      } else if (sign === CLOSE || sign === CLOSE_LIST) {
        if (!this.#close(sign)) continue;
        yield this.#start + piece.slice(from, at + 1);
        this.#start = '';
        from = at + 1;
      } else if (this.#depth === 0) this.#checkBetween(sign);
    }
    if (this.#depth === 0) return;
    this.#start += piece.slice(from);
    if (this.#start.length > MAX_ROW) {
      throw new UserError('An entry of this file is too long to be a row of usage.');
    }
  }

  /** Whether a quotation mark begins a text here: none may be between rows. */
  get #hasTexts(): boolean {
    return this.#depth > 0 || this.#rows === 'arrays';
  }

  #checkBetween(sign: number): void {
    if (this.#rows === 'all' && !BETWEEN_ROWS.has(sign)) {
      throw new UserError('The file has something between its entries that is not JSON.');
    }
  }

  #continueText(sign: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (sign === ESCAPE) this.#isEscaped = true;
    else if (sign === QUOTE) this.#isText = false;
  }

  /** Returns whether a row begins. */
  #open(sign: number): boolean {
    if (this.#depth > 0) {
      this.#depth += 1;
      return false;
    }
    if (sign === OPEN && (this.#rows === 'all' || this.#isInList)) {
      this.#depth = 1;
      return true;
    }
    this.#outer += 1;
    if (sign === OPEN_LIST) this.#isInList = true;
    return false;
  }

  /** Returns whether a row ends. */
  #close(sign: number): boolean {
    if (this.#depth > 0) {
      this.#depth -= 1;
      return this.#depth === 0;
    }
    this.#outer = Math.max(0, this.#outer - 1);
    if (sign === CLOSE_LIST) this.#isInList = false;
    return false;
  }
}
