import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { parseBaseUrl, InvalidBaseUrlError } from './base-url.ts';

const url = (text: string) => parseBaseUrl(text).url;

test.each([
  ['https://models.example.com', 'https://models.example.com'],
  ['  https://models.example.com/  ', 'https://models.example.com'],
  ['https://models.example.com/v1', 'https://models.example.com'],
  ['https://models.example.com/v1/', 'https://models.example.com'],
  ['https://models.example.com/V1/v1', 'https://models.example.com'],
  ['https://models.example.com//v1//messages', 'https://models.example.com'],
  ['https://models.example.com/v1/messages/v1/messages', 'https://models.example.com'],
  ['https://models.example.com/v1/messages/count_tokens', 'https://models.example.com'],
  ['https://models.example.com/v1/chat/completions', 'https://models.example.com'],
  ['https://models.example.com/chat/completions/chat/completions', 'https://models.example.com'],
  ['https://models.example.com/v1/responses', 'https://models.example.com'],
  ['https://models.example.com/compatible-mode/v1', 'https://models.example.com/compatible-mode'],
  ['https://models.example.com/api/coding/', 'https://models.example.com/api/coding'],
  [
    'https://models.example.com/api/coding/paas/v4',
    'https://models.example.com/api/coding/paas/v4',
  ],
  ['"https://models.example.com"', 'https://models.example.com'],
  ["'https://models.example.com/v1'", 'https://models.example.com'],
  ['<https://models.example.com>', 'https://models.example.com'],
  ['`https://models.example.com`', 'https://models.example.com'],
  ['HTTPS://Models.Example.COM', 'https://models.example.com'],
  ['models.example.com/v1', 'https://models.example.com'],
  ['//models.example.com', 'https://models.example.com'],
  ['https:/models.example.com', 'https://models.example.com'],
  ['https://https://models.example.com', 'https://models.example.com'],
  ['http://https://models.example.com', 'https://models.example.com'],
  ['models.example.com:8443', 'https://models.example.com:8443'],
  ['localhost:11434/v1', 'http://localhost:11434'],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://[::1]:8080/v1', 'http://[::1]:8080'],
  ['[::1]:8080', 'http://[::1]:8080'],
  ['http://localhost:1234', 'http://localhost:1234'],
])('%s is parsed as %s', (pasted, expected) => {
  expect(url(pasted)).toBe(expected);
});

test.each([
  ['', 'No address'],
  ['   ', 'No address'],
  ['https://user:word@models.example.com', 'user name or password'],
  ['https://sk-secret@models.example.com', 'user name or password'],
  ['https://models.example.com/v1?key=abc', 'query'],
  ['https://models.example.com/v1#top', 'fragment'],
  ['ftp://models.example.com', 'ftp://'],
  ['file:///etc/passwd', 'file://'],
  ['http://models.example.com', 'clear text'],
  ['http://192.168.1.20:8000', 'clear text'],
  ['http://127.0.0.1.example.com', 'clear text'],
  ['http://localhost.example.com', 'clear text'],
  ['https://models.example.com /v1', 'spaces'],
  ['https://', 'not a web address'],
  ['mailto:someone', 'not a web address'],
])('%s is rejected and the reason names: %s', (pasted, reason) => {
  expect(() => parseBaseUrl(pasted)).toThrow(InvalidBaseUrlError);
  expect(() => parseBaseUrl(pasted)).toThrow(reason);
});

test('an error message never repeats a credential', () => {
  for (const pasted of ['https://u:sk-secret@example.com', 'https://example.com/?key=sk-secret']) {
    expect(() => parseBaseUrl(pasted)).not.toThrow(/sk-secret/u);
  }
});

test('each correction is described in a sentence, and a correct address has none', () => {
  expect(parseBaseUrl('https://models.example.com').corrections).toEqual([]);
  expect(parseBaseUrl('"models.example.com//v1"').corrections).toHaveLength(4);
});

test('a single word needs its scheme to be an address, and the error message does not repeat it', () => {
  for (const word of ['nonsense', 'sk-secret', 'sk-secret:443', 'sk-secret/v1.0', '//sk-secret']) {
    expect(() => parseBaseUrl(word)).toThrow('a single word');
    expect(() => parseBaseUrl(word)).not.toThrow(/nonsense|secret/u);
  }
  expect(parseBaseUrl('https://nonsense')).toEqual({ url: 'https://nonsense', corrections: [] });
});

const host = fc.domain();
const vendorPath = fc.array(fc.constantFrom('api', 'coding', 'paas', 'v4', 'compatible-mode'));
const tail = fc.array(
  fc.constantFrom('v1', 'V1', 'chat/completions', 'messages', 'responses', 'models', ''),
);

test('the base address is found behind any pasted route', () => {
  fc.assert(
    fc.property(host, vendorPath, tail, (name, path, routes) => {
      const base = [`https://${name}`, ...path].join('/');
      const expected = base.toLowerCase();
      expect(url([base, ...routes].join('/')).toLowerCase()).toBe(expected);
    }),
  );
});

test('a parsed address is parsed to itself, without corrections', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl(), fc.string(), host), (text) => {
      let first: string;
      try {
        first = url(text);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidBaseUrlError);
        return;
      }
      expect(parseBaseUrl(first)).toEqual({ url: first, corrections: [] });
    }),
    { numRuns: 2_000 },
  );
});
