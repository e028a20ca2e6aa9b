import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTextFile, decodeText } from './text-file.ts';

// oxlint-disable-next-line no-control-regex -- those are what makes a file none of text
const isText = (text: string) => !/[\u0000-\u0006\u000e-\u001a\u007f]/u.test(text);
const bytes = (text: string) => new TextEncoder().encode(text);

describe('the text in a file', () => {
  it('is what was written, whatever it is', () => {
    const written = fc.string({ unit: 'grapheme' }).filter((text) => !text.startsWith('\ufeff'));
    fc.assert(
      fc.property(written, (text) => {
        expect(decodeText(bytes(text))).toBe(isText(text) ? text : null);
      }),
    );
  });

  it('begins after the mark of its byte order', () => {
    expect(decodeText(bytes('\ufeffa\r\n\tb'))).toBe('a\r\n\tb');
  });

  it.each([
    ['a picture', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    ['an archive', [0x50, 0x4b, 0x03, 0x04]],
    ['UTF-16', [0xff, 0xfe, 0x61, 0x00]],
    ['Latin 1', [0x67, 0x72, 0xfc, 0x6e]],
  ])('is not found in %s', (_what, raw) => {
    expect(decodeText(Uint8Array.from(raw))).toBeNull();
  });
});

describe('a text file', () => {
  it('is taken whole, with its name', async () => {
    expect(await readTextFile(new File(['a = 1\n'], 'a.py'))).toEqual({
      kind: 'text',
      name: 'a.py',
      text: 'a = 1\n',
    });
  });

  it.each([
    ['is too long', 'x'.repeat(800_000), '781 KiB'],
    ['is binary', 'a\u0000b', 'neither an image nor a text file'],
    ['is empty', ' \n', 'The file is empty'],
  ])('that %s is refused in words', async (_how, text, words) => {
    const read = await readTextFile(new File([text], 'a.bin'));
    expect(read.kind === 'refused' && read.why).toContain(words);
  });
});
