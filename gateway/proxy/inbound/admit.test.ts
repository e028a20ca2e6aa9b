import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../shared/problem.ts';
import { admit } from './admit.ts';
import type { RequestHead } from '../../http/request-head.ts';

const GATE = { allowedOrigins: ['https://app.example'], via: 'gatehouse-0a1b2c3d' };
const HEAD: RequestHead = {
  port: 6417,
  target: '/v1/models',
  address: '127.0.0.1',
  host: '127.0.0.1:6417',
  origin: undefined,
  via: undefined,
  transferEncoding: undefined,
  httpVersion: '1.1',
};

function refusal(change: Partial<RequestHead>): string | null {
  try {
    admit({ ...HEAD, ...change }, GATE);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

describe('The admission check', () => {
  test.each(['127.0.0.1:6417', 'localhost:6417', 'LOCALHOST:6417', '[::1]:6417'])(
    'accepts the host %s',
    (host) => expect(refusal({ host })).toBeNull(),
  );

  test('accepts a host without a port only where HTTP allows its omission', () => {
    expect(refusal({ host: 'localhost' })).toBe('host_not_allowed');
    expect(refusal({ host: 'localhost', port: 80 })).toBeNull();
  });

  test.each([
    ['host.docker.internal:6417', '127.0.0.1'],
    ['Host.Containers.Internal:6417', '127.0.0.1'],
    ['172.17.0.1:6417', '172.17.0.1'],
    ['[fd00::2]:6417', 'fd00::2'],
  ])('accepts the host %s of a guest that connected to %s', (host, address) =>
    expect(refusal({ host, address })).toBeNull(),
  );

  test.each([
    ['172.17.0.1:6417', '127.0.0.1'],
    ['172.17.0.1', '172.17.0.1'],
    ['host.docker.internal', '127.0.0.1'],
    ['host.docker.internal.example:6417', '127.0.0.1'],
    ['evil.example.internal:6417', '127.0.0.1'],
  ])('refuses the host %s of one that connected to %s', (host, address) =>
    expect(refusal({ host, address })).toBe('host_not_allowed'),
  );

  test('accepts no other host', () => {
    const ours = ['127.0.0.1:6417', 'localhost:6417', '[::1]:6417'];
    const near = fc
      .tuple(fc.constantFrom(...ours), fc.string({ minLength: 1 }), fc.boolean())
      .map(([host, more, before]) => (before ? more + host : host + more));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.domain(), near), (host) => {
        fc.pre(!ours.includes(host.toLowerCase()));
        expect(refusal({ host })).toBe('host_not_allowed');
      }),
    );
  });

  test('accepts pages by their exact origin only', () => {
    expect(refusal({ origin: 'https://app.example' })).toBeNull();
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.constant('null')), (origin) => {
        expect(refusal({ origin })).toBe('origin_not_allowed');
      }),
    );
  });

  test.each(['http://127.0.0.1:6417/v1/models', 'evil.example:443', '*', '', 'v1/models'])(
    'rejects the target "%s"',
    (target) => expect(refusal({ target })).toBe('absolute_target'),
  );

  test('recognises a returning request by our name in Via, among others', () => {
    expect(refusal({ via: '1.1 gatehouse-0a1b2c3d' })).toBe('loop_detected');
    expect(refusal({ via: '1.0 a, 1.1 gatehouse-0a1b2c3d, 2 b (c)' })).toBe('loop_detected');
    expect(refusal({ via: '1.1 gatehouse-ffffffff' })).toBeNull();
  });

  test('checks the host first, so that a rebound page learns nothing more', () => {
    const foreign = { host: 'evil.example', origin: 'null', target: '*' };
    expect(refusal(foreign)).toBe('host_not_allowed');
  });

  test('quotes received text in visible characters only, and limits its length', () => {
    const host = `\u0000\r\n<${'x'.repeat(500)}`;
    expect(() => admit({ ...HEAD, host }, GATE)).toThrow(/"\?\?\?<x{96}"/);
  });
});
