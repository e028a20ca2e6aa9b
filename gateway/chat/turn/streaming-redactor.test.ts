import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { StreamingRedactor } from './streaming-redactor.ts';

const SECRET = 'sk-abcabcabcabcabcabd';

function redactChunks(chunks: readonly string[]): string[] {
  const hold = new StreamingRedactor(() => [SECRET, 'none']);
  return [...chunks.map((text) => hold.pass({ text, reasoning: '' })), hold.rest()].map(
    ({ text }) => text,
  );
}

test('no secret passes, wherever the chunks split it, and all other text is unchanged', () => {
  const part = fc.constantFrom('a', 'sk-', 'abc', ' none ', SECRET, SECRET.slice(0, 18), 'abd');
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(200)), (parts, cuts) => {
      const text = parts.join('');
      const at = [
        0,
        ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b),
        text.length,
      ];
      const redacted = redactChunks(
        at.slice(1).map((end, index) => text.slice(at[index], end)),
      ).join('');
      expect(redacted).not.toContain(SECRET);
      const clean = text.replaceAll(SECRET, '<service key>');
      // A large part of a key at the very end is masked like a key.
      if (!redacted.endsWith('<service key>')) expect(redacted).toBe(clean);
    }),
  );
});

test('a possible beginning of a secret is delayed, and a large part of one is masked', () => {
  expect(redactChunks(['say s', 'k', 'ip'])).toEqual(['say ', '', 'skip', '']);
  expect(redactChunks(['key ', SECRET.slice(0, -1)])).toEqual(['key ', '', '<service key>']);
});
