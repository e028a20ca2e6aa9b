import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeyMask, createKeyMasks } from './key-mask.ts';

const key = 'sk-0123456789abcdef';

test('the key is overwritten anywhere, and all other bytes are unchanged', () => {
  const around = fc.array(fc.string().filter((text) => !text.includes('sk-')));
  fc.assert(
    fc.property(around, (texts) => {
      const sent = Buffer.from(texts.join(key));
      expect(createKeyMask(key).bytes(sent).toString()).toBe(texts.join('*'.repeat(key.length)));
      expect(createKeyMask(key).text(texts.join(key))).toBe(texts.join('<service key>'));
    }),
  );
});

test('a mask that is kept belongs to the key that it is asked for', () => {
  const maskFor = createKeyMasks();
  const other = 'sk-fedcba9876543210';
  for (const asked of [key, key, other, null, key]) {
    const hidden = asked === key ? `<service key> ${other}` : `${key} <service key>`;
    const expected = asked === null ? `${key} ${other}` : hidden;
    expect(maskFor(asked).text(`${key} ${other}`)).toBe(expected);
  }
});

test('bytes without the key are passed on unchanged', () => {
  const sent = Buffer.from('nothing to see');
  expect(createKeyMask(key).bytes(sent)).toBe(sent);
  expect(createKeyMask(null).bytes(sent)).toBe(sent);
});

test('a short key is not masked', () => {
  const sent = Buffer.from('there is none here; nonetheless');
  expect(createKeyMask('none').bytes(sent)).toBe(sent);
  expect(createKeyMask('none').text('none')).toBe('none');
});

test.each([
  ['in JSON', (odd: string) => JSON.stringify(odd).slice(1, -1)],
  ['in an address', encodeURIComponent],
])('a key that is encoded %s is found, too', (_place, write) => {
  const odd = 'sk-"0/1\\2%3-456789abcdef';
  const written = write(odd);
  const { text, bytes } = createKeyMask(odd);
  expect(text(`a ${written} b`)).toBe('a <service key> b');
  expect(bytes(Buffer.from(`a ${written} b`)).toString()).toBe(`a ${'*'.repeat(written.length)} b`);
});
