import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import { SILENT_SENDER } from '../../../shared/exchange/sender.ts';
import { UNKNOWN_USAGE, type Usage } from '../../../shared/exchange/usage.ts';
import { findCacheMiss } from '../../../shared/run/cache-miss.ts';
import type { StepPlace } from '../../../shared/run/run.ts';
import { BodyDatabase } from '../body-database.ts';
import type { CleanBody } from '../clean-body.ts';
import { Continuations } from './continuations.ts';
import { RUN_SCHEMA } from './run-tables.ts';

let folder: string;
let database: BodyDatabase;
let count: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-continued-'));
  database = new BodyDatabase(join(folder, 'bodies.db'));
  count = 0;
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

type Fields = Readonly<Record<string, unknown>>;

interface Sent {
  readonly protocol?: TextProtocol;
  /** The body of the response; by default a complete one whose id and text end with the number of the exchange. */
  readonly response?: string;
  readonly contentType?: string;
  readonly client?: string;
  readonly conversation?: string;
  readonly at?: number;
  readonly status?: number;
  readonly usage?: Partial<Usage>;
  readonly requestClass?: string;
  /** Bytes of the middle that is not stored, and where. */
  readonly omitted?: { readonly from: number; readonly to: number };
}

const INSTRUCTIONS = 'You are an agent.\nToday is 2026-03-01.';
const TOOLS = [{ type: 'function', name: 'ls', parameters: {} }];
const BASE: Fields = { model: 'm', instructions: INSTRUCTIONS, tools: TOOLS };
const ask = (text: string, previous?: string): Fields => ({
  ...BASE,
  input: [user(text)],
  ...(previous === undefined ? {} : { previous_response_id: previous }),
});
const user = (content: string) => ({ role: 'user', content });
const developer = { role: 'developer', content: 'Be brief.' };
const answer = (id: string, text: string, more: Fields = {}) => ({
  id,
  object: 'response',
  status: 'completed',
  output: [
    {
      type: 'message',
      id: `msg_${id}`,
      role: 'assistant',
      content: [{ type: 'output_text', text }],
    },
  ],
  ...more,
});

/** Stores an exchange, and returns its id. */
function keep(request: Fields, sent: Sent = {}): ExchangeId {
  count += 1;
  const { protocol = 'responses', client = 'c', conversation = null, status = 200 } = sent;
  const { response = JSON.stringify(answer(`resp_${count}`, `Answer ${count}.`)) } = sent;
  const { contentType = 'application/json', at = count * 10, usage, omitted } = sent;
  const id = ExchangeId.parse(`ex-${count.toString(16).padStart(16, '0')}`);
  const step = {
    protocol,
    clientName: 'Agent',
    model: 'm',
    status,
    errorCode: null,
    endedBy: 'service',
    durationMs: 1_000,
    firstByteMs: 100,
    usage: { ...UNKNOWN_USAGE, source: 'reported', ...usage },
  };
  const { requestClass } = sent;
  const sender = requestClass === undefined ? {} : { sender: { ...SILENT_SENDER, requestClass } };
  const text = Buffer.from(JSON.stringify(request));
  const kept = omitted ?? { from: text.length, to: text.length };
  database.keep([
    {
      id,
      startedAt: at * 1_000,
      run: client,
      kind: client,
      client,
      facts: JSON.stringify({ conversation, step, ...sender }),
      bodies: [
        {
          ...toBody('sent', text.subarray(0, kept.from), text.subarray(kept.to)),
          omitted: kept.to - kept.from,
        },
        { ...toBody('returned', Buffer.from(response)), contentType },
      ],
    },
  ]);
  return id;
}

function toBody(side: CleanBody['side'], head: Buffer, tail = Buffer.alloc(0)): CleanBody {
  const rest = { omitted: 0, contentType: 'application/json', masked: 0, eventTimes: null };
  return { side, head, tail, binary: false, bytes: head.length + tail.length, ...rest };
}

