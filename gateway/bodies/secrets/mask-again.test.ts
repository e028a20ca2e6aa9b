import { expect, test } from 'vitest';
import { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import type { RunDetail, RunStep } from '../../../shared/run/run.ts';
import type { CleanBody } from '../clean-body.ts';
import { maskBodiesAgain, maskEarlierAgain, maskRunAgain } from './mask-again.ts';
import { SecretMask } from './secret-mask.ts';

const KEY = 'the-key-of-an-account-0123456789';
const SECRETS = { serviceKeys: [KEY], localKeys: [] };

const aBody = (side: CleanBody['side'], head: string, tail = ''): CleanBody => ({
  side,
  head: Buffer.from(head),
  tail: Buffer.from(tail),
  binary: false,
  bytes: head.length + tail.length,
  omitted: tail === '' ? 0 : 7,
  contentType: 'application/json',
  masked: 2,
  eventTimes: null,
});

const aStep = (change: Partial<RunStep>): RunStep => ({
  id: ExchangeId.parse('ex-1'),
  protocol: 'chat',
  clientName: 'Cline',
  model: 'm',
  status: 200,
  errorCode: null,
  endedBy: 'service',
  durationMs: 1,
  firstByteMs: null,
  usage: UNKNOWN_USAGE,
  startedAt: 0,
  earlier: null,
  prompt: null,
  results: [],
  moreResults: 0,
  answer: null,
  calls: [],
  moreCalls: 0,
  finish: null,
  error: null,
  diagnosis: null,
  requestClass: null,
  context: { system: 0, tools: 0, history: 0, newest: 0, largestTools: [], largestResults: [] },
  change: null,
  repeated: false,
  ...change,
});

const aRun = (title: string, step: Partial<RunStep> = {}): RunDetail => ({
  run: {
    id: RunId.parse('run-1'),
    title,
    clientName: 'Cline',
    conversation: null,
    models: ['m'],
    startedAt: 0,
    endedAt: 1,
    steps: 1,
    failed: 0,
    endedWell: true,
    calls: 0,
    input: null,
    output: null,
    cacheRead: null,
    pinned: 0,
  },
  sequences: [{ id: 1, kind: 'main', startedBy: null, steps: [aStep(step)] }],
  moreSteps: 0,
});

test('a key is masked in both parts of a body, and counted beside those of before', async () => {
  const bodies = [aBody('sent', `a ${KEY} b`, `c ${KEY}`), aBody('returned', 'none')];
  const masked = await maskBodiesAgain(bodies, SECRETS, new SecretMask());
  expect(
    masked?.map(({ head, tail, masked: count }) => [String(head), String(tail), count]),
  ).toEqual([
    ['a <service key> b', 'c <service key>', 4],
    ['none', '', 2],
  ]);
});

test('a stream in whose events a model wrote the key is left out', async () => {
  const pieces = KEY.match(/.{1,5}/gu) ?? [];
  const events = pieces.map(
    (content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`,
  );
  const stream = { ...aBody('returned', events.join('')), contentType: 'text/event-stream' };
  const [masked] = (await maskBodiesAgain([stream], SECRETS, new SecretMask())) ?? [];
  expect(masked).toMatchObject({ masked: 3 });
  expect(String(masked?.head)).toContain('This stream is not kept');
});

const anEarlier = (...texts: readonly string[]) => ({
  items: JSON.stringify(texts.map((content) => ({ role: 'user', content }))),
  count: texts.length,
  start: 'whole' as const,
  gap: null,
  isCutOff: false,
  isAmbiguous: false,
});

test('a key is masked in the messages before those of a request', async () => {
  const masked = await maskEarlierAgain(anEarlier(`a ${KEY} b`), SECRETS, new SecretMask());
  expect(masked).toEqual(anEarlier('a <service key> b'));
  expect(await maskEarlierAgain(undefined, SECRETS, new SecretMask())).toBeUndefined();
});

/** Counts the characters that are searched. */
class CountingMask extends SecretMask {
  searched = 0;

  override async hasSecrets(text: string): Promise<boolean> {
    this.searched += text.length;
    return await super.hasSecrets(text);
  }
}

test('of messages that begin like those before only the rest is searched, also after a request', async () => {
  const mask = new CountingMask();
  const long = Array.from({ length: 20_000 }, (_, n) => `line ${n}`).join('\n');
  await maskEarlierAgain(anEarlier(long), SECRETS, mask);
  await maskBodiesAgain([aBody('sent', 'A short request.')], SECRETS, mask);
  mask.searched = 0;
  await maskEarlierAgain(anEarlier(long, 'One more.'), SECRETS, mask);
  expect(mask.searched).toBeLessThan(long.length / 2);
});

test('the texts of a run have no key, and none that is cut in two', async () => {
  const half = KEY.slice(0, 20);
  const change = {
    part: 'system',
    place: 0,
    name: null,
    kind: 'changed',
    tools: null,
    character: null,
    byte: null,
    looksLike: null,
  } as const;
  const run = aRun(`Use ${KEY} for 这个任务 ${half}…`.padStart(120), {
    calls: [{ id: null, name: KEY, input: `{"key":"${half}…`.padStart(240) }],
    change: { ...change, before: `…${KEY.slice(9)} is old`.padEnd(61), now: `whole ${KEY} is new` },
  });
  const masked = await maskRunAgain(run, SECRETS, new SecretMask());
  expect(masked.run.title.trim()).toBe('Use <service key> for 这个任务 …');
  const [step] = masked.sequences[0]?.steps ?? [];
  expect(step?.calls).toEqual([
    { id: null, name: '<service key>', input: expect.stringMatching(/^ +\{"key":"…$/u) },
  ]);
  expect(step?.change).toMatchObject({
    before: expect.stringMatching(/^… is old +$/u),
    now: 'whole <service key> is new',
  });
});

test('a run without keys stays as it is', async () => {
  const run = aRun('这是一个很长的任务…', { prompt: 'Two words' });
  expect(await maskRunAgain(run, SECRETS, new SecretMask())).toEqual(run);
});

test.each([
  ['…', '…'],
  ['……', '……'],
  ['Read the log…', 'Read the log…'],
  ['…and read the log', '…and read the log'],
  [`${'word '.repeat(50)}log…`, `${'word '.repeat(50)}log…`],
  [`…half ${'w'.repeat(170)} half…`, `… ${'w'.repeat(170)} …`],
  [`…${'a'.repeat(60)}`, '…'],
  [`${'a'.repeat(120)}…`, '…'],
  [`${'a'.repeat(279)}…`, '…'],
  [`${'word '.repeat(23)}half…`, `${'word '.repeat(23)}…`],
  [`${'word '.repeat(15)}half…`, `${'word '.repeat(15)}…`],
  ['half'.repeat(30), 'half'.repeat(30)],
  ['half…half'.repeat(10), 'half…half'.repeat(10)],
  [`${'a'.repeat(1_000_000)}…b`, `${'a'.repeat(1_000_000)}…b`],
])('of a text only the words beside a cut are removed', async (text, clean) => {
  const masked = await maskRunAgain(aRun(text), SECRETS, new SecretMask());
  expect(masked.run.title === clean).toBe(true);
});
