import { describe, expect, test } from 'vitest';
import { PROBLEMS } from '../problem.ts';
import { UNREACHABLE_CAUSES } from '../unreachable.ts';
import { explain } from './explain.ts';
import { describeFailure } from './find-failure.ts';
import { GATEWAY_FAILURES } from './gateway-failures.ts';

type Explained = Parameters<typeof explain>[0];

function explainWith(change: Partial<Explained>) {
  return explain({
    status: 200,
    errorCode: null,
    endedBy: 'service',
    route: 'chat',
    clientName: 'Cline',
    service: 'https://models.example.com',
    ...change,
  });
}

function explainTitle(change: Partial<Explained>) {
  return explainWith(change)?.title;
}

describe('a failure in words', () => {
  test('a good answer needs no explanation', () => {
    expect(explainWith({})).toBeNull();
    expect(explainWith({ status: 302 })).toBeNull();
  });

  test.each(Object.entries(PROBLEMS))(
    '%s, answered by Gatehouse, is told as its own',
    (code, { status }) => {
      const endedBy = code.startsWith('upstream_') ? 'service' : 'gateway';
      const reported = explainWith({ status, errorCode: code, endedBy, clientName: null });
      expect(
        Object.entries(GATEWAY_FAILURES).find(([, own]) => own.title === reported?.title)?.[0],
      ).toBe(code);
      expect(reported?.advice.length).toBeGreaterThan(0);
    },
  );

  test('a known client with an invalid key is told that it was revoked or replaced', () => {
    const reported = explainWith({
      status: 401,
      errorCode: 'invalid_local_key',
      endedBy: 'gateway',
      clientName: 'Editor',
    });
    expect(reported?.title).toBe('The key of this client was revoked or replaced');
  });

  test('a path that was not passed on is not told as one that the service lacks', () => {
    const own = {
      status: 404,
      errorCode: 'unknown_path',
      endedBy: 'gateway',
      route: 'other',
    } as const;
    expect(JSON.stringify(explainWith(own))).not.toMatch(/service has no such path|repairs/u);
    const answered = JSON.stringify(
      explainWith({ status: 404, errorCode: 'not_found', route: 'other' }),
    );
    expect(answered).toContain('It answered 404');
    expect(answered).not.toContain('Nothing was sent');
  });

  test('a service that uses one of our codes is not taken for us', () => {
    const reported = explainWith({
      status: 429,
      errorCode: 'too_many_exchanges',
      endedBy: 'service',
    });
    expect(reported?.title).toBe('Too many requests for this key');
  });

  test.each([400, 401, 403, 404, 429, 500])(
    'status %i of the service says what to do',
    (status) => {
      const reported = explainWith({ status, errorCode: 'whatever' });
      expect(reported?.meaning).not.toBe('');
      expect(reported?.advice.length).toBeGreaterThan(0);
    },
  );

  test('the service refusing the service key is not blamed on the local key', () => {
    expect(explainWith({ status: 401, errorCode: 'invalid_api_key' })).toMatchObject({
      title: 'The service refused the service key',
      place: 'settings',
    });
  });

  test('an unknown model leads to the model list, whatever the status', () => {
    for (const status of [400, 404]) {
      expect(explainWith({ status, errorCode: 'model_not_found' })?.place).toBe('models');
    }
  });

  test('a service that cannot be reached leaves cause and advice to the message', () => {
    const codes = Object.entries(PROBLEMS).filter(([code]) => UNREACHABLE_CAUSES.includes(code));
    expect(codes).toHaveLength(UNREACHABLE_CAUSES.length);
    for (const [errorCode, { status }] of codes) {
      const reported = explainWith({ status, errorCode, endedBy: 'gateway' });
      expect(reported?.advice[0]).toBe('The message names the cause, and what to check.');
    }
  });

  test('a limit is told as one also with the status that Responses gets', () => {
    const refused = { status: 400, errorCode: 'local_limit_reached', endedBy: 'gateway' } as const;
    expect(explainWith(refused)).toMatchObject({ title: 'Refused by a limit', place: 'limits' });
  });

  test('a service that reports one of our codes with another status is not taken for us', () => {
    const reported = { status: 500, errorCode: 'upstream_unreachable' };
    expect(explainTitle(reported)).toBe('The service had an error');
  });

  test.each(['constructor', 'toString', '__proto__'])(
    'the code %s is like any other',
    (errorCode) => {
      expect(explainTitle({ errorCode })).toBe('The service reported an error within its answer');
      expect(explainTitle({ errorCode, status: 500 })).toBe('The service had an error');
    },
  );

  test('a path that nobody knows leads to the base addresses', () => {
    expect(explainWith({ status: 404, route: 'other' })?.place).toBe('clients');
  });

  test('a stream that was cut says who cut it', () => {
    expect(explainTitle({ errorCode: 'upstream_connection_lost' })).toBe(
      'The service cut off the answer',
    );
    expect(explainTitle({ endedBy: 'client' })).toBe('The client disconnected during the answer');
    expect(explainTitle({ endedBy: 'gateway', errorCode: 'shutting_down' })).toBe(
      'Gatehouse was stopped during the answer',
    );
    expect(explainTitle({ status: null, endedBy: 'client' })).toBe(
      'The client disconnected before the answer',
    );
    expect(explainTitle({ endedBy: 'client', route: 'video-submit' })).toBe(
      'The client disconnected before the reply to its order',
    );
    expect(explainTitle({ errorCode: 'overloaded_error' })).toBe(
      'The service reported an error within its answer',
    );
  });
});

