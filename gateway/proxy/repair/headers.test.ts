import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findRoute } from '../route.ts';
import { looksLikeJson, repairContentType, repairVersion } from './headers.ts';

const MESSAGES = findRoute('POST', '/v1/messages');

function isAdded(path: string): boolean {
  return repairVersion([], findRoute('POST', path), 'acme').repairs.length > 0;
}

function looks(text: string): boolean {
  return looksLikeJson(Buffer.from(text));
}

function form(boundary: string): Buffer {
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nx\r\n--${boundary}--\r\n`,
  );
}

/** Returns the content type that is detected in the first `end` bytes of a form. */
function detectType(end: number): string | undefined {
  return repairContentType([], form('abc').subarray(0, end), 'POST').headers[1];
}

describe('repairVersion: the version header of the Messages protocol', () => {
  test('a missing version header is added with the name of the vendor', () => {
    const { headers, repairs } = repairVersion(['accept', '*/*'], MESSAGES, 'acme');
    expect(headers).toEqual(['accept', '*/*', 'acme-version', '2023-06-01']);
    expect(repairs).toMatchObject([
      { code: 'version-added', before: '', after: 'acme-version: 2023-06-01' },
    ]);
  });

  test('the version header is added for sub-resources, and not outside the Messages protocol', () => {
    expect(isAdded('/v1/messages/count_tokens?beta=true')).toBe(true);
    expect(isAdded('/v1/chat/completions')).toBe(false);
    expect(isAdded('/v1/models')).toBe(false);
  });

  test.each([
    ['acme-version', '2026-10-21'],
    ['Anthropic-Version', '2023-06-01'],
    ['other-version', '2024-01-31'],
  ])('the header %s: %s is kept', (name, value) => {
    const headers = [name, value, 'anthropic-beta', 'a-2025-01-01,b'];
    expect(repairVersion(headers, MESSAGES, 'acme')).toEqual({ headers, repairs: [] });
  });

  test.each([
    ['x-stainless-package-version', '0.137.0'],
    ['x-stainless-runtime-version', '2024-01-31'],
    ['client-version', 'v24.21.0'],
    ['anthropic-beta', '2024-01-31'],
  ])('the header %s: %s is not a version header', (name, value) => {
    const { headers } = repairVersion([name, value], MESSAGES, 'acme');
    expect(headers).toEqual([name, value, 'acme-version', '2023-06-01']);
  });

  test.each([
    ['acme-version', '2024/06/20', '2024-06-20'],
    ['anthropic-version', '"2024-06-20"', '2024-06-20'],
    ['anthropic-version', '2023-13-99', '2023-06-01'],
    ['other-version', '20240620', '2024-06-20'],
    ['Anthropic-Version', 'v1', '2023-06-01'],
    ['acme-version', '', '2023-06-01'],
  ])('the header %s: %s becomes %s', (name, value, version) => {
    const { headers, repairs } = repairVersion([name, value, 'a', 'b'], MESSAGES, 'acme');
    expect(headers).toEqual(['a', 'b', name, version]);
    expect(repairs).toMatchObject([
      { code: 'version-format', before: `${name}: ${value}`, after: `${name}: ${version}` },
    ]);
  });

  test('a vendor name of several words is recognised', () => {
    const headers = ['one-two-version', '2023-06-01'];
    expect(repairVersion(headers, MESSAGES, 'one-two').repairs).toEqual([]);
  });
});

describe('repairContentType: JSON', () => {
  test.each([
    [[], ''],
    [['content-type', 'text/plain;charset=UTF-8'], 'text/plain;charset=UTF-8'],
    [['Content-Type', 'application/x-www-form-urlencoded'], 'application/x-www-form-urlencoded'],
    [['content-type', 'multipart/form-data'], 'multipart/form-data'],
    [['content-type', 'application/json, application/json'], 'application/json, application/json'],
    [
      ['content-type', 'application/json', 'content-type', 'text/plain'],
      'application/json, text/plain',
    ],
    [['content-type', ''], ''],
  ])('the headers %j are corrected', (headers, before) => {
    const repaired = repairContentType(['a', 'b', ...headers], Buffer.from(' {"a":1}'), 'POST');
    expect(repaired.headers).toEqual(['a', 'b', 'content-type', 'application/json']);
    expect(repaired.repairs).toMatchObject([
      { code: 'content-type-json', before, after: 'application/json' },
    ]);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=utf-8',
    'application/merge-patch+json',
    'application/vnd.api+json; a=b',
    'application/x-ndjson',
  ])('the content type %s is not changed', (type) => {
    const headers = ['Content-Type', type];
    expect(repairContentType(headers, Buffer.from('{}'), 'POST')).toEqual({ headers, repairs: [] });
  });

  test.each([
    ['GET', '{}'],
    ['HEAD', '{}'],
    ['POST', ''],
    ['POST', 'plain text'],
    ['POST', '"a string"'],
    ['POST', 'a=b'],
  ])('%s with the body %j is not changed', (method, body) => {
    const headers = ['content-type', 'text/plain'];
    expect(repairContentType(headers, Buffer.from(body), method)).toEqual({ headers, repairs: [] });
  });

  test('JSON is recognised by its first byte', () => {
    expect(['{', ' \r\n\t[', '\uFEFF{'].map(looks)).toEqual([true, true, true]);
    expect(['', ' ', 'x{', '\uFEFF', '--b'].map(looks)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('repairContentType: forms', () => {
  test.each([
    [[]],
    [['content-type', 'application/json']],
    [['content-type', 'multipart/form-data']],
    [['content-type', 'multipart/form-data; boundary=other']],
    [['content-type', 'application/octet-stream']],
  ])('the headers %j get the boundary of the body', (headers) => {
    const repaired = repairContentType(headers, form('----WebKit7MA4'), 'POST');
    const type = 'multipart/form-data; boundary=----WebKit7MA4';
    expect(repaired.headers).toEqual(['content-type', type]);
    expect(repaired.repairs).toMatchObject([
      { code: 'content-type-multipart', before: headers[1] ?? '', after: type },
    ]);
  });

  test.each([
    'multipart/form-data; boundary=abc',
    'multipart/form-data; charset=utf-8; BOUNDARY="abc"',
    'multipart/mixed; boundary=abc',
  ])('the content type %s is not changed', (type) => {
    const headers = ['content-type', type];
    expect(repairContentType(headers, form('abc'), 'POST')).toEqual({ headers, repairs: [] });
  });

  test('a boundary with special characters is quoted', () => {
    const { headers } = repairContentType([], form("a b:c/d=e'(f)"), 'POST');
    expect(headers[1]).toBe(`multipart/form-data; boundary="a b:c/d=e'(f)"`);
  });

  test('a short first chunk is enough if it contains a complete line', () => {
    expect(detectType(7)).toBe('multipart/form-data; boundary=abc');
    expect(detectType(10)).toBe('multipart/form-data; boundary=abc');
    expect(detectType(5)).toBeUndefined();
  });

  test.each([
    '--\r\nContent-Type: a\r\n',
    '--abc\r\nhello',
    '-- x --\n\n',
    `--${'b'.repeat(71)}\r\nContent-`,
  ])('%j is not recognised as a form', (body) => {
    expect(repairContentType([], Buffer.from(body), 'POST').repairs).toEqual([]);
  });

  test('a second repair changes nothing for arbitrary bytes', () => {
    const start = fc.oneof(
      fc.uint8Array(),
      fc.string().map((text) => Buffer.from(`{${text}`)),
      fc.string().map((text) => form(text)),
    );
    const types = fc.oneof(
      fc.string(),
      fc.constantFrom('application/json', 'multipart/form-data; boundary=abc'),
    );
    fc.assert(
      fc.property(start, fc.array(types, { maxLength: 2 }), (bytes, declared) => {
        const headers = declared.flatMap((type) => ['content-type', type]);
        const once = repairContentType(headers, bytes, 'POST').headers;
        expect(repairContentType(once, bytes, 'POST')).toEqual({ headers: once, repairs: [] });
      }),
    );
  });
});
