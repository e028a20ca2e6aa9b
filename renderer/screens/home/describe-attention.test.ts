import { expect, test } from 'vitest';
import type { Attention } from '../../../shared/history.ts';
import { ExchangeId } from '../../../shared/exchange.ts';
import { describeAttention } from './describe-attention.ts';

const FAILING: Attention = {
  kind: 'client',
  clientName: 'Cline',
  failures: 12,
  of: 20,
  status: 401,
  errorCode: 'invalid_local_key',
  at: 0,
};

test('a failing client is told with its figures and the latest reason', () => {
  expect(describeAttention(FAILING, 'Example')).toEqual({
    title: 'Cline keeps failing',
    text: '12 of its latest 20 requests failed, the last with 401, invalid local key. Open them to see the cause and fix.',
  });
});

test('a failing client without status and reason is told all the same', () => {
  const { text } = describeAttention({ ...FAILING, status: null, errorCode: null }, 'Example');
  expect(text).toContain('12 of its latest 20 requests failed. Open');
});

test('requests of unknown callers are told as what they are, with their number, as past', () => {
  const unknown: Attention = {
    kind: 'unknown',
    requests: 5_000,
    status: 401,
    errorCode: 'missing_local_key',
    at: 0,
  };
  expect(describeAttention(unknown, 'Example')).toEqual({
    title: 'Requests without a valid local key were refused',
    text: '5,000 recently, the last with 401, missing local key. Open them to see the program and fix.',
  });
});

test('a service that is not reached is called by its name', () => {
  const { title, text } = describeAttention({ kind: 'unreachable', failures: 1, at: 0 }, 'Example');
  expect(title).toBe('Example cannot be reached');
  expect(text).toMatch(/^The last request got no reply\./u);
});

test('a repair is told with the client and the mistake, and how often it was made', () => {
  const repair: Attention = {
    kind: 'repair',
    clientName: 'Zed',
    code: 'path-missing-v1',
    advice: '',
    times: 1,
    at: 0,
    exchangeId: ExchangeId.parse('ex-1'),
  };
  expect(describeAttention(repair, 'Example')).toEqual({
    title: 'Zed: the base address lacks /v1',
    text: 'Gatehouse corrected this 1 time, so the requests still work.',
  });
});

test('the key is told in the words of the engine, and missing records with their number', () => {
  const sentence = 'The keychain is locked.';
  expect(describeAttention({ kind: 'key', sentence, at: null }, 'Example').text).toBe(sentence);
  const { title } = describeAttention({ kind: 'dropped', exchanges: 1200 }, 'Example');
  expect(title).toBe('1,200 requests missing in the history');
});
