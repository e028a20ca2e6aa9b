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

describe('Forwarded headers', () => {
  test.each(HOP)('do not include the hop-by-hop header %s, in any letter case', (name) => {
    for (const spelt of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(forwardableRequestHeaders([spelt, 'x', 'A', '1'])).toEqual(['A', '1']);
      expect(forwardableResponseHeaders([spelt, 'x', 'A', '1'])).toEqual(['A', '1']);
    }
  });

  test('do not include, in requests only, what the next request sets anew', () => {
    const made = ['Host', 'h', 'Content-Length', '1', 'Expect', '100-continue'];
    expect(forwardableRequestHeaders(made)).toEqual([]);
    expect(forwardableResponseHeaders(made)).toEqual(made);
  });

  test('do not include headers addressed to Gatehouse', () => {
    expect(forwardableRequestHeaders(['X-Gatehouse-Allow-Duplicate', '1', 'A', '1'])).toEqual([
      'A',
      '1',
    ]);
    expect(forwardableRequestHeaders(['x-gatehouses', '1'])).toEqual(['x-gatehouses', '1']);
  });

  test('of a response do not include names that only Gatehouse may send', () => {
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

  test('do not include names listed in Connection, in any position and spelling', () => {
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

  test('keep the framing and description of the body even if Connection lists them', () => {
    const headers = ['Connection', 'content-type, content-encoding, content-length'];
    const body = ['Content-Type', 'a', 'Content-Encoding', 'gzip', 'Content-Length', '5'];
    expect(forwardableResponseHeaders([...headers, ...body])).toEqual(body);
  });

  test('otherwise keep their order, letter case and repetitions', () => {
    const name = fc.stringMatching(/^[A-Za-z][\w-]{0,12}$/).filter((text) => !isHop(text));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string())), (pairs) => {
        const headers = pairs.flat();
        expect(forwardableResponseHeaders(headers)).toEqual(headers);
        expect(withoutHeaders(headers, new Set())).toEqual(headers);
      }),
    );
  });

  test('are found by name in any letter case, the first one if repeated', () => {
    const headers = ['x-a', '1', 'Retry-After', '2', 'retry-after', '3'];
    expect(findHeader(headers, 'retry-after')).toBe('2');
    expect(findHeader(headers, 'retry')).toBeUndefined();
    expect(findHeader([], 'a')).toBeUndefined();
  });

  test('are never found by a value', () => {
    expect(findHeader(['x-a', 'host'], 'host')).toBeUndefined();
    expect(withoutHeaders(['x-a', 'host'], new Set(['host']))).toEqual(['x-a', 'host']);
  });
});

function isHop(name: string): boolean {
  return HOP.some((hop) => hop.toLowerCase() === name.toLowerCase());
}
