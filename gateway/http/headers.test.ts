import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findHeader,
  forwardableResponseHeaders,
  forwardableRequestHeaders,
  withoutHeaders,
} from './headers.ts';

const HOP = [
  'Connection',
  'Keep-Alive',
  'Proxy-Connection',
  'Proxy-Authenticate',
  'Proxy-Authorization',
  'TE',
  'Trailer',
  'Transfer-Encoding',
  'Upgrade',
];

describe('Headers on their way', () => {
  test.each(HOP)('%s ends at this hop, in any letter case', (name) => {
    for (const spelt of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(forwardableRequestHeaders([spelt, 'x', 'A', '1'])).toEqual(['A', '1']);
      expect(forwardableResponseHeaders([spelt, 'x', 'A', '1'])).toEqual(['A', '1']);
    }
  });

  test('what the next request gets anew is left out of requests only', () => {
    const made = ['Host', 'h', 'Content-Length', '1', 'Expect', '100-continue'];
    expect(forwardableRequestHeaders(made)).toEqual([]);
    expect(forwardableResponseHeaders(made)).toEqual(made);
  });

  test('what is said to Gatehouse goes no further', () => {
    expect(forwardableRequestHeaders(['X-Gatehouse-Allow-Duplicate', '1', 'A', '1'])).toEqual([
      'A',
      '1',
    ]);
    expect(forwardableRequestHeaders(['x-gatehouses', '1'])).toEqual(['x-gatehouses', '1']);
  });

  test('what only Gatehouse may send is taken off answers', () => {
    const own = [
      ['X-Gatehouse-Repairs', 'none'],
      ['x-gatehouse-exchange', '1'],
      ['Set-Cookie', 'gatehouse_window_6418=x; Path=/'],
      ['set-cookie', ' GATEHOUSE_window_1=x'],
      ['set-cookie', '=gatehouse_window_6418=x'],
    ];
    for (const line of own)
      expect(forwardableResponseHeaders([...line, 'A', '1'])).toEqual(['A', '1']);
    const others = ['set-cookie', 'a=gatehouse_window_6418', 'x-gatehouses', '1'];
    expect(forwardableResponseHeaders(others)).toEqual(others);
  });

  test('what Connection names ends here, wherever it stands and however it is written', () => {
    const headers = [
      'X-B',
      '2',
      'connection',
      'x-a , close',
      'X-A',
      '1',
      'CONNECTION',
      ',X-b,',
      'C',
      '3',
    ];
    expect(forwardableRequestHeaders(headers)).toEqual(['C', '3']);
  });

  test('Connection cannot take away what frames or describes the body', () => {
    const headers = ['Connection', 'content-type, content-encoding, content-length'];
    const body = ['Content-Type', 'a', 'Content-Encoding', 'gzip', 'Content-Length', '5'];
    expect(forwardableResponseHeaders([...headers, ...body])).toEqual(body);
  });

  test('all others stay, in order, with their letter case and repetitions', () => {
    const name = fc.stringMatching(/^[A-Za-z][\w-]{0,12}$/).filter((text) => !isHop(text));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string())), (pairs) => {
        const headers = pairs.flat();
        expect(forwardableResponseHeaders(headers)).toEqual(headers);
        expect(withoutHeaders(headers, new Set())).toEqual(headers);
      }),
    );
  });

  test('the first of a name is found, whatever its letter case', () => {
    const headers = ['x-a', '1', 'Retry-After', '2', 'retry-after', '3'];
    expect(findHeader(headers, 'retry-after')).toBe('2');
    expect(findHeader(headers, 'retry')).toBeUndefined();
    expect(findHeader([], 'a')).toBeUndefined();
  });

  test('a value is never taken for a name', () => {
    expect(findHeader(['x-a', 'host'], 'host')).toBeUndefined();
    expect(withoutHeaders(['x-a', 'host'], new Set(['host']))).toEqual(['x-a', 'host']);
  });
});

function isHop(name: string): boolean {
  return HOP.some((hop) => hop.toLowerCase() === name.toLowerCase());
}
