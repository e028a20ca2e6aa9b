import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { redactor } from './redact.ts';

const SECRET = 'sk-live+0123/456"789=abc';
const redact = redactor(() => [SECRET]);

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

test('a text without a secret is the same text', () => {
  const text = 'nothing to hide here';
  expect(redact(text)).toBe(text);
  expect(redactor(() => [])(text)).toBe(text);
  expect(redactor(() => [''])(text)).toBe(text);
});

test('a key that changes is covered at once', () => {
  const secrets = ['first-secret-key'];
  const live = redactor(() => secrets);
  expect(live('first-secret-key')).toBe('<service key>');
  secrets[0] = 'other-secret-key';
  expect(live('first-secret-key other-secret-key')).toBe('first-secret-key <service key>');
});

test('whatever stands around it, no secret survives in any form', () => {
  const key = fc.stringMatching(/^[\x21-\x7e]{12,60}$/u);
  fc.assert(
    fc.property(key, fc.string(), fc.string(), (secret, before, after) => {
      const clean = redactor(() => [secret]);
      expect(clean(before + secret + after)).not.toContain(secret);
      const encoded = Buffer.from(before + secret + after).toString('base64');
      const left = Buffer.from(clean(encoded).replaceAll('<service key>', ''), 'base64').toString();
      expect(left).not.toContain(secret);
      expect(clean(encoded)).toContain('<service key>');
    }),
  );
});