/** Stores an exchange, gives it its place, and returns that. */
function send(request: Fields, sent: Sent = {}): StepPlace {
  const id = keep(request, sent);
  while (database.place().hasMore);
  const place = database.findPlace(id);
  if (place === null) throw new Error('The exchange has no place.');
  return place;
}

/** Returns the texts of the messages before those of a request, and how they begin. */
function readEarlier({ step: { id } }: StepPlace) {
  const earlier = database.readEarlier(id, database.read(id));
  if (earlier === undefined) return null;
  const { items, ...rest } = earlier;
  const texts = [...items.matchAll(/"(?:content|text|output)":"((?:[^"\\]|\\.)*)"/gu)];
  return { ...rest, texts: texts.map(([, text]) => text) };
}

const WHOLE = { start: 'whole', gap: null, isCutOff: false, isAmbiguous: false };

test('a request that sends only what is new is rebuilt from those before it', () => {
  const first = send(ask('One.'));
  const second = send(ask('Two.', 'resp_1'));
  const third = send(ask('Three.', 'resp_2'));
  expect(readEarlier(first)).toBeNull();
  expect(readEarlier(third)).toEqual({
    ...WHOLE,
    count: 4,
    texts: ['One.', 'Answer 1.', 'Two.', 'Answer 2.'],
  });
  expect(second.run).toBe(first.run);
  expect(third).toMatchObject({
    run: first.run,
    number: 3,
    title: 'One.',
    compared: { id: second.step.id },
    step: {
      prompt: 'Three.',
      change: null,
      repeated: false,
      earlier: { count: 4, start: 'whole' },
      comparison: { follows: true, isWhole: true },
    },
  });
  const { context } = third.step;
  expect(context.newest).toBe(JSON.stringify(user('Three.')).length);
  expect(context.history).toBeGreaterThan(4 * context.newest);
});

test('messages of the system are carried over, and instructions and tools are those of each request', () => {
  send({ ...ask('One.'), input: [developer, user('One.')] }, { usage: WROTE });
  const { instructions: _left, ...rest } = ask('Two.', 'resp_1');
  const second = send(rest, { usage: MISSED });
  expect(second.step.context.system).toBe(JSON.stringify(developer).length);
  expect(findCacheMiss(second.step, second.compared)?.causes).toMatchObject([{ kind: 'system' }]);
  const third = send({ ...rest, previous_response_id: 'resp_2', tools: [] }, { usage: MISSED });
  expect(third.step.context.system).toBe(JSON.stringify(developer).length);
  expect(findCacheMiss(third.step, third.compared)?.causes).toMatchObject([{ kind: 'tools' }]);
});

const WROTE: Partial<Usage> = { input: 4_000, cacheRead: 0, cacheWrite: 4_000 };
const MISSED: Partial<Usage> = { input: 4_500, cacheRead: 0, cacheWrite: 4_500 };

