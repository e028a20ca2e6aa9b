/**
 * Returns an offset from `at` on before which there is no quote, backslash or control character. It may stop before an ordinary
 * character, and never goes past the end.
 */
export type SkipPlain = (at: number) => number;

/** Below this length, reading four bytes at once saves nothing. */
const MIN_BYTES = 256;
const WORD = 4;

/**
 * Creates a function that skips the ordinary characters of a string, four bytes at once: prompts of several megabytes consist of hardly
 * anything else, and one byte at a time takes five times as long.
 */
export function createSkipPlain(body: Buffer): SkipPlain {
  if (body.length < MIN_BYTES) return (at) => at;
  // Words begin at addresses that are divisible by four.
  const first = (WORD - (body.byteOffset % WORD)) % WORD;
  const count = Math.floor((body.length - first) / WORD);
  const words = new Uint32Array(body.buffer, body.byteOffset + first, count);
  return (at) => {
    const before = at - first;
    if (before < 0 || before % WORD !== 0) return at;
    let word = before / WORD;
    while (word < count && isPlain(words[word] ?? 0)) word += 1;
    return word * WORD + first;
  };
}

/**
 * Whether none of four bytes is a control character, a quote (0x22) or a backslash (0x5c). A byte below n sets the high bit of its place
 * in `(x - n) & ~x`, and a byte equal to n is zero in `x ^ n`, so below 1 (H. S. Warren, Hacker's Delight, section 6-1).
 */
function isPlain(word: number): boolean {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  const found =
    ((word - 0x20202020) & ~word) |
    ((quote - 0x01010101) & ~quote) |
    ((backslash - 0x01010101) & ~backslash);
  return (found & 0x80808080) === 0;
}
