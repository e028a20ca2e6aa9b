import { expect, test } from 'vitest';
import { NO_PRICES } from '../../../shared/money/price.ts';
import { type ProblemCode, PROBLEMS } from '../../../shared/problem.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { PROTOCOLS, question, type RawRequest, sendRequest } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import {
  chunk,
  jsonAnswer,
  LAST_CHUNK,
  openUpstream,
  STREAM_HEAD,
} from '../../kit/net/scripted-upstream.ts';
import { openUnresponsivePort } from '../../kit/net/unresponsive-port.ts';
import { order, startQuickHarness, whenState } from '../../kit/videos/queue.ts';
import { nextPost, orderRequest } from '../../kit/videos/video-order.ts';
import { limit } from './ask.ts';

/** Codes of a service: one of its own, and then each of ours, which a service that is another Gatehouse sends. */
const CODES = ['server_error', ...Object.keys(PROBLEMS)];
/** What a video of four seconds costs. */
const VIDEO_COST = 2_000_000;
const PRICES = {
  ...NO_PRICES,
  input: 1_000_000,
  output: 1_000_000,
  videoSecond: { '*': VIDEO_COST / 4 },
};
const STREAM = question('chat', { model: 'm', stream: true });
const WORDS = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word ' } }] })}\n\n`;

async function priceAndLimit(harness: Harness): Promise<void> {
  await harness.repositories.prices.add([
    { service: null, model: '*', validFrom: 0, prices: PRICES, tiers: [], origin: 'entered' },
  ]);
  await limit(harness, { measure: 'money', amount: 1_000_000_000_000 });
}

/** Returns what the limit has counted so far, in millionths. */
async function used({ repositories }: Harness): Promise<number | undefined> {
  const [only] = (await repositories.openSpendLimits()).list('services');
  return only?.used;
}

function video(prompt: string) {
  return orderRequest({ model: 'm', task: 'ref2va', prompt, seconds: '4' });
}

function sum(amounts: readonly (number | null | undefined)[]): number {
  return amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0);
}

test('a stream counts what came of it, whatever the code of the error at its end', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  await priceAndLimit(harness);
  for (const code of CODES) {
    const asking = sendRequest(harness, STREAM);
    const { connection } = await upstream.next();
    // Each stream has as many bytes, so that the estimates are equal.
    const error = { message: '.'.repeat(50 - code.length), code };
    const end = `data: ${JSON.stringify({ error })}\n\n`;
    connection.send(STREAM_HEAD);
    connection.send(chunk(WORDS.repeat(200) + end));
    connection.send(LAST_CHUNK);
    await asking;
  }
  const records = (await harness.recorded(CODES.length)).toReversed();
  expect(records.map(({ errorCode }) => errorCode)).toEqual(CODES);
  const [amount] = records.map(({ cost }) => cost?.amount ?? 0);
  expect(amount).toBeGreaterThan(0);
  for (const { cost, usage } of records) {
    expect(usage).toMatchObject({ source: 'estimated', reportedPart: 'none' });
    expect(cost).toMatchObject({ amount, source: 'estimated' });
  }
  expect(await used(harness)).toBe(sum(records.map(({ cost }) => cost?.amount)));
});

test('an error answer to a text costs nothing, whatever its code', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  await priceAndLimit(harness);
  const errors = CODES.flatMap((code) => [502, 504].map((status) => ({ status, code })));
  for (const { status, code } of errors) {
    const asking = sendRequest(harness, STREAM);
    (await upstream.next()).connection.send(
      jsonAnswer(status, { error: { message: 'No.', code } }),
    );
    await asking;
  }
  const records = (await harness.recorded(errors.length)).toReversed();
  expect(records.map(({ errorCode }) => errorCode)).toEqual(errors.map(({ code }) => code));
  for (const { cost, usage } of records) {
    expect([usage.source, cost]).toEqual(['unknown', null]);
  }
  expect(await used(harness)).toBe(0);
});

test('an order that may have been taken is counted, whatever the code of its answer', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  await priceAndLimit(harness);
  const errors = CODES.flatMap((code) => [502, 504].map((status) => ({ status, code })));
  for (const { status, code } of errors) {
    const asking = sendRequest(harness, video(`${status} ${code}`));
    const { connection } = await nextPost(upstream);
    connection.send(jsonAnswer(status, { error: { message: 'No.', code } }));
    await asking;
  }
  const records = (await harness.recorded(errors.length)).toReversed();
  expect(records.map(({ errorCode }) => errorCode)).toEqual(errors.map(({ code }) => code));
  for (const { cost } of records)
    expect(cost).toMatchObject({ amount: VIDEO_COST, source: 'estimated' });
  expect(await used(harness)).toBe(errors.length * VIDEO_COST);
});

test.each(['server_error', 'upstream_timeout', 'upstream_unreachable'])(
  'an order of the queue that was answered with the code %s is counted',
  async (code) => {
    await using upstream = await openUpstream({ models: ['h3'] });
    await using harness = await startQuickHarness({ baseUrl: upstream.url });
    await priceAndLimit(harness);
    const { id } = await order(harness, 'A fox.', { image: null, seconds: '4' });
    const { connection } = await nextPost(upstream);
    connection.send(jsonAnswer(504, { error: { message: 'No.', code } }));
    await whenState(harness.repositories, id, 'unsure');
    const orders = (await harness.records()).filter(({ route }) => route === 'video-submit');
    expect(orders).toMatchObject([
      { status: 504, errorCode: code, cost: { amount: VIDEO_COST, source: 'estimated' } },
    ]);
    expect(await used(harness)).toBe(VIDEO_COST);
  },
);

const REQUESTS = [
  ...PROTOCOLS.map((name) => [name, question(name, { model: 'm' })] as const),
  ['video', video('A fox.')] as const,
];

test.each(REQUESTS)('what got no connection costs nothing: %s', async (_, request) => {
  await expectFree('http://127.0.0.1:1', request, 'upstream_unreachable');
});

test.each(REQUESTS)('what got no connection in time costs nothing: %s', async (_, request) => {
  await using deaf = await openUnresponsivePort();
  await expectFree(`http://127.0.0.1:${deaf.port}`, request, 'upstream_timeout');
});

async function expectFree(baseUrl: string, request: RawRequest, code: ProblemCode): Promise<void> {
  // In strict mode nothing but the request itself is sent to the service.
  await using harness = await startHarness({ baseUrl, strict: true, limits: { connectMs: 200 } });
  await priceAndLimit(harness);
  expect((await sendRequest(harness, request)).status).toBe(PROBLEMS[code].status);
  const [record] = await harness.recorded(1);
  expect(record).toMatchObject({ errorCode: code, usage: { source: 'unknown' }, cost: null });
  expect(record?.attempts).toBeGreaterThan(0);
  expect(await used(harness)).toBe(0);
}
