import { expect, test } from 'vitest';
import { ExchangeId, type ExchangeRecord } from '../../../../shared/exchange/exchange.ts';
import { UNKNOWN_USAGE } from '../../../../shared/exchange/usage.ts';
import { summarizeExchange } from './summarize-exchange.ts';

const ANSWERED_HERE: ExchangeRecord = {
  id: ExchangeId.parse('ex-1'),
  startedAt: 0,
  times: 1,
  lastAt: 0,
  service: 'sandbox',
  clientId: null,
  clientName: 'Script',
  conversation: null,
  sender: null,
  run: null,
  userAgent: null,
  route: 'video-submit',
  method: 'POST',
  pathReceived: '/v1/videos',
  pathSent: null,
  modelAsked: 'h3',
  modelSent: 'h3',
  modelServed: null,
  streamed: false,
  status: 200,
  errorCode: null,
  errorMessage: null,
  endedBy: 'gateway',
  repairs: [],
  attempts: 0,
  bytesIn: 100,
  bytesOut: 100,
  firstByteMs: 1,
  durationMs: 2,
  overheadMs: null,
  usage: UNKNOWN_USAGE,
  video: null,
  cost: null,
};

test.for([
  ['video-submit', /^“Script” ordered a video.* Nothing was sent or charged for this one/u],
  ['video-status', /checked the status of a video.* less than five seconds old/u],
  ['video-content', /fetched a video.* from this disk/u],
] as const)('an answer of ours about videos says where it came from: %s', ([route, words]) => {
  expect(summarizeExchange({ ...ANSWERED_HERE, route }).join(' ')).toMatch(words);
});

test('a refusal of ours says that nothing was sent', () => {
  expect(
    summarizeExchange({ ...ANSWERED_HERE, status: 409, errorCode: 'order_unsure' }).join(' '),
  ).toContain('Gatehouse answered 409 by itself; nothing was sent to the service.');
});

test('equal requests that were refused are told with their number', () => {
  const refused = { ...ANSWERED_HERE, clientName: null, status: 401, times: 19_400 };
  expect(summarizeExchange(refused).at(-1)).toMatch(
    /^19,400 identical requests are counted here together, the/u,
  );
});

test.for([
  ['video-submit', '/v1/videos', 'asked for POST /v1/videos.'],
  ['files', '/v1/files', 'asked for POST /v1/files.'],
  ['other', '', 'asked for several paths.'],
] as const)('a refused request without a valid key only asked: %s %s', ([route, path, words]) => {
  const refused = {
    ...ANSWERED_HERE,
    clientName: null,
    status: 401,
    modelAsked: null,
    modelSent: null,
  };
  expect(summarizeExchange({ ...refused, route, pathReceived: path })[0]).toBe(
    `A client without a valid local key ${words}`,
  );
});

test('a suggestion of a model is no repair', () => {
  const suggestion = {
    code: 'model-suggestion',
    before: 'a',
    after: 'b',
    advice: 'Use b.',
  } as const;
  const refused = { ...ANSWERED_HERE, route: 'chat', status: 404, attempts: 1 } as const;
  const text = summarizeExchange({ ...refused, repairs: [suggestion] }).join(' ');
  expect(text).toContain('Gatehouse suggested a model.');
  expect(text).not.toContain('repair');
  const path = { ...suggestion, code: 'path-case' } as const;
  expect(summarizeExchange({ ...refused, repairs: [path, suggestion] })).toContain(
    'Gatehouse made 1 repair and suggested a model.',
  );
});

test('a service that could not be reached got nothing, however often that was tried', () => {
  const unreached = { status: 502, errorCode: 'upstream_unreachable', endedBy: 'service' } as const;
  const sentences = summarizeExchange({
    ...ANSWERED_HERE,
    ...unreached,
    route: 'chat',
    attempts: 3,
    firstByteMs: null,
  }).join(' ');
  expect(sentences).toContain('Gatehouse tried to reach the service 3 times.');
  expect(sentences).toContain('because there was no connection to the service.');
  expect(sentences).not.toContain('sent it to the service');
});

test('the time for which a person let it wait is no time of the service', () => {
  const held = { code: 'held', before: '59.0 s', after: 'unchanged', advice: '' } as const;
  const answered = { ...ANSWERED_HERE, route: 'chat', attempts: 1, endedBy: 'service' } as const;
  const times = { firstByteMs: 59_200, durationMs: 59_900, streamed: true };
  const exchange = { ...answered, ...times, repairs: [held] };
  expect(summarizeExchange(exchange, 59_000).at(-1)).toBe(
    'The service answered 200: the first byte came after 200 ms, and the stream was complete after 900 ms.',
  );
});
