import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import { credentialRepairs, extractCredentials } from './credentials.ts';

const KEY = 'gh-0aZ9_local.key~1';
const OTHER = 'sk-other-key';

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

function tokens(headers: readonly string[], target = '/v1/models'): string[] {
  return extractCredentials(headers, target).found.map(({ token }) => token);
}

/** Returns the repairs for a caller that has one valid key. */
function repairsFor(
  headers: readonly string[],
  { target = '/v1/models', protocol }: { target?: string; protocol: TextProtocol | null },
) {
  const { found } = extractCredentials(headers, target);
  const chosen = found.find(({ token }) => token === KEY);
  return credentialRepairs({ found, chosen, serviceKeySent: false, protocol });
}

describe('a key is found in every form of Authorization', () => {
  test.each([
    [`Bearer ${KEY}`, undefined],
    [`bearer ${KEY}`, 'scheme-case'],
    [`BEARER ${KEY}`, 'scheme-case'],
    [`Bearer${KEY}`, 'no-space'],
    [`bearer${KEY}`, 'no-space'],
    [`Bearer Bearer ${KEY}`, 'doubled-scheme'],
    [`Bearer bearer ${KEY}`, 'doubled-scheme'],
    [`Bearer Bearer${KEY}`, 'doubled-scheme'],
    [KEY, 'no-scheme'],
    [`"${KEY}"`, 'no-scheme'],
    [`Bearer "${KEY}"`, 'wrapped'],
    [`"Bearer ${KEY}"`, 'wrapped'],
    [`Bearer '${KEY}'`, 'wrapped'],
    [`Bearer “${KEY}”`, 'wrapped'],
    [`Bearer <${KEY}>`, 'wrapped'],
    [`Bearer   ${KEY}`, 'wrapped'],
    [`Bearer\t${KEY}`, 'wrapped'],
    [`Bearer: ${KEY}`, 'wrapped'],
    [` Bearer ${KEY} `, 'wrapped'],
    [`Bearer ${KEY}\\n`, 'wrapped'],
    [`Bearer ${KEY}\\r\\n`, 'wrapped'],
    [`Bearer ${KEY}\n`, 'wrapped'],
    [`Bearer "${KEY}\\n"`, 'wrapped'],
    [`Bearer ${KEY.slice(0, 9)} ${KEY.slice(9)}`, 'broken'],
    [`Authorization: Bearer ${KEY}`, 'named'],
    [`Bearer Authorization: Bearer ${KEY}`, 'named'],
    [`Bearer api_key=${KEY}`, 'named'],
    [basic(`${KEY}:`), 'basic'],
    [basic(`user:${KEY}`), 'basic'],
    [basic(KEY), 'basic'],
    [`basic ${basic(`user:${KEY}`).slice(6)}`, 'basic'],
    [`Token ${KEY}`, 'other-scheme'],
    [`Bearer ${KEY}, Bearer ${KEY}`, 'repeated'],
    [`Bearer ${OTHER}, Bearer ${KEY}`, 'repeated'],
    [`${OTHER},${KEY}`, 'repeated'],
  ])('%j', (value, form) => {
    const { found, headers } = extractCredentials(['Authorization', value], '/v1/models');
    const match = found.find(({ token }) => token === KEY);
    expect(match).toMatchObject({ place: 'authorization', clean: form === undefined });
    expect(match?.form).toBe(form);
    expect(headers).toEqual([]);
  });

  test.each(['', 'Bearer', 'Bearer ', 'bearer', '""', ',', 'Basic !', ' \\n '])(
    'no possible key is found in %j',
    (value) => {
      expect(tokens(['authorization', value]).filter((token) => token !== 'Bearer')).not.toContain(
        '',
      );
    },
  );

  test('a key that begins with “bearer” is the first candidate', () => {
    expect(tokens(['authorization', 'Bearer bearer-of-news'])[0]).toBe('bearer-of-news');
    expect(tokens(['x-api-key', 'bearer-of-news'])[0]).toBe('bearer-of-news');
  });
});

