/**
 * Converts a JSON text to its canonical form. Two texts have the same form exactly when they differ only in white space, the order of
 * members, and the spelling of strings and numbers. Numbers are compared as decimals of any length, and a repeated name stays repeated.
 * `text` must be valid JSON (RFC 8259). Takes linear time.
 */
export function canonicalJson(text: string): string {
  const open: Container[] = [];
  let whole = '';
  const put = (value: string): void => {
    const inner = open.at(-1);
    if (inner === undefined) whole = value;
    else inner.put(value);
  };
  for (let at = 0; at < text.length;) {
    const sign = text[at] ?? '';
    if (sign === '{' || sign === '[') open.push(sign === '{' ? new JsonObject() : new List());
    if (sign === '}' || sign === ']') put(open.pop()?.close() ?? '');
    if (PUNCTUATION.has(sign)) {
      at += 1;
      continue;
    }
    const end = sign === '"' ? endOfString(text, at) : endOfWord(text, at);
    const token = text.slice(at, end);
    put(sign === '"' ? canonicalString(token) : canonicalWord(token));
    at = end;
  }
  return whole;
}

const SPACE: readonly string[] = [' ', '\t', '\n', '\r'];
const PUNCTUATION: ReadonlySet<string> = new Set([...SPACE, '{', '}', '[', ']', ',', ':']);

/** An object or a list that is being read. */
interface Container {
  /** Adds the next value, or the next name in an object. */
  put(value: string): void;
  close(): string;
}

class List implements Container {
  #text = '';

  put(value: string): void {
    // Appending avoids a copy of deeply nested text at each level.
    this.#text += this.#text === '' ? value : `,${value}`;
  }

  close(): string {
    return `[${this.#text}]`;
  }
}

class JsonObject implements Container {
  readonly #members: (readonly [name: string, value: string])[] = [];
  #name: string | null = null;

  put(value: string): void {
    if (this.#name === null) {
      this.#name = value;
      return;
    }
    this.#members.push([this.#name, value]);
    this.#name = null;
  }

  close(): string {
    let text = '';
    // Members of one name keep their order.
    const sorted = this.#members.toSorted(([one], [other]) =>
      one < other ? -1 : Number(one > other),
    );
    for (const [name, value] of sorted) text += `${text === '' ? '' : ','}${name}:${value}`;
    return `{${text}}`;
  }
}

/** Returns the position after a string that begins at a position of valid JSON. */
export function endOfString(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

function endOfWord(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && !PUNCTUATION.has(text[end] ?? '')) end += 1;
  return end;
}

function canonicalString(token: string): string {
  return token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,15}))?$/iu;

/** Writes a number as its digits, without zeros at either end, and a power of ten. Other words, and numbers with an exponent of more than 15 digits, stay. */
function canonicalWord(token: string): string {
  const [, sign = '', whole, fraction = '', power = '0'] = NUMBER.exec(token) ?? [];
  if (whole === undefined) return token.toLowerCase();
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start += 1;
  if (start === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const exponent = Number(power) - fraction.length + (digits.length - end);
  return `${sign}${digits.slice(start, end)}e${exponent}`;
}
