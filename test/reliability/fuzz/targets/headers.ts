import assert from 'node:assert/strict';
import { extractCredentials } from '../../../../gateway/proxy/repair/credentials.ts';
import { repairContentType, repairVersion } from '../../../../gateway/proxy/repair/headers.ts';
import { findRoute } from '../../../../gateway/proxy/route.ts';
import type { Target } from '../target.ts';

/** Parses lines as raw headers; the first line is the target, and the text after an empty line is the body. */
function parse(input: Buffer) {
  const text = input.toString('latin1');
  const [head = '', ...rest] = text.split('\n\n');
  const [target = '/', ...lines] = head.split('\n');
  const headers = lines.flatMap((line) => {
    const at = line.indexOf(':');
    return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).trim()];
  });
  return { target, headers, body: Buffer.from(rest.join('\n\n'), 'latin1') };
}

/** Parses credentials and repairs headers: every credential is removed, and nothing is corrected twice. */
export const headers: Target = {
  name: 'headers',
  seeds: [
    '/v1/models\nauthorization: Bearer gh-abc',
    '/v1/models?key=gh-abc&api_key=x\nx-api-key: gh-abc\nauthorization: Bearer "gh-abc"',
    '/v1/messages\nx-api-key: Bearer gh-abc\nanthropic-version: 2023/06/01\n\n{"a":1}',
    '/v1/files\ncontent-type: application/json\n\n--b\nContent-Disposition: form-data; name="file"\n\nx\n--b--',
    '/v1/messages\nproxy-authorization: Basic Zm9vOmdoLWFiYw==\nanthropic-version: "v1"',
  ],
  words: [
    'authorization:',
    'x-api-key:',
    'api-key:',
    'proxy-authorization:',
    'Bearer ',
    'Basic ',
    'content-type:',
    'multipart/form-data; boundary=',
    '-version:',
    '?key=',
    '&api_key=',
    '“',
    '\ufeff',
    '\u200b',
    '{',
    '--b',
  ],
  run(input) {
    const { target, headers: raw, body } = parse(input);
    const taken = extractCredentials(raw, target);
    assert(taken.found.length <= 8);
    assert.equal(taken.headers.length % 2, 0);
    assert.deepEqual(
      extractCredentials(taken.headers, taken.target).found,
      [],
      'a credential stays',
    );
    const route = findRoute('POST', '/v1/messages');
    const versioned = repairVersion([...raw], route, 'anthropic').headers;
    assert.deepEqual(repairVersion([...versioned], route, 'anthropic').headers, versioned);
    const typed = repairContentType([...raw], body, 'POST').headers;
    assert.deepEqual(repairContentType([...typed], body, 'POST').headers, typed);
  },
};
