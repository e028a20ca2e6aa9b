/** Deeper than any answer, and shallow enough for recursive readers. */
export const MAX_DEPTH = 256;
/** More than any answer has. Each value makes an object or a name, so this bounds the time and memory that a text can take. */
export const MAX_VALUES = 250_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

type Reviver = NonNullable<Parameters<typeof JSON.parse>[1]>;

/** A text is nested too deeply or holds too many values to be parsed. */
class JsonTooComplexError extends SyntaxError {
  override readonly name = 'JsonTooComplexError';
}

/**
 * Parses a JSON text from outside like `JSON.parse`, but throws a SyntaxError before parsing a text that is nested more than
 * 256 levels deep or holds more than 250,000 values.
 */
export function parseJson(text: string, reviver?: Reviver): unknown {
  checkJson(text);
  return JSON.parse(text, reviver);
}

function checkJson(text: string): void {
  if (text.length <= MAX_VALUES && hasFewBrackets(text)) return;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = findStringEnd(text, at);
      continue;
    }
    if (code === 0x5b || code === 0x7b) {
      depth += 1;
      values += 1;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    else if (code === 0x2c) values += 1;
    else continue;
    if (depth > MAX_DEPTH)
      throw new JsonTooComplexError(`It is nested more than ${MAX_DEPTH} deep.`);
    if (values > MAX_VALUES)
      throw new JsonTooComplexError(`It has more than ${MAX_VALUES} values.`);
  }
}

/** Whether a text has at most 256 opening brackets, those in its strings included, so that it cannot be nested more deeply. */
function hasFewBrackets(text: string): boolean {
  let brackets = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      brackets += 1;
      if (brackets > MAX_DEPTH) return false;
    }
  }
  return true;
}

/** Returns the position of the quote that ends the string starting at `at`; the end of the text when none does. */
export function findStringEnd(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}
