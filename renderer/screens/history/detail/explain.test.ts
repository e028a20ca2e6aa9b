import { describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../../../shared/problem.ts';
import { explain, type ExplainInput } from './explain.ts';
import { GATEWAY_ERRORS } from './gateway-errors.ts';

function ended(change: Partial<ExplainInput>) {
  return explain({
    status: 200,
    errorCode: null,
    endedBy: 'service',
    route: 'chat',
    clientName: 'Cline',
    ...change,
  });
}

function titleOf(change: Partial<ExplainInput>) {
  return ended(change)?.title;
}

describe('a failure in words', () => {
  test('a good answer needs no explanation', () => {
    expect(ended({})).toBeNull();
    expect(ended({ status: 302 })).toBeNull();
  });

  test.each(Object.entries(PROBLEMS))(
    '%s, answered by Gatehouse, is told as its own',
    (code, { status }) => {
      const endedBy = code.startsWith('upstream_') ? 'service' : 'gateway';
      const reported = ended({ status, errorCode: code, endedBy });
      expect(Object.entries(GATEWAY_ERRORS).find(([, own]) => own === reported)?.[0]).toBe(code);
      expect(reported?.advice.length).toBeGreaterThan(0);
    },
  );

  test('a service that uses one of our codes is not taken for us', () => {
    const reported = ended({ status: 429, errorCode: 'too_many_exchanges', endedBy: 'service' });
    expect(reported?.title).toBe('Too many requests for this key');
  });

  test.each([400, 401, 403, 404, 429, 500])(
    'status %i of the service says what to do',
    (status) => {
      const reported = ended({ status, errorCode: 'whatever' });
      expect(reported?.meaning).not.toBe('');
      expect(reported?.advice.length).toBeGreaterThan(0);
    },
  );

  test('the service refusing the service key is not blamed on the local key', () => {
    expect(ended({ status: 401, errorCode: 'invalid_api_key' })).toMatchObject({
      title: 'The service refused the service key',
      place: 'settings',
    });
  });

  test('an unknown model leads to the model list, whatever the status', () => {
    for (const status of [400, 404]) {
      expect(ended({ status, errorCode: 'model_not_found' })?.place).toBe('models');
    }
  });

  test('a path that nobody knows leads to the base addresses', () => {
    expect(ended({ status: 404, route: 'other' })?.place).toBe('clients');
  });

  test('a stream that was cut says who cut it', () => {
    expect(titleOf({ errorCode: 'upstream_connection_lost' })).toBe(
      'The service cut off the answer',
    );
    expect(titleOf({ endedBy: 'client' })).toBe('The client disconnected during the answer');
    expect(titleOf({ endedBy: 'gateway', errorCode: 'shutting_down' })).toBe(
      'Gatehouse was stopped during the answer',
    );
    expect(titleOf({ status: null, endedBy: 'client' })).toBe(
      'The client disconnected before the answer',
    );
    expect(titleOf({ endedBy: 'client', route: 'video-submit' })).toBe(
      'The client disconnected before the reply to its order',
    );
    expect(titleOf({ errorCode: 'overloaded_error' })).toBe(
      'The service reported an error within its answer',
    );
  });
});

test('who left without a valid key is not told of an order or of a charge', () => {
  const left = {
    status: null,
    endedBy: 'client',
    route: 'video-submit',
    clientName: null,
  } as const;
  expect(titleOf(left)).toBe('The client disconnected before it was refused');
});