test('why the cache missed is found as for a whole request, with the byte in what was sent', () => {
  send(ask('One.'), { usage: WROTE });
  const same = send(ask('Two.', 'resp_1'), { usage: MISSED });
  expect(findCacheMiss(same.step, same.compared)?.causes).toMatchObject([{ kind: 'evicted' }]);
  const changed = { ...ask('Three.', 'resp_2'), instructions: INSTRUCTIONS.replace('-01', '-02') };
  const third = send(changed, { usage: MISSED });
  expect(findCacheMiss(third.step, third.compared)?.causes).toMatchObject([{ kind: 'system' }]);
  expect(third.step.change).toMatchObject({ part: 'system', looksLike: 'date' });
  const bytes = Buffer.from(JSON.stringify(changed));
  expect(bytes.subarray(third.step.change?.byte ?? bytes.length).toString()).toMatch(/^2\."/u);
});

test('calls of tools and their results are of one conversation', () => {
  const call = { type: 'function_call', call_id: 'call_1', name: 'ls', arguments: '{}' };
  send(ask('List.'), { response: JSON.stringify({ ...answer('resp_1', ''), output: [call] }) });
  const result = { type: 'function_call_output', call_id: 'call_1', output: 'a.txt' };
  const second = send({ ...ask('', 'resp_1'), input: [result] });
  expect(second.step.results).toMatchObject([{ callId: 'call_1', name: 'ls', text: 'a.txt' }]);
});

test.each([
  { of: 'with its output at the end', output: true },
  { of: 'that leaves its output out at the end', output: false },
])('a streamed response $of is continued', ({ output }) => {
  const whole = answer('resp_1', 'Streamed.');
  const item = whole.output[0];
  const events = [
    { type: 'response.created', response: { ...whole, output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message' } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Streamed.' },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: output ? whole : { ...whole, output: [] } },
  ];
  send(ask('One.'), toStream(events));
  const second = send(ask('Two.', 'resp_1'));
  expect(readEarlier(second)).toEqual({ ...WHOLE, count: 2, texts: ['One.', 'Streamed.'] });
});

test('a streamed response that names one of its two items at the end, before a last mark, has both', () => {
  const first = answer('resp_1', 'First.');
  const second = answer('resp_1', 'Second.');
  const items = [...first.output, ...second.output];
  const events = [
    ...items.map((item, output_index) => ({
      type: 'response.output_item.done',
      output_index,
      item,
    })),
    { type: 'response.completed', response: second },
  ];
  const { response, ...rest } = toStream(events);
  send(ask('One.'), { ...rest, response: `${response}data: [DONE]\n\n` });
  const next = send(ask('Two.', 'resp_1'));
  expect(readEarlier(next)).toEqual({ ...WHOLE, count: 3, texts: ['One.', 'First.', 'Second.'] });
});

function toStream(events: readonly object[]): Sent {
  const response = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { response, contentType: 'text/event-stream' };
}

test('of a response that broke off there is what came, and that is named', () => {
  const { output: _output, ...started } = answer('resp_1', '');
  const events = [
    { type: 'response.created', response: started },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Half of' },
  ];
  send(ask('One.'), toStream(events));
  const second = send(ask('Two.', 'resp_1'));
  const expected = { ...WHOLE, isCutOff: true, count: 2, texts: ['One.', 'Half of'] };
  expect(readEarlier(second)).toEqual(expected);
});

test('two requests that continue the same response are branches of one run, each compared with it', () => {
  const first = send(ask('One.'));
  const second = send(ask('Two.', 'resp_1'));
  const other = send(ask('Other.', 'resp_1'));
  const after = send(ask('After the other.', 'resp_3'));
  const again = send(ask('Three.', 'resp_2'));
  for (const { run } of [second, other, after, again]) expect(run).toBe(first.run);
  expect(readEarlier(after)?.texts).toEqual(['One.', 'Answer 1.', 'Other.', 'Answer 3.']);
  expect(readEarlier(again)?.texts).toEqual(['One.', 'Answer 1.', 'Two.', 'Answer 2.']);
  expect(other).toMatchObject({ number: 1, step: { change: null }, compared: first.step });
  expect(after).toMatchObject({ number: 2, step: { change: null }, compared: other.step });
  expect(again).toMatchObject({ number: 3, step: { change: null }, compared: second.step });
});

test('a request that failed and is sent again is its repetition', () => {
  send(ask('One.'));
  send(ask('Two.', 'resp_1'), { status: 500, response: '{"error":{"message":"busy"}}' });
  const again = send(ask('Two.', 'resp_1'));
  expect(again).toMatchObject({ number: 3, step: { repeated: true, change: null } });
});

test('a request whose client names another session is in the run of that session', () => {
  send(ask('One.'), { conversation: 'a' });
  const same = send(ask('Two.', 'resp_1'), { conversation: 'a' });
  const other = send(ask('Three.', 'resp_2'), { conversation: 'b' });
  expect(same.number).toBe(2);
  expect(other.run).not.toBe(same.run);
  expect(readEarlier(other)?.count).toBe(4);
});

test('a response that is not kept is named, and what follows is rebuilt from there', () => {
  const first = send(ask('One.', 'resp_before'));
  expect(first).toMatchObject({ compared: null, step: { comparison: null, change: null } });
  expect(readEarlier(first)).toEqual({ ...WHOLE, start: 'not kept', count: 0, texts: [] });
  const second = send(ask('Two.', 'resp_1'));
  const expected = { ...WHOLE, start: 'not kept', count: 2, texts: ['One.', 'Answer 1.'] };
  expect(readEarlier(second)).toEqual(expected);
  expect(second).toMatchObject({ run: first.run, number: 2, compared: first.step });
});

test('what was deleted is in no rebuilt request any more', () => {
  send(ask('One.'));
  const second = send(ask('Two.', 'resp_1'));
  const third = send(ask('Three.', 'resp_2'));
  expect(readEarlier(third)?.count).toBe(4);
  database.delete([second.step.id]);
  expect(readEarlier(third)).toEqual({ ...WHOLE, start: 'not kept', count: 0, texts: [] });
});

test('a response is continued by its own client only', () => {
  const first = send(ask('One.'));
  const other = send(ask('Two.', 'resp_1'), { client: 'd' });
  expect(readEarlier(other)).toMatchObject({ start: 'not kept', count: 0 });
  expect(other.run).not.toBe(first.run);
});

test('a request whose middle is not stored leaves a gap, and no cause is claimed', () => {
  const input = Array.from({ length: 40 }, (_, n) => user(`Message ${n} of the task.`));
  const text = JSON.stringify({ ...BASE, input });
  const from = text.indexOf('Message 10');
  const omitted = { from, to: text.indexOf('Message 30') };
  send({ ...BASE, input }, { omitted, usage: WROTE });
  const second = send(ask('Two.', 'resp_1'), { usage: MISSED });
  expect(readEarlier(second)).toMatchObject({ start: 'whole', gap: 10, count: 20 });
  expect(second.step).toMatchObject({ prompt: 'Two.', repeated: false });
  expect(findCacheMiss(second.step, second.compared)?.causes).toMatchObject([{ kind: 'unknown' }]);
  const third = send(ask('Three.', 'resp_2'), { usage: MISSED });
  expect(readEarlier(third)).toMatchObject({ gap: 10, count: 22 });
  expect(third).toMatchObject({ number: 3, step: { prompt: 'Three.', repeated: false } });
});

test('ids in a loop, and those of later responses, are not followed', () => {
  const own = JSON.stringify(answer('resp_a', 'A.'));
  const first = send(ask('One.', 'resp_a'), { response: own });
  expect(readEarlier(first)).toMatchObject({ start: 'not kept', count: 0 });
  const second = send(ask('Two.', 'resp_a'), { response: own });
  expect(readEarlier(second)).toMatchObject({ start: 'not kept', count: 2 });
  expect(readEarlier(first)).toMatchObject({ start: 'not kept', count: 0 });
});

test('of two responses with one id the latest before counts, and that is named', () => {
  const response = JSON.stringify(answer('resp_same', 'Same.'));
  send(ask('One.'), { response });
  send(ask('Other.'), { response });
  const third = send(ask('Two.', 'resp_same'));
  const texts = ['Other.', 'Same.'];
  expect(readEarlier(third)).toEqual({ ...WHOLE, isAmbiguous: true, count: 2, texts });
  send(ask('Later.'), { response });
  expect(readEarlier(third)?.texts).toEqual(texts);
});

test('an id that is too long is none', () => {
  const id = 'r'.repeat(600);
  send(ask('One.'), { response: JSON.stringify(answer(id, 'A.')) });
  expect(readEarlier(send(ask('Two.', id)))).toMatchObject({ start: 'not kept', count: 0 });
});

test('of a conversation that is too long the newest messages are rebuilt', () => {
  const long = 'x'.repeat(300_000);
  send({ ...ask(''), input: [developer, user(`0 ${long}`)] }, { usage: WROTE });
  const turns = Array.from({ length: 8 }, (_, turn) =>
    send(ask(`${turn + 1} ${long}`, `resp_${turn + 1}`), { usage: MISSED }),
  );
  const last = send(ask('Last.', 'resp_9'), { usage: MISSED });
  const earlier = readEarlier(last);
  expect(earlier).toMatchObject({ start: 'too long', gap: null });
  expect(earlier?.count).toBeLessThan(18);
  expect(earlier?.texts.at(-1)).toBe('Answer 9.');
  expect(last).toMatchObject({ number: 10, step: { change: null } });
  // That the oldest were dropped, the message of the developer too, is no change.
  const [first] = turns.filter(({ step }) => step.earlier?.start === 'too long');
  expect(first?.step.change).toBeNull();
  const causes = first === undefined ? [] : findCacheMiss(first.step, first.compared)?.causes;
  expect(causes).toMatchObject([{ kind: 'unknown' }]);
  // So many were dropped that the next step drops none, and begins with the same.
  const shown = [...turns, last].map((place) => readEarlier(place)?.texts[0]);
  expect(shown.at(-1)).toBe(shown.at(-2));
});

test('a step is compared with the one before only when both are of one purpose', () => {
  send(ask('One.'));
  const other = send(ask('Two.', 'resp_1'), { requestClass: 'compaction' });
  expect(other).toMatchObject({ compared: null, step: { change: null, comparison: null } });
});

test('a whole request after rebuilt ones is compared in what both have', () => {
  send({ ...ask('One.'), input: [developer, user('One.')] }, { usage: WROTE });
  send(ask('Two.', 'resp_1'), { usage: MISSED });
  const all = ['One.', 'Two.', 'Three.'].map(user);
  const reply = { role: 'assistant', content: 'Answer 1.' };
  const whole = { ...BASE, input: [developer, all[0], reply, ...all.slice(1)] };
  const third = send(whole, { usage: MISSED });
  expect(third).toMatchObject({
    number: 3,
    step: { change: null, comparison: { isWhole: false } },
  });
  expect(findCacheMiss(third.step, third.compared)?.causes).toMatchObject([{ kind: 'unknown' }]);
  const input = [...whole.input, user('Four.')];
  const changed = send({ ...whole, input, instructions: 'Other.' }, { usage: MISSED });
  expect(changed.step.change).toMatchObject({ part: 'system' });
});

const THREAD = { protocol: 'messages' } as const;
const message = (id: string, text: string, more: Fields = {}) =>
  JSON.stringify({
    id,
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text }],
    ...more,
  });