describe('a key is found in every place', () => {
  test.each([
    ['x-api-key', KEY, true],
    ['X-API-Key', `Bearer ${KEY}`, false],
    ['x-api-key', `"${KEY}"`, false],
    ['api-key', KEY, false],
    ['Api-Key', `Bearer ${KEY}`, false],
  ])('%s: %s', (name, value, clean) => {
    const { found, headers } = extractCredentials([name, value, 'x-other', '1'], '/v1/models');
    expect(found).toMatchObject([{ place: name.toLowerCase(), token: KEY, clean }]);
    expect(headers).toEqual(['x-other', '1']);
  });

  test.each([
    [`/v1/models?key=${KEY}`, '/v1/models'],
    [`/v1/models?api_key=${KEY}&a=1`, '/v1/models?a=1'],
    [`/v1/models?a=1&key=${KEY}`, '/v1/models?a=1'],
    [`/v1/models?a=%2f&&key=${KEY}&b=+`, '/v1/models?a=%2f&&b=+'],
    [`/v1/models?%6Bey=${KEY.replace('_', '%5F')}`, '/v1/models'],
    [`/v1/models?key=%22Bearer%20${KEY}%22`, '/v1/models'],
    [`/v1/models?KEY=Bearer+${KEY}`, '/v1/models'],
  ])('%s is forwarded as %s', (target, onward) => {
    const taken = extractCredentials([], target);
    expect(taken.found).toMatchObject([{ place: 'query', token: KEY, clean: false }]);
    expect(taken.target).toBe(onward);
  });

  test('an empty, bare or badly encoded key parameter is removed too', () => {
    expect(extractCredentials([], '/v1/x?key=&api_key&a')).toMatchObject({
      found: [],
      target: '/v1/x?a',
    });
    expect(extractCredentials([], '/v1/x?key=%E0%A4%A').target).toBe('/v1/x');
  });

  test('other parameters stay byte for byte', () => {
    const target = '/v1/x?monkey=1&api-keys=2&?&%zz=%&a=b=c';
    expect(extractCredentials([], target)).toMatchObject({ found: [], target });
  });
});

describe('extractCredentials with many credentials', () => {
  test('each header and each merged value is a candidate, clean ones first', () => {
    const headers = ['authorization', `bearer ${OTHER}`, 'x-api-key', KEY, 'api-key', 'third'];
    expect(tokens(headers)).toEqual([KEY, OTHER, 'third']);
  });

  test('a header sent twice gives two candidates', () => {
    const headers = ['authorization', `Bearer ${OTHER}`, 'Authorization', `Bearer ${KEY}`];
    expect(extractCredentials(headers, '/').found).toMatchObject([
      { token: OTHER, form: 'repeated', clean: false },
      { token: KEY, form: 'repeated', clean: false },
    ]);
  });

  test('at most eight candidates are returned', () => {
    const headers = Array.from({ length: 500 }, (_, index) => ['x-api-key', `k${index},j${index}`]);
    expect(tokens(headers.flat())).toHaveLength(8);
  });

  test('a credential for a proxy is removed and ignored', () => {
    const taken = extractCredentials(['Proxy-Authorization', `Bearer ${KEY}`, 'Host', 'h'], '/');
    expect(taken).toMatchObject({ found: [], headers: ['Host', 'h'] });
  });
});

