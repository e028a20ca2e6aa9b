import { assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { parseExternalUrl } from './external-url.ts';

test.each([
  ['https://example.org', 'https://example.org/', 'example.org'],
  [
    'HTTP://Example.ORG:8080/a b?q="x"#y',
    'http://example.org:8080/a%20b?q=%22x%22#y',
    'example.org:8080',
  ],
  ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4', 'xn--bcher-kva.example'],
  ['https://example.org/?a=1|2^3{4}', 'https://example.org/?a=1%7C2%5E3%7B4%7D', 'example.org'],
  ['mailto:a@example.org?subject=Hi%20there', 'mailto:a@example.org?subject=Hi%20there', null],
  ['mailto:?body=One%0ATwo', 'mailto:?body=One%0ATwo', null],
  ['mailto:"x"@example.org', 'mailto:%22x%22@example.org', null],
])('%s is opened as %s', (text, url, site) => {
  expect(parseExternalUrl(text)).toEqual({ url, site });
});

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' java\nscript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'ftp://example.org/',
  'smb://example.org/share',
  'vscode://x',
  'ms-msdt:/id x',
  'app://ui/settings',
  'blob:https://example.org/1',
  'https://bank.example@elsewhere.example/',
  'https://:secret@elsewhere.example/',
  'https://',
  'http:',
  '/settings',
  '#there',
  'mailto:a@example.org?attach=/etc/passwd',
  'mailto:a@example.org?Subject=x&ATTACHMENT=/etc/passwd',
  'mailto://example.org/x',
  'mailto:"x" -y@example.org',
  'mailto:a@example.org%0D%0ABcc:b@example.org',
  'mailto:a@example.org?subject=x%0aBcc:b@example.org',
  `https://example.org/${'x'.repeat(2_048)}`,
  `https://example.org/${'ä'.repeat(1_000)}`,
  '',
])('%.60s is not opened', (text) => {
  expect(parseExternalUrl(text)).toBeNull();
});

test('whatever the text, what is opened is plain, short and the same when read again', () => {
  const prefix = constantFrom('https://example.org/', 'http://', 'mailto:', 'https://', '');
  assert(
    property(prefix, string({ unit: 'binary' }), (begin, rest) => {
      const externalUrl = parseExternalUrl(begin + rest);
      if (externalUrl === null) return;
      expect(externalUrl.url).toMatch(/^(?:https?:\/\/|mailto:)[!#$%&()*+,\-./:;=?@[\]~\w]*$/u);
      expect(externalUrl.url.length).toBeLessThanOrEqual(2_048);
      expect(parseExternalUrl(externalUrl.url)).toEqual(externalUrl);
    }),
  );
});