const start = {
  model: 'm',
  system: INSTRUCTIONS,
  tools: [{ name: 'ls', input_schema: {} }],
  thread: { type: 'create' },
  messages: [user('One.')],
};
const goOn = (text: string, id?: string): Fields => ({
  model: 'm',
  messages: [user(text)],
  thread: { type: 'continue', ...(id === undefined ? {} : { any_name: id }) },
});

test.each([
  { of: 'the id of its message', id: 'msg_1', more: {} },
  { of: 'an id that its answer has of it', id: 'thr_1', more: { thread: { some_id: 'thr_1' } } },
])('a thread is rebuilt by $of, and what it leaves out is no change', ({ id, more }) => {
  const first = send(start, { ...THREAD, usage: WROTE, response: message('msg_1', 'A.', more) });
  const sent = { ...THREAD, usage: MISSED, response: message('msg_2', 'B.') };
  const second = send(goOn('Two.', id), sent);
  expect(readEarlier(second)).toEqual({ ...WHOLE, count: 2, texts: ['One.', 'A.'] });
  const expected = { change: null, comparison: null, earlier: { count: 2, start: 'whole' } };
  expect(second).toMatchObject({ run: first.run, number: 2, step: expected, compared: null });
  const whole = [user('One.'), { role: 'assistant', content: 'A.' }, user('Two.'), user('Three.')];
  const third = send({ ...start, messages: whole }, sent);
  expect(third.step.change?.part).not.toBe('system');
  expect(third.step.change?.part).not.toBe('tools');
});

