import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../keys/keys.ts';
import {
  HeaderCleaner,
  parseHeaders,
  type RawHeaderSnapshots,
  toHeaderText,
} from './header-snapshots.ts';

const NONE: RawHeaderSnapshots = { received: null, sent: null, answered: null, returned: null };
const KEY = 'key-"1234"-of-the-service';

function keep(head: readonly string[]) {
  const cleaner = new HeaderCleaner(createRedactor(() => [KEY], { mask: '<key>' }));
  const text = toHeaderText(cleaner.clean({ ...NONE, received: head }));
  return { text, pairs: parseHeaders(text).received };
}

test.each([
  ['Authorization', `Bearer ${KEY}`, 'Bearer ••••'],
  ['authorization', KEY, '••••'],
  ['Proxy-Authorization', 'Basic dXNlcjpwYXNz', 'Basic ••••'],
  ['x-api-key', KEY, '••••'],
  ['api-key', 'k', '••••'],
  ['X-Goog-Api-Key', 'k', '••••'],
  ['Cookie', 'a=b; c=d', '••••'],
  ['Set-Cookie', 'a=b; Path=/', '••••'],
  ['x-auth-token', 't', '••••'],
  ['X-Amz-Security-Token', 't', '••••'],
  ['x-client-secret', 's', '••••'],
  ['x-gatehouse-exchange', KEY, '<key>'],
  ['x-echo', `the key ${KEY}`, 'the key <key>'],
  ['x-mistake', 'sk-proj-abcdefghijklmnop_123', 'sk-••••'],
  ['Location', 'https://files.example/a?sig=abc&exp=1', 'https://files.example/a?••••'],
  ['Referer', 'http://me:word@127.0.0.1/a', 'http://••••@127.0.0.1/a'],
  ['x-remote', "https://me:o'ne@two@git.example/a", 'https://••••@git.example/a'],
  [
    'x-codex-turn-metadata',
    String.raw`{"one":"https://me:word@git.example/a","two":"ssh:\/\/me:word@host\/b"}`,
    String.raw`{"one":"https://••••@git.example/a","two":"ssh:\/\/••••@host\/b"}`,
  ],
])('of the header %s, the value %s is stored as %s', (name, value, kept) => {
  expect(keep([name, value]).pairs).toEqual([[name, kept]]);
});

test.each([
  ['content-type', 'application/json'],
  ['x-ratelimit-remaining-tokens', '1200'],
  ['anthropic-ratelimit-tokens-reset', '2026-01-01T00:00:00Z'],
  ['www-authenticate', 'Bearer realm="x"'],
  ['accept', 'text/html, */*;q=0.8'],
  ['x-names', 'ä'],
  ['x-gatehouse-exchange', 'ex-1a22278d899029c9'],
])('of the header %s, the value %s is stored unchanged', (name, value) => {
  expect(keep([name, value]).pairs).toEqual([[name, value]]);
});

test('a secret at the cut of a long header value is masked before truncation', () => {
  const { text } = keep(['x-long', `${'x'.repeat(990)}${KEY}`]);
  expect(text).not.toContain('key-');
});

test('header names and values are limited in length and number', () => {
  const head = Array.from({ length: 300 }, () => ['n'.repeat(500), 'v'.repeat(5000)]).flat();
  const { pairs } = keep(head);
  expect(pairs).toHaveLength(100);
  expect(pairs?.[0]?.map((text) => text.length)).toEqual([200, 1000]);
});

test('absent headers are distinguished from empty ones', () => {
  const cleaner = new HeaderCleaner(String);
  const raw = { ...NONE, received: [], returned: ['a', '1', 'a', '2'] };
  const heads = parseHeaders(toHeaderText(cleaner.clean(raw)));
  expect(heads).toEqual({
    received: [],
    sent: null,
    answered: null,
    returned: [
      ['a', '1'],
      ['a', '2'],
    ],
  });
});

test('headers that are repeated in the next list are stored once, and read as they were', () => {
  const name = fc.constantFrom('a', 'b', 'X-Long-Name', '0', '1');
  const header = fc.tuple(name, fc.constantFrom('', '1', 'application/json', 'ä "quoted"'));
  const list = fc.option(fc.array(header, { maxLength: 110 }));
  const lists = fc.record({ received: list, sent: list, answered: list, returned: list });
  fc.assert(
    fc.property(fc.array(lists, { minLength: 1, maxLength: 3 }), (exchanges) => {
      const cleaner = new HeaderCleaner(String);
      for (const heads of exchanges) {
        const { received, sent, answered, returned } = heads;
        const raw = {
          received: received?.flat() ?? null,
          sent: sent?.flat() ?? null,
          answered: answered?.flat() ?? null,
          returned: returned?.flat() ?? null,
        };
        expect(parseHeaders(toHeaderText(cleaner.clean(raw)))).toEqual({
          received: received?.slice(0, 100) ?? null,
          sent: sent?.slice(0, 100) ?? null,
          answered: answered?.slice(0, 100) ?? null,
          returned: returned?.slice(0, 100) ?? null,
        });
      }
    }),
  );
  const cleaner = new HeaderCleaner(String);
  const long = ['x-long', 'v'.repeat(500)];
  const text = toHeaderText(cleaner.clean({ ...NONE, received: long, sent: [...long, 'b', '1'] }));
  expect(text).toHaveLength(JSON.stringify([long, [0, 'b', '1'], null, null]).length);
});

test('lists that were stored without places are read, too', () => {
  const text = JSON.stringify([['a', '1'], ['a', '1', 'b', '2'], null, []]);
  expect(parseHeaders(text)).toEqual({
    received: [['a', '1']],
    sent: [
      ['a', '1'],
      ['b', '2'],
    ],
    answered: null,
    returned: [],
  });
});