describe('credentialRepairs describes what was wrong', () => {
  test.each([
    [['authorization', `Bearer ${KEY}`], 'chat', []],
    [['x-api-key', KEY], 'messages', []],
    [['authorization', `Bearer ${KEY}`, 'x-api-key', KEY], 'messages', []],
    [['authorization', `bearer ${KEY}`], 'chat', ['credential-format']],
    [['x-api-key', `Bearer ${KEY}`], 'messages', ['credential-format']],
    [['x-api-key', KEY], 'chat', ['credential-place']],
    [['x-api-key', KEY], null, ['credential-place']],
    [['api-key', KEY], 'messages', ['credential-place']],
    [['authorization', `Bearer ${KEY}`, 'x-api-key', OTHER], 'messages', ['credential-conflict']],
    [['authorization', `Bearer ${OTHER}`, 'x-api-key', KEY], 'messages', ['credential-conflict']],
    [
      ['authorization', `Bearer ${KEY}, Bearer ${OTHER}`],
      'chat',
      ['credential-format', 'credential-conflict'],
    ],
    [['authorization', `Bearer ${KEY}, Bearer ${KEY}`], 'chat', ['credential-format']],
    [['authorization', basic(`user:${KEY}`)], 'chat', ['credential-format']],
    [['authorization', `Token ${KEY}`], 'chat', ['credential-format']],
    [['authorization', `Bearer${KEY}`], 'chat', ['credential-format']],
    [['x-api-key', `Bearer${KEY}`], 'messages', ['credential-format']],
    [['x-api-key', `Token ${KEY}`], 'messages', ['credential-format']],
  ] as const)('%j on %s: %j', (headers, protocol, expected) => {
    expect(repairsFor(headers, { protocol }).map(({ code }) => code)).toEqual(expected);
  });

  test.each(['Bearer ', 'Bearer', 'Token '])('“%s” in x-api-key is reported', (word) => {
    const [repair] = repairsFor(['x-api-key', `${word}${KEY}`], { protocol: 'messages' });
    expect(repair).toEqual({
      code: 'credential-format',
      before: 'x-api-key: Bearer <key>',
      after: 'x-api-key: <key>',
      advice: 'Enter only the key here, without a word before it.',
    });
  });

  test('a key in the URL is reported', () => {
    const [repair] = repairsFor([], { target: `/v1/models?key=${KEY}`, protocol: null });
    expect(repair).toMatchObject({
      code: 'credential-place',
      before: '?key=<key>',
      after: 'Authorization: Bearer <key>',
    });
  });

  test('a client that sends the service key is warned, also without a valid local key', () => {
    const { found } = extractCredentials(['authorization', `Bearer ${OTHER}`], '/');
    const repairs = credentialRepairs({
      found,
      chosen: null,
      serviceKeySent: true,
      protocol: null,
    });
    expect(repairs).toMatchObject([{ code: 'service-key-sent' }]);
    expect(repairs[0]?.advice).toContain('never needs the service key');
  });

  test('no repair contains a key', () => {
    const key = fc.stringMatching(/^[A-Za-z0-9_.-]{12,40}$/);
    const dressing = fc.constantFrom(
      'Bearer ',
      'bearer',
      'Bearer Bearer ',
      '"',
      'Basic ',
      'Token ',
      '',
    );
    fc.assert(
      fc.property(
        fc.tuple(key, key),
        fc.tuple(dressing, dressing),
        ([one, two], [before, other]) => {
          const dressed = `${other}${two}`;
          const headers = ['authorization', `${before}${one}, ${dressed}`, 'api-key', dressed];
          const { found } = extractCredentials(headers, `/v1/models?key=${one}`);
          for (const chosen of found) {
            const outcome = { found, chosen, serviceKeySent: true, protocol: null };
            const text = JSON.stringify(credentialRepairs(outcome));
            expect(text.includes(one) || text.includes(two)).toBe(false);
          }
        },
      ),
    );
  });
});

describe('extractCredentials with arbitrary input', () => {
  const name = fc.constantFrom(
    'authorization',
    'Authorization',
    'x-api-key',
    'api-key',
    'accept',
    'x',
  );
  const value = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('Bearer', 'Basic', ' ', '"', ',', '\\n', 'abc', '<', ':'))
      .map((parts) => parts.join('')),
  );

  test('the number of candidates is limited, none is empty, and other headers stay in order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), fc.string(), (pairs, target) => {
        const taken = extractCredentials(pairs.flat(), target);
        expect(taken.found.length).toBeLessThanOrEqual(8);
        expect(taken.found.every(({ token }) => token !== '')).toBe(true);
        expect(taken.headers).toEqual(
          pairs.filter(([key]) => key === 'accept' || key === 'x').flat(),
        );
      }),
    );
  });

  test('a clean key is always found among other values', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('x-api-key', 'api-key'), value)), (pairs) => {
        expect(tokens(['authorization', `Bearer ${KEY}`, ...pairs.flat()])).toContain(KEY);
      }),
    );
  });

  test('long random values are parsed in less than quadratic time', () => {
    parseRandomValues(300_000);
  });
});

function parseRandomValues(length: number): void {
  for (const part of ['Bearer ', 'Bearer', '"', '\\n', ' ', 'a ', 'api-key:', ',', '<a>']) {
    tokens(['authorization', part.repeat(length)]);
  }
  tokens(Array.from({ length }, (_, index) => ['x-api-key', `k${index}`]).flat());
}