test('a thread whose beginning is not recognised is shown as it was sent', () => {
  send(start, { ...THREAD, response: message('msg_1', 'A.') });
  const second = send(goOn('Two.', 'unknown'), { ...THREAD, response: message('msg_2', 'B.') });
  expect(readEarlier(second)).toEqual({ ...WHOLE, start: 'not kept', count: 0, texts: [] });
  expect(second.step).toMatchObject({ change: null, comparison: null });
  const third = send(goOn('Three.'), { ...THREAD, response: message('msg_3', 'C.') });
  expect(readEarlier(third)).toMatchObject({ start: 'not kept', count: 0 });
});

test('a thread that has a system prompt or tools is a request like any other', () => {
  const { system, tools } = start;
  for (const more of [{ system }, { tools }])
    expect(readEarlier(send({ ...goOn('One.', 'x'), ...more }, THREAD))).toBeNull();
});

function toStored(value: object) {
  return {
    text: JSON.stringify(value),
    contentType: 'application/json',
    binary: false,
    bytes: 1,
    omitted: null,
    masked: 0,
    eventTimes: null,
  };
}

/** Makes the bodies of an exchange without messages that continues the one before. */
function toBareBodies(at: number) {
  const sent = toStored({ input: [], previous_response_id: `resp_${at - 1}` });
  const returned = toStored({
    id: `resp_${at}`,
    object: 'response',
    status: 'completed',
    output: [],
  });
  return { state: 'kept', received: null, sent, returned } as const;
}