test('a disconnected client without a valid key is shown no order and no charge', () => {
  const left = {
    status: null,
    endedBy: 'client',
    route: 'video-submit',
    clientName: null,
  } as const;
  expect(explainTitle(left)).toBe('The client disconnected before it was refused');
});

test('finding 19: no explanation of a request to the sandbox speaks of a charge', () => {
  const changes: Partial<Explained>[] = [
    ...Object.entries(PROBLEMS).map(
      ([errorCode, { status }]) => ({ errorCode, status, endedBy: 'gateway' }) as const,
    ),
    { endedBy: 'client', status: null },
    { endedBy: 'client' },
    { endedBy: 'client', clientName: null },
    { endedBy: 'gateway', errorCode: 'shutting_down' },
    { errorCode: 'upstream_connection_lost' },
  ];
  for (const change of changes) {
    const meaning = explainWith({ ...change, service: 'sandbox' })?.meaning.replace(
      'No charge (sandbox).',
      '',
    );
    expect(meaning).not.toMatch(/charg/iu);
  }
  expect(explainWith({ endedBy: 'client' })?.meaning).toContain('is charged.');
});

const DONE = { status: 200, errorCode: null, endedBy: 'service' } as const;

test.each([
  [DONE, null],
  [{ ...DONE, endedBy: 'gateway' }, null],
  [{ ...DONE, status: 302 }, null],
  [{ ...DONE, errorCode: 'upstream_connection_lost' }, 'cut off'],
  [{ ...DONE, endedBy: 'gateway', errorCode: 'shutting_down' }, 'cut off'],
  [{ ...DONE, errorCode: 'overloaded_error' }, 'overloaded error'],
  [{ ...DONE, endedBy: 'client' }, 'client left'],
  [{ status: null, errorCode: null, endedBy: 'client' }, 'client left'],
  [{ ...DONE, endedBy: 'client', errorCode: 'overloaded_error' }, 'overloaded error'],
  [{ status: null, errorCode: null, endedBy: 'gateway' }, 'no answer'],
  [{ status: 401, errorCode: 'invalid_local_key', endedBy: 'gateway' }, 'wrong key'],
  [
    { status: 401, errorCode: 'invalid_local_key', endedBy: 'gateway', clientName: 'Editor' },
    'revoked key',
  ],
  [{ status: 503, errorCode: 'paused', endedBy: 'gateway' }, 'paused'],
  [{ status: 502, errorCode: 'upstream_unreachable', endedBy: 'service' }, 'unreachable'],
  [{ ...DONE, status: 401, errorCode: 'invalid_api_key' }, 'service key refused'],
  [{ ...DONE, status: 404, errorCode: 'model_not_found' }, 'model not found'],
  [{ ...DONE, status: 429, errorCode: 'too_many_exchanges' }, 'too many exchanges'],
  [{ ...DONE, status: 500, errorCode: '500' }, 'service error'],
  [{ ...DONE, status: 418 }, 'refused'],
] as const)('%j failed by: %s', (ended, words) => {
  expect(describeFailure(ended)).toBe(words);
});

test('every answer of Gatehouse has a few words, which fit into a column', () => {
  for (const [errorCode, { status }] of Object.entries(PROBLEMS)) {
    const words = describeFailure({ status, errorCode, endedBy: 'gateway' });
    expect(words?.length).toBeGreaterThan(3);
    expect(words?.length).toBeLessThanOrEqual(16);
  }
});

test('a long code of the service is shortened', () => {
  expect(describeFailure({ ...DONE, status: 400, errorCode: 'x'.repeat(500) })).toHaveLength(40);
});
