import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { createRedactor } from './redact.ts';

const SECRET = 'sk-live+0123/456"789=abc';
const redact = createRedactor(() => [SECRET]);

test.each([
  ['as it is', `key=${SECRET};`],
  ['escaped in JSON', JSON.stringify({ key: SECRET })],
  ['percent-encoded', `?key=${encodeURIComponent(SECRET)}&x=1`],
  [
    'percent-encoded in lower case',
    `?key=${encodeURIComponent(SECRET).replace(/%../gu, (x) => x.toLowerCase())}`,
  ],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64url', Buffer.from(SECRET).toString('base64url')],
  [
    'as the password of basic authorization',
    `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`,
  ],
  [
    'as a basic user with a longer name',
    `Basic ${Buffer.from(`you2:${SECRET}:`).toString('base64')}`,
  ],
])('a secret %s is replaced', (_form, text) => {
  const clean = redact(text);
  expect(clean).toContain('<service key>');
  expect(clean).not.toContain('0123/456');
  expect(clean).not.toContain(encodeURIComponent('0123/456'));
});

test('a text without a secret is unchanged', () => {
  const text = 'nothing to hide here';
  expect(redact(text)).toBe(text);
  expect(createRedactor(() => [])(text)).toBe(text);
  expect(createRedactor(() => [''])(text)).toBe(text);
});

test('a changed key is redacted at once', () => {
  const secrets = ['first-secret-key'];
  const live = createRedactor(() => secrets);
  expect(live('first-secret-key')).toBe('<service key>');
  secrets[0] = 'other-secret-key';
  expect(live('first-secret-key other-secret-key')).toBe('first-secret-key <service key>');
});

test('after a key that cannot be searched for nothing counts as searched', () => {
  const fail = createRedactor(() => JSON.parse('["the-key-of-an-account", null]'));
  for (let times = 0; times < 3; times += 1)
    expect(() => fail('the-key-of-an-account')).toThrow(TypeError);
});

test('no form of a secret survives in any surrounding text', () => {
  const key = fc.stringMatching(/^[\x21-\x7e]{12,60}$/u);
  fc.assert(
    fc.property(key, fc.string(), fc.string(), (secret, before, after) => {
      const clean = createRedactor(() => [secret]);
      expect(clean(before + secret + after)).not.toContain(secret);
      const encoded = Buffer.from(before + secret + after).toString('base64');
      const left = Buffer.from(clean(encoded).replaceAll('<service key>', ''), 'base64').toString();
      expect(left).not.toContain(secret);
      expect(clean(encoded)).toContain('<service key>');
    }),
  );
});

/** Spellings of one character: in JSON, in an address, and in JSON inside a JSON string. */
const SPELLINGS: readonly ((letter: string) => string)[] = [
  (letter) => letter,
  (letter) => JSON.stringify(letter).slice(1, -1),
  (letter) => (/[/"\\]/u.test(letter) ? `\\${letter}` : letter),
  (letter) => `\\u00${hexOf(letter)}`,
  (letter) => `\\u00${hexOf(letter).toUpperCase()}`,
  (letter) => `\\\\u00${hexOf(letter)}`,
  (letter) => `%${hexOf(letter)}`,
  (letter) => `%${hexOf(letter).toUpperCase()}`,
  (letter) => `%25${hexOf(letter)}`,
];

function hexOf(letter: string): string {
  return letter.charCodeAt(0).toString(16).padStart(2, '0');
}

test('no mix of encodings of its characters hides a secret', () => {
  const key = fc.stringMatching(/^[\x21-\x7e]{16,60}$/u);
  const ways = fc.array(fc.nat(SPELLINGS.length - 1), { minLength: 60, maxLength: 60 });
  fc.assert(
    fc.property(key, ways, fc.constantFrom('', 'x', '"', ' ', '}'), (secret, chosen, around) => {
      const spelled = secret.replaceAll(
        /./gu,
        (letter, at: number) => SPELLINGS[chosen[at] ?? 0]?.(letter) ?? letter,
      );
      const clean = createRedactor(() => [secret], { mask: '***' })(`${around}${spelled}${around}`);
      expect(clean).toBe(`${around}***${around}`);
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['escaped throughout', String.raw`\u0073\u006B\u002d\u006c\u0069ve+0123/456\"789=abc`],
  ['with a percent-encoded hyphen', `sk%2Dlive+0123/456"789=abc`],
  ['with an escaped slash', String.raw`sk-live+0123\/456\"789=abc`],
])('a secret %s is replaced completely', (_form, text) => {
  expect(redact(`{"owned_by":"${text}"}`)).toBe('{"owned_by":"<service key>"}');
});

test('base64 of a secret is also found after escapes', () => {
  const encoded = Buffer.from('>>>???>>>???>>>???').toString('base64');
  const clean = createRedactor(() => ['>>>???>>>???>>>???']);
  expect(encoded).toContain('/');
  expect(clean(encoded.replaceAll('/', String.raw`\/`))).toBe('<service key>');
});

test('long runs of backslashes and percent signs are searched in linear time', () => {
  for (const run of ['\\', '%', '%25', '%5c']) {
    expect(redact(`${run.repeat(100_000)}${SECRET}`)).toContain('<service key>');
    expect(redact(`${run.repeat(100_000)} ${SECRET}`)).toBe(`${run.repeat(100_000)} <service key>`);
  }
});

test('an escaped first character is found behind any number of backslashes', () => {
  const text = `${'\\'.repeat(101)}u0073${SECRET.slice(1)}`;
  expect(redact(text)).toBe(`${'\\'.repeat(100)}<service key>`);
});