function toBareExchange(at: number) {
  const id = ExchangeId.parse(`ex-${at.toString(16).padStart(16, '0')}`);
  return { id, startedAt: at, client: 'c' };
}

/** Opens the exchanges that these bodies are of, each of which continues the one before. */
function openChain(length: number, toBodies: (at: number) => ReturnType<typeof toBareBodies>) {
  const store = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
  store.exec(RUN_SCHEMA);
  const reads: string[] = [];
  const create = () =>
    new Continuations(store, (id) => {
      reads.push(id);
      const { sent, returned } = toBodies(Number.parseInt(id.slice(3), 16));
      return { request: sent, returned };
    });
  const continuations = create();
  for (let at = 0; at < length; at += 1)
    continuations.add(toBareExchange(at), 'responses', toBodies(at));
  const rebuild = (at: number, by = continuations) =>
    by.outline(toBareExchange(at), 'responses', toBodies(at))?.earlier;
  return { continuations, create, rebuild, reads, [Symbol.dispose]: () => store.close() };
}

const toTextBodies = (at: number, more: Fields = {}) => ({
  ...toBareBodies(at),
  sent: toStored({ ...more, input: [user(`${at}`)], previous_response_id: `resp_${at - 1}` }),
});

test('a conversation of too many requests is the same whether it is known or read again', () => {
  using chain = openChain(1_200, toTextBodies);
  for (let at = 0; at < 1_200; at += 1) chain.rebuild(at);
  const known = chain.rebuild(1_199);
  const again = chain.rebuild(1_199, chain.create());
  for (const one of [known, again])
    expect([one?.start, one?.items.length, one?.items[0]?.json]).toEqual([
      'too many',
      1_000,
      JSON.stringify(user('199')),
    ]);
});

test('of requests with much beside their messages few are read', () => {
  const more = { instructions: 'x'.repeat(2 ** 20) };
  using chain = openChain(40, (at) => toTextBodies(at, more));
  for (let at = 0; at < 40; at += 1) chain.rebuild(at);
  const known = chain.rebuild(39);
  chain.reads.length = 0;
  const again = chain.rebuild(39, chain.create());
  expect(chain.reads).toHaveLength(16);
  expect([again?.start, again?.items.length]).toEqual(['too long', 16]);
  expect([known?.start, known?.items.length]).toEqual(['too long', 16]);
});

