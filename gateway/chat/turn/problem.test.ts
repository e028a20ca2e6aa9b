import { describe, expect, test } from 'vitest';
import { type Failure, toChatProblem } from './problem.ts';
import { findLikelyRejected } from './problem.ts';

const NOTHING: Omit<Failure, 'kind'> = {
  status: null,
  error: null,
  record: null,
  extras: [],
  finish: null,
};
const createError = (
  message: string | null,
  code: string | null = null,
  param: string | null = null,
) => ({
  message,
  code,
  param,
});
const EXTRAS = ['temperature', 'max_tokens', 'stream_options', 'stream'];

describe('A 400', () => {
  test.each([
    [
      'The value of temperature is too high.',
      null,
      ['temperature', 'max_tokens', 'stream_options'],
    ],
    ['Max tokens must be below 100.', null, ['max_tokens', 'temperature', 'stream_options']],
    ['No.', 'stream_options.include_usage', ['stream_options', 'temperature', 'max_tokens']],
    ['stream must be false', null, ['stream', 'temperature', 'max_tokens', 'stream_options']],
    [null, null, ['temperature', 'max_tokens', 'stream_options']],
    ['max_tokenses?', null, ['temperature', 'max_tokens', 'stream_options']],
    ['The model "a/b" takes no images.', null, []],
    ['With images, temperature must be 1.', null, ['temperature', 'max_tokens', 'stream_options']],
  ])('with the message %j and the parameter %j suspects %j', (message, param, suspects) => {
    expect(findLikelyRejected(EXTRAS, createError(message, null, param))).toEqual(suspects);
  });

  test('is attributed to the service, quotes its message and says what to do', () => {
    const refused = { ...NOTHING, kind: 'refused' as const, status: 400 };
    const problem = toChatProblem({
      ...refused,
      error: createError('Too hot', 'bad'),
      extras: ['temperature'],
    });
    expect(problem).toEqual({
      by: 'service',
      status: 400,
      code: 'bad',
      sentence:
        'The service did not accept the request (400). It says: Too hot. Retry without extra settings: if that works, a setting was the reason.',
      suspects: ['temperature'],
    });
    expect(toChatProblem({ ...refused, extras: ['stream'] })).toMatchObject({ suspects: [] });
  });
});

test('a problem of Gatehouse itself keeps its own message', () => {
  const paused = createError('Gatehouse is paused.', 'paused');
  expect(toChatProblem({ ...NOTHING, kind: 'refused', status: 503, error: paused })).toEqual({
    by: 'gatehouse',
    status: 503,
    code: 'paused',
    sentence: 'Gatehouse is paused.',
    suspects: [],
  });
  const alike = toChatProblem({ ...NOTHING, kind: 'refused', status: 400, error: paused });
  expect(alike).toMatchObject({ by: 'service', code: 'paused' });
});

test.each([
  ['refused', 'upstream_unreachable', 'network'],
  ['refused', 'upstream_timeout', 'network'],
  ['refused', 'upstream_connection_lost', 'network'],
  ['reported', 'upstream_connection_lost', 'service'],
  ['refused', 'upstream_invalid_answer', 'service'],
  ['refused', 'service_key_missing', 'gatehouse'],
] as const)('a %s answer with %s is by the %s', (kind, code, by) => {
  const record = {
    errorCode: code,
    errorMessage: 'As it was kept.',
    endedBy: 'gateway' as const,
    service: 'sandbox',
  };
  expect(toChatProblem({ ...NOTHING, kind, record })).toMatchObject({
    by,
    code,
    sentence: 'As it was kept.',
  });
});

test.each([
  [401, null, 'Test the service key in Settings'],
  [403, null, 'no permission for this (403)'],
  [404, 'model_not_found', 'Choose the model from the list'],
  [404, null, 'may not support this protocol'],
  [429, null, 'Wait a moment'],
  [500, null, 'The service had an error (500)'],
])('a %s with the code %s has a problem that says what to do', (status, code, words) => {
  const problem = toChatProblem({
    ...NOTHING,
    kind: 'refused',
    status,
    error: createError('No.', code),
  });
  expect(problem).toMatchObject({ by: 'service', status, suspects: [] });
  expect(problem.sentence).toContain(words);
});

test('an answer without text reports a token limit that was used up', () => {
  expect(toChatProblem({ ...NOTHING, kind: 'nothing', finish: 'max_tokens' }).sentence).toContain(
    'limit',
  );
  expect(toChatProblem({ ...NOTHING, kind: 'nothing', finish: 'stop' }).sentence).toContain(
    'any text',
  );
});

test('finding 19: only an answer of the sandbox lacks the warning of a charge', () => {
  const record = { errorCode: null, errorMessage: null, endedBy: 'gateway' } as const;
  for (const kind of ['lost', 'ended'] as const) {
    const sentenceOf = (service: string) =>
      toChatProblem({ ...NOTHING, kind, record: { ...record, service } }).sentence;
    expect(sentenceOf('https://models.example.com')).toContain('may be charged');
    expect(sentenceOf('sandbox')).not.toMatch(/charg/u);
  }
});
