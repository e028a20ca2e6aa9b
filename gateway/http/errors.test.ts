import { errors } from 'undici';
import { describe, expect, test } from 'vitest';
import { describeConnectionFailure } from '../../shared/unreachable.ts';
import { UpstreamSendError, toUpstreamProblem } from './errors.ts';

function failure(code: string, nothingSent: boolean): UpstreamSendError {
  return new UpstreamSendError(Object.assign(new Error('broke'), { code }), nothingSent);
}

describe('A connection error', () => {
  test.each([
    ['ECONNREFUSED', true, 'upstream_unreachable'],
    ['ENOTFOUND', true, 'upstream_unreachable'],
    ['CERT_HAS_EXPIRED', true, 'upstream_unreachable'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', true, 'upstream_unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', true, 'upstream_timeout'],
    ['ETIMEDOUT', true, 'upstream_timeout'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', false, 'upstream_invalid_answer'],
    ['UND_ERR_HEADERS_OVERFLOW', false, 'upstream_invalid_answer'],
    ['UND_ERR_SOCKET', false, 'upstream_connection_lost'],
    ['ECONNRESET', false, 'upstream_connection_lost'],
    ['ETIMEDOUT', false, 'upstream_connection_lost'],
    ['ENETUNREACH', false, 'upstream_connection_lost'],
    ['EPROTO', true, 'upstream_unreachable'],
    ['', false, 'upstream_connection_lost'],
  ] as const)('%s, nothing sent: %s, becomes %s', (code, nothingSent, expected) => {
    const problem = toUpstreamProblem(failure(code, nothingSent), 'https://models.example.com');
    expect(problem.code).toBe(expected);
    expect(problem.message).toContain('https://models.example.com');
    expect(problem.cause).toBeInstanceOf(UpstreamSendError);
  });

  test('names its cause and what to check', () => {
    for (const code of [
      'ECONNREFUSED',
      'ENOTFOUND',
      'CERT_HAS_EXPIRED',
      'ERR_SSL_WRONG_VERSION_NUMBER',
    ]) {
      const { cause, advice } = describeConnectionFailure(code);
      const { message } = toUpstreamProblem(failure(code, true), 'https://models.example.com');
      expect(message).toContain(`${cause} ${advice}`);
    }
  });

  test('of the target of a redirect, which nobody chose, comes without advice', () => {
    const target = 'target of the redirect';
    const problem = toUpstreamProblem(failure('ECONNREFUSED', true), 'http://a', target);
    expect(problem.message).toBe(
      'Gatehouse could not reach the target of the redirect at http://a. Nothing is listening at this address. Nothing was sent.',
    );
  });

  test('for bytes that are not HTTP is reported as such', () => {
    const parser = new errors.HTTPParserError('Expected HTTP/');
    const problem = toUpstreamProblem(new UpstreamSendError(parser, false), 'http://a');
    expect(problem.code).toBe('upstream_invalid_answer');
  });

  test('is found as the cause of other errors', () => {
    const inner = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    const both = new AggregateError([inner, new Error('x')], 'all failed');
    const wrapped = new UpstreamSendError(new Error('outer', { cause: both }), true);
    expect(toUpstreamProblem(wrapped, 'http://a').code).toBe('upstream_unreachable');
  });

  test('never claims that nothing was sent when something may have been', () => {
    const { message } = toUpstreamProblem(failure('ECONNRESET', false), 'http://a');
    expect(message).not.toContain('Nothing was sent');
    expect(message).toContain('may have arrived');
  });
});