test('only conversations with a deleted exchange are read again', () => {
  using chain = openChain(20, toTextBodies);
  chain.rebuild(9);
  chain.reads.length = 0;
  chain.continuations.forgetDeleted(new Set([toBareExchange(15).id]));
  chain.rebuild(9);
  expect(chain.reads).toEqual([]);
  chain.continuations.forgetDeleted(new Set([toBareExchange(5).id]));
  chain.rebuild(9);
  expect(chain.reads).toEqual([toBareExchange(5).id]);
});

test('a conversation has the response that was stored after those that continue it', () => {
  send(ask('Two.', 'resp_2'), { at: 20, response: JSON.stringify(answer('resp_b', 'B.')) });
  const third = send(ask('Three.', 'resp_b'), { at: 30 });
  expect(readEarlier(third)).toMatchObject({ start: 'not kept', count: 2 });
  send(ask('One.'), { at: 10, response: JSON.stringify(answer('resp_2', 'A.')) });
  const texts = ['One.', 'A.', 'Two.', 'B.'];
  expect(readEarlier(third)).toMatchObject({ start: 'whole', count: 4, texts });
});

test.each([
  { of: 'of its own', conversation: {} },
  { of: 'that the client names', conversation: { conversation: 'a' } },
])('steps in a run $of move to that of the response that is stored after them', (given) => {
  const { conversation } = given;
  const late = { ...conversation, response: JSON.stringify(answer('resp_late', 'A.')) };
  const second = send(ask('Two.', 'resp_late'), { ...conversation, at: 20 });
  const third = send(ask('Three.', 'resp_1'), { ...conversation, at: 30 });
  const branch = send(ask('Other.', 'resp_1'), { ...conversation, at: 40 });
  const other = send(ask('Elsewhere.', 'resp_late'), { client: 'd', at: 20 });
  expect(second.step.earlier).toEqual({ count: 0, start: 'not kept' });
  // What waits is known after a restart, too.
  database.close();
  database = new BodyDatabase(join(folder, 'bodies.db'));
  const first = send(ask('One.'), { ...late, at: 10 });
  const find = ({ step: { id } }: StepPlace) => database.findPlace(id);
  const inRun = { run: first.run, title: 'One.' };
  expect(find(second)).toMatchObject({
    ...inRun,
    number: 2,
    compared: { id: first.step.id },
    step: { prompt: 'Two.', earlier: { count: 2, start: 'whole' } },
  });
  expect(find(third)).toMatchObject({ ...inRun, number: 3, step: { earlier: { count: 4 } } });
  expect(find(branch)).toMatchObject({ ...inRun, step: { earlier: { count: 4 } } });
  expect(find(other)).toEqual(other);
  const sequences = database.readRun(RunId.parse(first.run))?.sequences;
  expect(sequences?.map(({ kind, steps }) => [kind, steps.length])).toEqual([
    ['main', 3],
    ['continued', 1],
  ]);
  const { ids } = database.search({ phrases: ['Two.'], before: null, limit: 10 });
  expect(ids).toEqual([second.step.id]);
});

test('a branch of a step that moves has the messages before it, too', () => {
  const sent = { conversation: 'a' };
  send(ask('Zero.'), { ...sent, at: 5 });
  send(ask('Two.', 'resp_late'), { ...sent, at: 20 });
  send(ask('Three.', 'resp_2'), { ...sent, at: 30 });
  const branch = send(ask('Other.', 'resp_2'), { ...sent, at: 40 });
  expect(branch.step.earlier).toEqual({ count: 2, start: 'not kept' });
  const late = JSON.stringify(answer('resp_late', 'A.'));
  send(ask('One.', 'resp_1'), { ...sent, at: 10, response: late });
  const moved = database.findPlace(branch.step.id);
  expect(moved?.step.earlier).toEqual({ count: 6, start: 'whole' });
});

