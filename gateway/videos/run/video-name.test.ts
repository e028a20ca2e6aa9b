import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { videoName } from './video-name.ts';

const AT = new Date(2026, 10, 21, 23, 59).getTime();
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

const name = (prompt: string) => videoName({ prompt, id: 'x', at: AT });

describe('the name of a video', () => {
  it.each([
    ['A red fox runs in snow', '2026-11-21 A red fox runs in snow a1b2c3'],
    [null, '2026-11-21 video a1b2c3'],
    ['  ', '2026-11-21 video a1b2c3'],
    ['../../etc/passwd', '2026-11-21 .. .. etc passwd a1b2c3'],
    ['CON', '2026-11-21 CON a1b2c3'],
    ['a:b*c?"d"<e>|f\\g', '2026-11-21 a b c d e f g a1b2c3'],
    ['one\r\ntwo\u2028three\u0000\u202E', '2026-11-21 one two three a1b2c3'],
    ['\uD800', '2026-11-21 video a1b2c3'],
    ['ünï 狐 🦊', '2026-11-21 ünï 狐 🦊 a1b2c3'],
  ])('for %j is %j', (prompt, expected) => {
    expect(videoName({ prompt, id: 'a1b2c34d5e6f', at: AT })).toBe(expected);
  });

  it('is shortened at a word, or inside a word that is too long', () => {
    const words = `2026-11-21 ${'A sentence of ten words '.repeat(4)}A x`;
    expect(name('A sentence of ten words '.repeat(20))).toBe(words);
    expect(name('x'.repeat(500))).toBe(`2026-11-21 ${'x'.repeat(100)} x`);
    expect(name('狐'.repeat(500))).toBe(`2026-11-21 ${'狐'.repeat(33)} x`);
  });

  it('is valid on every system', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.uuid(),
        fc.date({ min: new Date(0), max: new Date(2100, 1), noInvalidDate: true }),
        (prompt, id, date) => {
          const fileName = videoName({ prompt, id, at: date.getTime() });
          expect(fileName).not.toMatch(/[\p{C}<>:"/\\|?*]|^[. ]|[. ]$|\s\s/u);
          expect(fileName).not.toMatch(RESERVED);
          // Leaves space for " (99)" and an extension below 143 bytes, the shortest limit of a common file system.
          expect(Buffer.byteLength(fileName)).toBeLessThanOrEqual(130);
          expect(fileName.isWellFormed()).toBe(true);
          expect(fileName.endsWith(id.slice(0, 6))).toBe(true);
        },
      ),
    );
  });
});