test('a step keeps its place when a later one is stored with the response before both', () => {
  const second = send(ask('Two.', 'resp_late'), { at: 20 });
  const late = JSON.stringify(answer('resp_late', 'A.'));
  const first = keep(ask('One.'), { at: 10, response: late });
  const third = keep(ask('Three.', 'resp_1'), { at: 30 });
  while (database.place().hasMore);
  const run = RunId.parse(database.findPlace(first)?.run);
  const sequences = database.readRun(run)?.sequences;
  expect(sequences?.map(({ steps }) => steps.map(({ id }) => id))).toEqual([
    [first, second.step.id, third],
  ]);
});

test('a waiting step within a run that the client names takes its branches along', () => {
  const named = { conversation: 'a' };
  const late = { ...named, response: JSON.stringify(answer('resp_late', 'A.')) };
  const { run } = send(ask('Zero.'), { ...named, at: 5 });
  send(ask('Two.', 'resp_late'), { ...named, at: 20 });
  send(ask('Three.', 'resp_2'), { ...named, at: 30 });
  send(ask('Other.', 'resp_2'), { ...named, at: 40 });
  // A request with all its messages stays in the branch that it continues.
  const sent = [
    user('Two.'),
    ...answer('resp_2', 'Answer 2.').output,
    user('Other.'),
    ...answer('resp_4', 'Answer 4.').output,
  ];
  send({ ...BASE, input: [...sent, user('After the other.')] }, { ...named, at: 50 });
  send(ask('One.'), { ...late, at: 10 });
  const sequences = database.readRun(RunId.parse(run))?.sequences;
  expect(
    sequences?.map(({ steps }) => steps.map(({ prompt, earlier }) => [prompt, earlier])),
  ).toEqual([
    [['Zero.', null]],
    [
      ['One.', null],
      ['Two.', { count: 2, start: 'whole' }],
      ['Three.', { count: 4, start: 'whole' }],
    ],
    [
      ['Other.', { count: 4, start: 'whole' }],
      ['After the other.', null],
    ],
  ]);
});

test('a run of very many steps stays when the response before its first one is stored', () => {
  const second = send(ask('Step 1.', 'resp_late'), { at: 20 });
  for (let step = 1; step < 201; step += 1) keep(ask('Step.', `resp_${step}`));
  while (database.place().hasMore);
  send(ask('One.'), { at: 10, response: JSON.stringify(answer('resp_late', 'A.')) });
  expect(database.findPlace(second.step.id)).toEqual(second);
});

test('a conversation that was rebuilt while exchanges were placed is forgotten when that is undone', () => {
  send(ask('Two.', 'resp_late'), { at: 20 });
  keep(ask('One.'), { at: 10, response: JSON.stringify(answer('resp_late', 'A.')) });
  const third = keep(ask('Three.', 'resp_1'), { at: 30 });
  using other = new DatabaseSync(join(folder, 'bodies.db'));
  other.exec(`create trigger refused before insert on step when new.id = '${third}'
    begin select raise(abort, 'refused'); end`);
  expect(() => database.place()).toThrow('refused');
  // The id of the response before is not stored.
  const before = database.readEarlier(third, database.read(third));
  expect(before).toMatchObject({ start: 'not kept', count: 2 });
  other.exec('drop trigger refused');
  while (database.place().hasMore);
  const after = database.readEarlier(third, database.read(third));
  expect(after).toMatchObject({ start: 'whole', count: 4 });
});

test('of turns without messages, too, only so many are remembered', () => {
  using store = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
  store.exec(RUN_SCHEMA);
  let reads = 0;
  const continuations = new Continuations(store, (id) => {
    reads += 1;
    const { sent, returned } = toBareBodies(Number.parseInt(id.slice(3), 16));
    return { request: sent, returned };
  });
  for (let at = 0; at < 5_000; at += 1)
    continuations.add(toBareExchange(at), 'responses', toBareBodies(at));
  for (let at = 999; at < 5_000; at += 1_000)
    continuations.outline(toBareExchange(at), 'responses', toBareBodies(at));
  reads = 0;
  continuations.outline(toBareExchange(500), 'responses', toBareBodies(500));
  expect(reads).toBe(500);
});
